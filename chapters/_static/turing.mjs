// The playground's Turing machines: the reader of chapter 6's transformers in exact rational numbers,
// as chapters.common.turing.architecture runs them, and the tab around it.

import { watch } from "./boxes.mjs";
import {
  button,
  choice,
  inAddress,
  element,
  escaped,
  labelled,
  linesBox,
  playground,
  region,
  remember,
  row,
  shortened,
  subscript,
  tabAsked,
  textBox,
} from "./dom.mjs";
import { visible } from "./forms.mjs";
import { WAYS, Wrong, compiled, parse, printed, words, wrongInput } from "./machines.mjs";
import { ONE, ZERO, abs, add, compare, exactly, lowest, rational, times } from "./numbers.mjs";
import { formsIn, placesIn } from "./reader.mjs";

// ---- a transformer, as chapters.common.turing.architecture.Run reads it ----

const A = exactly(128); // all that is computed here is rational
const HARD = { turn: 1 }; // the largest score wins
const ENCODINGS = { index: i => [BigInt(i), 1n], one: () => ONE, reciprocal: i => [1n, BigInt(i)] };
const sigma = x => (x[0] <= 0n ? ZERO : x[0] >= x[1] ? ONE : x);

/** The vector of a space whose coordinates some rows {name: form} over `names` write; the rest is 0. */
function writer(rows, names, space) {
  const map = A.affine(Object.values(rows).map(row => formsIn(names)(row)));
  const places = Object.keys(rows).map(placesIn(space));
  const zeros = space.map(() => ZERO);
  return x => A.put(zeros, places, map(x));
}

/** One head over the vectors that it is shown one by one: hard attention. */
function attending(head, space, masked) {
  const [query, key] = [head.q, head.k].map(rows => A.affine(rows.map(row => formsIn(space)(row))));
  const value = writer(head.v, space, space);
  const [keys, values] = [[], []];
  const score = masked ? x => x : x => [-abs(x[0]), x[1]];
  return {
    see: x => values.push(value(x)) && keys.push(key(x)),
    find(x, sees = keys.length) {
      const q = query(x);
      const scores = keys.slice(0, sees).map(k => score(A.dot(q, k)));
      return A.averages.hardmax(HARD, scores, values.slice(0, sees));
    },
  };
}

function feedForward(ffn, space) {
  let names = space;
  const layers = ffn.hidden.map(rows => {
    const map = A.affine(Object.values(rows).map(row => formsIn(names)(row)));
    names = Object.keys(rows);
    return map;
  });
  const write = writer(ffn.out, names, space);
  return x => write(layers.reduce((h, layer) => layer(h).map(sigma), x));
}

/**
 * y_0, y_1, ... of a transformer (as machines.mjs compiles it) on w, vectors of rationals, to the first
 * in which it halts.
 */
export function* outputs(
  { space, embedding, position, encoder, decoder, F, seed, masked, halts },
  w,
) {
  const zeros = space.map(() => ZERO);
  const dense = form => space.map(name => rational(form[name] ?? 0));
  const carried = position.map(([f, form]) => [ENCODINGS[f], formsIn(space)(form).terms]);
  const placed = (x, i) => {
    const result = [...x];
    for (const [f, terms] of carried)
      for (const [place, c] of terms) result[place] = add(result[place], times(c, f(i)));
    return result;
  };
  const sublayer = ({ head, ffn, residual }) => {
    const heard = head && attending(head, space, masked);
    const map = heard ? heard.find : ffn ? feedForward(ffn, space) : () => zeros;
    return { heard, apply: (x, sees) => (residual ? A.total(map(x, sees), x) : map(x, sees)) };
  };
  let encoded = ["#", ...w, "$"].map((token, i) => placed(dense(embedding[token]), i + 1));
  for (const [attend, feed] of encoder.map(layer => layer.map(sublayer))) {
    if (attend.heard) encoded.forEach(attend.heard.see);
    encoded = encoded.map((x, i) => feed.apply(attend.apply(x, masked ? i + 1 : undefined)));
  }
  const layers = decoder.map(layer => layer.map(sublayer));
  const kept = F ? writer(F, space, space) : x => x;
  for (const [, across] of layers) if (across.heard) encoded.forEach(across.heard.see);
  const halting = halts.map(placesIn(space));
  for (let y = dense(seed), t = 0; ; t++) {
    y = placed(y, t + 1);
    yield y;
    if (halting.some(j => compare(y[j], ONE) === 0)) return;
    for (const [attend, across, feed] of layers) {
      if (attend.heard) attend.heard.see(y);
      y = feed.apply(across.apply(attend.apply(y), masked ? t + 1 : undefined));
    }
    y = kept(y);
  }
}

// ---- the machine ----

/** The symbols of a stack from its top: digits 2a in base B. */
function symbolsOf(stack, { symbols, base }) {
  const found = [];
  const B = BigInt(base);
  for (let [n, d] = stack; n;) {
    const digit = (n * B) / d;
    found.push(symbols[Number(digit) / 2]);
    [n, d] = lowest(n * B - digit * d, d);
  }
  return found.join("");
}

/**
 * Every configuration of the machine as the transformer has it: state, tape left and right of the
 * head's cell, Ψ₁ and Ψ₂, and the y_t since the last.
 */
export function* computed(machine, transformer, w) {
  const place = Object.fromEntries(transformer.space.map((name, i) => [name, i]));
  const first = [...w].length + 3;
  let between = [];
  let t = 0;
  for (const y of outputs(transformer, w)) {
    between.push({ t, y });
    if (t >= first && (t - first) % 4 === 0) {
      if ("stuck" in place && y[place.stuck][0] === 1n) return;
      const [right, left] = ["Ψ₁", "Ψ₂"].map(stack => y[place[stack]]);
      yield {
        state: machine.states.find(q => y[place[`q=${q}`]][0] === 1n),
        left: [...symbolsOf(left, machine)].reverse().join(""),
        right: symbolsOf(right, machine),
        stacks: [right, left],
        between,
      };
      between = [];
    }
    t++;
  }
}

const applying = (machine, state, symbol = machine.blank) =>
  machine.rules.findIndex(([from, read]) => from === state && read === symbol);

/** Every configuration by the rules alone. */
export function* ruled(machine, w) {
  const { blank, rules } = machine;
  let { start: state } = machine;
  const [left, right] = [[], [...w]];
  for (;;) {
    yield { state, left: left.join(""), right: right.join("") };
    const found = applying(machine, state, right[0]);
    if (found < 0) return;
    const [, , write, move, to] = rules[found];
    right[0] = write;
    if (move === "R") left.push(right.shift());
    if (move === "L") right.unshift(left.pop() ?? blank);
    while (left[0] === blank) left.shift();
    while (right.at(-1) === blank) right.pop();
    state = to;
  }
}

const plain = ({ state, left, right }) => `${left}[${state}]${right}`;
const SHIFT = { L: -1, N: 0, R: 1 };

/**
 * A run that is computed as far as it is asked for: `steps` hold each configuration with the cell of
 * its head and the cells visited so far, 0 that of the first symbol, the rule that applies next, and
 * whether all is as the rules say.
 */
function running(machine, transformer, w) {
  const reader = computed(machine, transformer, w);
  const expected = ruled(machine, w);
  const made = { steps: [], halted: false };
  function next() {
    const before = made.steps.at(-1);
    const found = reader.next();
    const rules = expected.next();
    made.halted = Boolean(found.done);
    if (found.done) {
      if (before) before.agrees &&= Boolean(rules.done);
      return;
    }
    const { between, ...now } = found.value;
    const [left, right] = [[...now.left], [...now.right]];
    const head = before ? before.head + (SHIFT[machine.rules[before.rule]?.[3]] ?? 0) : 0;
    made.steps.push({
      ...now,
      said: between.map(({ t, y }) => ({
        t,
        values: [...y.entries()].filter(([, v]) => v[0] !== 0n),
      })),
      head,
      low: Math.min(before?.low ?? 0, head - left.length),
      high: Math.max(before?.high ?? 0, head + Math.max(1, right.length) - 1),
      rule: applying(machine, now.state, right[0]),
      agrees: (before?.agrees ?? true) && !rules.done && plain(rules.value) === plain(now),
    });
  }
  /** Goes on to step `last` or to the end; false if the time came first. */
  made.to = (last, time) => {
    while (made.steps.length <= last && !made.halted) {
      if (made.steps.length && performance.now() > time) return false;
      next();
    }
    return true;
  };
  return made;
}

// ---- what is shown of a step ----

const LINES = 12; // configurations that are listed
const NEAR = 40; // cells of a listed tape on either side of the head
const ROWS = 60; // of the picture
const LONG = 10n ** 8n; // longer numbers are rounded, and the power of 2 below them is named
const superscript = i => [...String(i)].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
function text([n, d]) {
  if (d === 1n) return String(n);
  if (d < LONG || (d & (d - 1n)) !== 0n) return `${n}/${d}`;
  const power = `2${superscript(d.toString(2).length - 1)}`;
  return n < LONG
    ? `${n}/${power}`
    : `${(Number((n * 10n ** 9n) / d) / 1e9).toFixed(6)}… (over ${power})`;
}

/** Text of the reader's as it can be shown: nothing that turns the line around, the middle left out. */
const shown = (written, most = 48) => shortened(visible(written), most);

// As chapters.turing_completeness.figures colours them; the blank is the page's own.
const COLOURS = [
  "#E69F00",
  "#56B4E9",
  "#009E73",
  "#F0E442",
  "#0072B2",
  "#D55E00",
  "#CC79A7",
  "#999999",
];
const colour = (machine, symbol) =>
  COLOURS[(machine.symbols.indexOf(symbol) - 1) % COLOURS.length] ?? null;
const ink = background => (background === "#0072B2" ? "#fff" : "#000");
const glyph = (machine, symbol) => (symbol === machine.blank ? "·" : visible(symbol));

/** The cells that are drawn: all visited by then and some around them, in fours, so that they stay. */
const extent = ({ low, high }) => [
  4 * Math.floor((low - 1) / 4),
  4 * Math.ceil((high + 2) / 4) - 1,
];

/** What stands in the cells from `low` to `high`. */
function cellsOf({ left, right, head }, [low, high], blank) {
  const cells = Array.from({ length: high - low + 1 }, () => blank);
  const symbols = [...left, ...right];
  const from = head - [...left].length - low;
  symbols.forEach((symbol, i) => {
    cells[from + i] = symbol;
  });
  return cells;
}

/** A configuration as one line, of a long tape what is near the head. */
function around({ state, left, right }) {
  const [before, after] = [[...left], [...right]];
  const [start, end] = [before, after].map(side => (side.length > NEAR ? "…" : ""));
  return `${start}${visible(before.slice(-NEAR).join(""))}[${shown(state ?? "")}]${visible(after.slice(0, NEAR).join(""))}${end}`;
}

function tapeRow(machine, now) {
  const [low, high] = extent(now);
  const cells = cellsOf(now, [low, high], machine.blank).map((symbol, i) => {
    const background = colour(machine, symbol);
    const attributes = background && { style: `background:${background};color:${ink(background)}` };
    const head = low + i === now.head && { class: "head", "aria-current": "true" };
    return element("td", { ...attributes, ...head }, glyph(machine, symbol));
  });
  return element("table", {}, element("tbody", {}, element("tr", {}, ...cells)));
}

function wordsTable(space, { said }) {
  const one = ([j, v]) => shown(space[j]) + (v[0] === 1n && v[1] === 1n ? "" : ` = ${text(v)}`);
  const rows = said.map(({ t, values }) => row(`y${subscript(t)}`, [values.map(one).join(", ")]));
  return element("table", {}, element("tbody", {}, ...rows));
}

const LABELS = 36; // pixels left of the picture for the steps' numbers
const clamp = (x, least, most) => Math.max(least, Math.min(most, x));

/** Space and time as a picture: a row a step, a cell a symbol, columns that stay; a row is pressed. */
function picture(onpress) {
  const made = element("div", { class: "scroll picture" });
  let [first, h] = [0, 1];
  function draw(machine, steps, step) {
    const [low, high] = extent(steps[step]);
    first = Math.max(0, step - ROWS + 1);
    const rows = steps.slice(first, step + 1);
    const columns = high - low + 1;
    const w = clamp(Math.floor((made.clientWidth - LABELS) / columns), 1, 16);
    h = clamp(w, 4, 11);
    const rect = (x, row, width, attributes) =>
      `<rect x="${LABELS + x * w}" y="${row * h}" width="${width * w}" height="${h}" ${attributes}/>`;
    const drawn = rows.map((now, row) => {
      const cells = cellsOf(now, [low, high], machine.blank);
      const middle = row * h + h / 2;
      const pieces = runs(cells).map(([x, length]) => {
        const background = colour(machine, cells[x]);
        return background ? rect(x, row, length, `fill="${background}"`) : "";
      });
      const letter = (symbol, x) => {
        const background = colour(machine, symbol);
        const place = `x="${LABELS + x * w + w / 2}" y="${middle + 3.5}" text-anchor="middle"`;
        return background
          ? `<text ${place} fill="${ink(background)}">${escaped(symbol)}</text>`
          : "";
      };
      const letters = w < 10 ? [] : cells.map(letter);
      const at = now.head - low;
      const under = colour(machine, cells[at]);
      const head = under ? ink(under) : "currentColor";
      const outline = w < 5 ? `fill="${head}"` : `fill="none" stroke="${head}" stroke-width="2"`;
      const [number, isLast] = [first + row, row === rows.length - 1];
      const isClear = (rows.length - 1 - row) * h >= 11 && number % (h > 9 ? 5 : 10) === 0;
      const label = `<text x="${LABELS - 6}" y="${Math.max(8, middle + 3.5)}" text-anchor="end" fill="currentColor"${isLast ? ' font-weight="bold"' : ""}>${number}</text>`;
      return [
        ...pieces,
        ...letters,
        rect(at, row, 1, outline),
        isLast || isClear ? label : "",
      ].join("");
    });
    const size = `width="${LABELS + columns * w}" height="${rows.length * h}"`;
    const says = `Space and time: steps ${first} to ${step}, a row each, of the cells ${low} to ${high}. The head is in cell ${steps[step].head}, in cell 0 at the start. The list of configurations says the same in words.`;
    const ground = `<rect x="${LABELS}" width="${columns * w}" height="100%" fill="#88888818"/>`;
    made.innerHTML = `<svg role="img" aria-label="${says}" ${size}>${ground}${drawn.join("")}</svg>`;
  }
  made.addEventListener("click", event => {
    const { top } = made.firstChild.getBoundingClientRect();
    onpress(first + Math.floor((event.clientY - top) / h));
  });
  return { element: made, draw };
}

/** Where equal neighbours begin, and how many they are. */
function runs(cells) {
  const found = [];
  cells.forEach((symbol, x) => {
    if (symbol === cells[x - 1]) found.at(-1)[1]++;
    else found.push([x, 1]);
  });
  return found;
}

// ---- the rules as text ----

const FIELDS = { start: "", accept: "accept", reject: "", blank: "_", alphabet: "" }; // and defaults
const HINTS = { start: "of rule 1", reject: "none", alphabet: "all but the blank" };
const LONGEST = 20_000; // characters of rules
const MOST = 2_000; // pairs of a state and a symbol
const OWN = "your own";
const EXAMPLE = `find 1 -> 1 R find      ; 0 for 1 and 1 for 0
find 0 -> 0 R find
find _ -> _ L turn
turn 1 -> 0 L turn
turn 0 -> 1 L turn
turn _ -> _ R accept`;

const usual = ({ rules, blank }) =>
  [...new Set(rules.flatMap(([, read, write]) => [read, write]))].filter(a => a !== blank);

/** What stands in the fields for a machine. */
function fieldsOf(machine) {
  const alphabet = machine.alphabet.join("");
  return {
    start: machine.start === machine.rules[0][0] ? "" : machine.start,
    accept: machine.accept.join(" "),
    reject: machine.reject.join(" "),
    blank: machine.blank,
    alphabet: alphabet === usual(machine).join("") ? "" : alphabet,
  };
}

/** The machine that a text and fields describe, and the lines of its rules; Wrong if there is none. */
function read(rules, { start, accept, reject, blank, alphabet }) {
  if (rules.length > LONGEST)
    throw new Wrong(`${rules.length} characters are too many for the page: at most ${LONGEST}`);
  const symbols = words(alphabet).join("");
  const found = parse(rules, {
    start: start.trim() || null,
    accept: words(accept),
    reject: words(reject),
    blank: blank.trim(),
    alphabet: symbols ? [...new Set(symbols)] : null,
    name: OWN,
  });
  const { states, symbols: tape } = found.machine;
  if (states.length * tape.length > MOST)
    throw new Wrong(
      `${states.length} states with ${tape.length} symbols are too many for the page: at most ${MOST} pairs`,
    );
  compiled(found.machine, WAYS[0]); // where names clash
  return found;
}

const identity = ({ rules, start, accept, reject, blank, alphabet }) =>
  JSON.stringify([rules, start, accept, reject, blank, alphabet]);

/** Rules as an address holds them: the text or, in older links, five words each. */
const rulesOf = text =>
  text.includes("->") ? text : text.replace(/(\S+ \S+) (\S+ \S+ \S+) ?/g, "$1 -> $2\n").trim();

/** The text area with the fields below it. `onchange(name)` says what was typed into. */
function editor(id, onchange) {
  const lines = linesBox({
    rows: 9,
    "aria-describedby": `${id}-wrong ${id}-help`,
    oninput: () => onchange("rules"),
  });
  const { area } = lines;
  const wrong = element("p", { class: "error", id: `${id}-wrong`, hidden: "" });
  const inputs = Object.fromEntries(
    Object.keys(FIELDS).map(name => [
      name,
      textBox({
        placeholder: HINTS[name] ?? "",
        "aria-describedby": `${id}-wrong`,
        oninput: () => onchange(name),
      }),
    ]),
  );
  return {
    element: element(
      "div",
      { class: "rules" },
      labelled("rules, one per line: state read -> write move state", lines.element),
      wrong,
      element(
        "p",
        { class: "caption", id: `${id}-help` },
        "Moves are L, N and R; what follows a ; is a comment, as in chapter 6. The lit rule applies next.",
      ),
      element(
        "div",
        { class: "controls" },
        ...Object.entries(inputs).map(([name, input]) => labelled(name, input)),
      ),
    ),
    text: () => area.value,
    fields: () => Object.fromEntries(Object.entries(inputs).map(([k, input]) => [k, input.value])),
    set(rules, fields) {
      area.value = rules;
      for (const name of Object.keys(FIELDS)) inputs[name].value = fields[name];
      area.scrollTop = 0;
    },
    /** Lights a line, from 1, or none: of the rule that applies, or that is wrong. */
    light: (line, isWrong = false) => lines.light(line, isWrong),
    complain(message) {
      wrong.textContent = message;
      wrong.hidden = !message;
      area.setAttribute("aria-invalid", String(Boolean(message)));
    },
  };
}

// ---- the page ----

const MANY = 100; // steps at once
const FARTHEST = 5000;
const SLICE = 100; // milliseconds after which the page may breathe
const PACE = 250; // of the steps while it plays
const PAUSE = 1500; // in typing, after which an edit is a new one
const STILL = "Your system asks for less motion: nothing plays by itself, the other buttons step.";

const titled = (title, ...inside) => [element("h3", {}, title), ...inside];
const caption = (text, more = {}) => element("p", { class: "caption", ...more }, text);
const able = (made, is) => made.setAttribute("aria-disabled", String(!is));
const isAble = made => made.getAttribute("aria-disabled") !== "true";
/**
 * Fills `root` with the book's machines; gives a function that shows it again. The address holds
 * machine, input, transformer and step: a link that is pasted over it, Back and Forward lead there.
 */
export async function mount(root) {
  const bench = new Bench(root, await playground());
  bench.restore();
  return () => bench.show();
}

class Bench {
  own = { rules: EXAMPLE, fields: FIELDS, input: "110100" };
  lines = null; // of the machine's rules in the text; null while the text is wrong
  way = WAYS[0];
  w = "";
  goal = 0; // the step to be shown, and that which is
  step = 0;
  key = ""; // of what runs
  later = 0;
  playing = 0;
  entry = { field: "", at: 0 };
  boxes = watch();
  calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(root, { machines, longest }) {
    Object.assign(this, { root, longest, programs: machines, machine: machines[0] });
    const id = root.id || "machines";
    this.makeFields(id);
    this.makeSteps(id);
    this.layOut();
    const leave = () => {
      this.boxes.drop();
      this.pause();
    };
    window.addEventListener("popstate", leave);
    window.addEventListener("hashchange", () => {
      leave();
      if (tabAsked() !== "machine") return;
      this.restore();
      if (root.hidden) document.getElementById(root.getAttribute("aria-labelledby"))?.click();
      else this.show();
    });
    this.calm.addEventListener("change", () => {
      this.pause();
      this.draw();
    });
  }

  makeFields(id) {
    this.names = choice([...this.programs.map(({ name }) => name), OWN], this.machine.name, () => {
      this.take(this.names.value);
      this.changed("machine");
    });
    this.ways = choice(WAYS, this.way, () => {
      this.way = this.ways.value;
      this.changed("by", this.goal);
    });
    const describedby = `${id}-input`;
    this.wrongInputs = element("p", { class: "error", id: describedby, hidden: "" });
    this.input = textBox({
      "aria-describedby": describedby,
      oninput: () => {
        const before = this.w;
        this.typed();
        if (this.w !== before) this.changed("input");
      },
    });
    this.form = editor(id, field => this.edited(field));
  }

  makeSteps(id) {
    const to = step => {
      this.pause();
      this.go(step);
    };
    const move = (label, by) =>
      button(label, ({ currentTarget }) => isAble(currentTarget) && to(by()));
    this.again = move("to the start", () => 0);
    this.back = move("one step back", () => this.step - 1);
    this.on = move("one step", () => this.step + 1);
    this.further = move(`${MANY} steps`, () => this.step + MANY);
    this.play = button("play", () => {
      if (!this.playing) return this.start();
      this.pause();
      this.draw();
    });
    const slid = () => to(Number(this.slider.value));
    this.slider = element("input", { type: "range", min: 0, step: 1, oninput: slid });
    this.still = caption(STILL, { id: `${id}-still`, hidden: "" });
    this.busy = caption("", { hidden: "" });
    this.answer = element("output", { class: "answer", "aria-live": "polite" });
    this.band = region("tape", "tape");
    this.spoken = region("words", "outputs");
    this.since = caption("");
    this.stacks = element("p", { class: "stacks" });
    this.list = element("ol", { class: "run" });
    this.space = picture(to);
  }

  layOut() {
    const settings = element(
      "form",
      {
        class: "controls",
        "aria-label": "which machine runs",
        onsubmit: event => event.preventDefault(),
      },
      labelled("machine", this.names),
      labelled("built with", this.ways),
      labelled("input", this.input),
      this.boxes.linkButton(),
    );
    const slider = element("label", {}, element("span", {}, "step"), this.slider);
    const buttons = [this.again, this.back, this.play, this.on, this.further, slider];
    const tape = caption("The head is in the outlined cell; a dot is a blank.");
    const rows = `A row a step, downwards, the last ${ROWS} of them; the head is outlined. Press a row to go there.`;
    const shown = [
      element("div", { class: "steps", role: "group", "aria-label": "steps" }, ...buttons),
      ...[this.still, this.busy, this.answer],
      ...titled("Tape", tape, this.band),
      ...titled("Space and time", caption(rows), this.space.element),
    ];
    const listed = element("div", {}, ...titled("Configurations", this.list));
    const bench = [this.form.element, element("div", {}, ...shown), listed];
    this.root.style.setProperty("--language", "#0072B2");
    this.root.replaceChildren(
      settings,
      this.wrongInputs,
      element("div", { class: "bench" }, ...bench),
      ...titled("The two numbers that are the tape", this.stacks),
      ...titled("What the decoder outputs", this.since, this.spoken),
    );
  }

  // the machine, the text and the input

  typed() {
    const { alphabet, name } = this.machine;
    if (!alphabet.length) this.input.value = "";
    const message = wrongInput(this.input.value, alphabet, this.longest);
    if (!message) this.w = this.input.value;
    else if (wrongInput(this.w, alphabet, this.longest)) this.w = "";
    if (name === OWN) this.own.input = this.w;
    const running = this.w === "" ? "the empty string" : shown(this.w, this.longest);
    this.wrongInputs.textContent = message && `${shown(message, 200)}; still running on ${running}`;
    this.wrongInputs.hidden = !message;
    this.input.setAttribute("aria-invalid", String(Boolean(message)));
  }

  /** Takes a machine of the book, or the reader's own, with the input shown first. */
  take(name, string = null) {
    const program = this.programs.find(one => one.name === name);
    if (program) this.form.set(printed(program), fieldsOf(program));
    else this.form.set(this.own.rules, this.own.fields);
    this.reread();
    if (this.lines) this.w = (program ?? this.own).input;
    this.input.value = string ?? this.w;
    this.typed();
  }

  /** Reads the text: the machine of before goes on until it is right. Says whether it is another. */
  reread() {
    this.lines = null;
    const { form, machine: before } = this;
    try {
      const { machine, lines } = read(form.text(), form.fields());
      this.lines = lines;
      form.complain("");
      const known = this.programs.find(one => identity(one) === identity(machine));
      this.machine = known ?? machine;
      if (!known) this.own = { ...this.own, rules: form.text(), fields: form.fields() };
      return identity(machine) !== identity(before);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      const where = error.line && !error.message.startsWith("line ") ? `line ${error.line}: ` : "";
      form.complain(`${where}${shown(error.message, 400)}; the previous machine keeps running`);
      form.light(error.line, true);
      return false;
    }
  }

  edited(field) {
    if (this.reread()) {
      this.typed();
      this.changed(field);
    } else if (this.lines) this.lit();
  }

  lit() {
    const now = this.run?.steps[this.step];
    if (this.lines) this.form.light(now && now.rule >= 0 ? this.lines[now.rule] : null);
  }

  // the address

  /** Puts what is on screen into the address; of another tab the address is another's. */
  write(push = false) {
    if (this.root.hidden) return;
    const { machine, way, w, step, own } = this;
    const asks = { tab: "machine", machine: machine.name, by: way, input: w, step };
    if (machine.name === OWN) {
      asks.rules = own.rules;
      for (const [name, value] of Object.entries(fieldsOf(machine)))
        if (value !== FIELDS[name]) asks[name] = value;
    }
    remember(asks, push);
  }

  /** Another experiment: Back leads to the last, but not to every letter on the way to this one. */
  changed(field, to = 0) {
    const now = performance.now();
    const goesOn = this.entry.field === field && now - this.entry.at < PAUSE;
    this.entry = { field, at: now };
    this.pause();
    this.goal = this.step = to;
    if (!goesOn) {
      this.boxes.flush();
      this.write(true);
    }
    this.show();
  }

  restore() {
    const found = tabAsked() === "machine" ? inAddress() : {};
    const asks = name => found[name] ?? null;
    this.way = WAYS.includes(asks("by")) ? asks("by") : WAYS[0];
    if (asks("machine") === OWN && asks("rules") !== null) {
      const all = Object.entries(FIELDS).map(([name, usually]) => [name, asks(name) ?? usually]);
      this.own = { rules: rulesOf(asks("rules")), fields: Object.fromEntries(all), input: "" };
      this.take(OWN, asks("input"));
    } else {
      const known = [...this.programs.map(({ name }) => name), OWN].includes(asks("machine"));
      this.take(known ? asks("machine") : this.programs[0].name, asks("input"));
    }
    this.goal = clamp(Math.floor(Number(asks("step"))) || 0, 0, FARTHEST);
    this.entry = { field: "", at: 0 };
  }

  // steps

  go(to) {
    this.goal = clamp(to, 0, FARTHEST);
    this.show();
  }

  start() {
    if (this.calm.matches || !isAble(this.play)) return;
    this.playing = setInterval(() => this.tick(), PACE);
    this.play.textContent = "pause";
    this.answer.setAttribute("aria-live", "off"); // four times a second nobody listens
    this.go(this.step + 1);
  }

  pause() {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = 0;
    this.play.textContent = "play";
    able(this.play, !this.ended() && !this.calm.matches);
    this.answer.setAttribute("aria-live", "polite");
  }

  tick() {
    if (this.root.hidden || document.hidden) this.pause();
    else if (!this.later) this.go(this.step + 1);
  }

  /** Whether the machine has halted at the step that is shown. */
  isLast() {
    return Boolean(this.run?.halted) && this.step === this.run.steps.length - 1;
  }

  ended() {
    return this.step === FARTHEST || this.isLast();
  }

  show() {
    const asks = JSON.stringify([identity(this.machine), this.way, this.w]);
    if (asks !== this.key) {
      this.key = asks;
      this.transformer = compiled(this.machine, this.way);
      this.run = running(this.machine, this.transformer, this.w);
    }
    clearTimeout(this.later);
    this.later = 0;
    const done = this.run.to(this.goal + 1, performance.now() + SLICE); // one more: is this the last?
    this.busy.hidden = done;
    this.answer.setAttribute("aria-busy", String(!done));
    if (!done) {
      this.busy.textContent = `computing: step ${this.run.steps.length - 1} of ${this.goal}`;
      this.later = setTimeout(() => this.show());
      return;
    }
    this.goal = this.step = Math.min(this.goal, this.run.steps.length - 1);
    if (this.ended()) this.pause();
    this.draw();
    this.boxes.changed(() => this.write()); // no more than a few steps in a second
  }

  draw() {
    const { run, step, machine, slider } = this;
    const now = run?.steps[step];
    if (!now) return; // it is being computed
    this.names.value = machine.name;
    this.ways.value = this.way;
    this.input.disabled = machine.alphabet.length === 0;
    for (const made of [this.again, this.back]) able(made, step > 0);
    for (const made of [this.on, this.further]) able(made, !this.ended());
    able(this.play, this.playing || (!this.ended() && !this.calm.matches));
    this.still.hidden = !this.calm.matches;
    slider.max = run.steps.length - 1;
    slider.value = step;
    slider.setAttribute("aria-valuetext", `step ${step} of ${run.steps.length - 1} computed`);
    this.answer.replaceChildren(...this.said(now));
    this.lit();
    this.band.replaceChildren(tapeRow(machine, now));
    this.follow();
    this.space.draw(machine, run.steps, step);
    const [one, two] = now.stacks.map(text);
    const line = element("br");
    this.stacks.replaceChildren(
      `Ψ₁ (from the head on) = ${one}`,
      line,
      `Ψ₂ (left of the head) = ${two}`,
    );
    this.since.textContent = `${step ? "The four outputs of this step" : "From the first output to the first configuration"}: coordinates other than 0, and their value unless it is 1.`;
    this.spoken.replaceChildren(wordsTable(this.transformer.space, now));
    const from = Math.max(0, step - LINES + 1);
    this.list.setAttribute("start", from);
    const listed = run.steps.slice(from, step + 1);
    this.list.replaceChildren(...listed.map(one => element("li", {}, around(one))));
  }

  /** The tape stays where it is until the head comes to its edge. */
  follow() {
    const { band } = this;
    const { offsetLeft, offsetWidth } = band.querySelector(".head");
    const from = offsetLeft - band.scrollLeft;
    if (from < offsetWidth || from + 2 * offsetWidth > band.clientWidth)
      band.scrollLeft = offsetLeft - band.clientWidth / 2;
  }

  said(now) {
    const { machine, step } = this;
    const applies = machine.rules[now.rule];
    const verdict = machine.accept.includes(now.state) ? "accepted" : "not accepted";
    const agrees = now.agrees ? "right" : "wrong";
    const lines = [
      [
        `step ${step}, y${subscript(now.said.at(-1).t)}: state ${shown(now.state ?? "")}${this.isLast() ? `, halted: ${verdict}` : ""}`,
      ],
      [
        applies
          ? `next, by rule ${now.rule + 1}: write ${shown(applies[2])}, move ${applies[3]}, go to ${shown(applies[4])}`
          : "no rule applies here",
      ],
      [
        "every configuration so far is that of the rules: ",
        element("strong", { class: agrees }, agrees),
      ],
    ];
    if (step === FARTHEST && !this.isLast()) lines.push([`the page goes no further`]);
    return lines.flatMap((line, place) => (place ? [element("br"), ...line] : line));
  }
}
