// The workshop: a reader's own transformer, as rows or as a formula that is compiled, is held
// against a language on every string to a length, and comes back with its shortest counterexample.

import { element, labelled, radios, remember, subscript } from "./dom.mjs";
import {
  Amiss,
  BY_FORMULA,
  BY_LIST,
  EMPTY,
  EPS,
  KINDS,
  MOST,
  OWN,
  READINGS,
  asPython,
  built,
  checked,
  fresh,
  languageOf,
  longestOf,
  packed,
  puzzleOf,
  sample,
  unpacked,
} from "./experiment.mjs";
import { fromRows, toRows } from "./format.mjs";
import { LANGUAGES } from "./languages.mjs";
import { shown } from "./pictures.mjs";
import { PUZZLES, restrictions, size } from "./puzzles.mjs";
import { READOUTS, alphabetOf, decide, glance, judged, parse, run } from "./reader.mjs";
import { inWorker, membership } from "./sweep.mjs";

const DRAWN = 40; // symbols of a string that is drawn, and decided with what precision it takes
const DECIDED = 4000; // and of one that is decided if float64 can
const PAUSE = 150; // milliseconds after the last key, before it is checked
const SAID = 2000; // milliseconds that a button says what it did
const STORE = "self-attention-exactly.puzzles";

const GRAMMAR = [
  ["word 1: one", "the embedding of a symbol: here 1 in the coordinate one. Any name will do"],
  ["word CLS: cls", "CLS stands before every string; word EOS: () puts an end tag behind it"],
  ["position i/n: i/n", "what a function of the position i, from 0 at CLS, and of n tokens adds"],
  ["layer", "then its heads, then its feed-forward network"],
  ["head", "gain 2, base 2 and mask future may follow, in the same line"],
  ["q: cls", "what a token asks; k: what it is asked for. Without both, all tokens weigh the same"],
  ["s <- 2·x - 1/2·y", "what the head averages, and the coordinate that it is added to"],
  ["feed-forward", "then units h1 = x - 1/2, each max(0, this), and s <- h1 - 2·h2"],
  ["rewrites: x", "below layer; what is not named here may be written once only"],
  ["output: s - 1/2", "accepted where this is above 0, at CLS"],
  ["read: last", "at the last token instead"],
  ["()", "nothing, 0. A number alone stands in units and in the output; elsewhere 1 is a name"],
  ["# ...", "a remark"],
];

// ---- words ----

const quoted = w => (w === "" ? "the empty string" : `“${w}”`);
const number = new Intl.NumberFormat("en");
const plural = (count, what) => `${number.format(count)} ${what}${count === 1 ? "" : "s"}`;
const sizeText = ({ layers, heads, coordinates, coefficients }) =>
  `${plural(layers, "layer")}, ${plural(heads, "head")}, ${plural(coordinates, "coordinate")}, ${plural(coefficients, "nonzero coefficient")}`;

const nameOf = state =>
  puzzleOf(state)
    ? "the language of this puzzle"
    : ({
        [OWN]: "the language of its formula",
        [BY_FORMULA]: "the language of the formula",
        [BY_LIST]: "the list",
      }[state.language] ?? state.language);

const length = w => [...w].length;
const briefly = w =>
  length(w) > DRAWN
    ? `“${[...w].slice(0, 12).join("")}…${[...w].slice(-12).join("")}” (${length(w)} symbols)`
    : quoted(w);

/** What happened to a string that was not decided as it should be. */
const mistake = (w, accepts, name) =>
  accepts === null
    ? `${briefly(w)} is not decided: no precision that was tried tells the sign of its logit.`
    : `${briefly(w)} is ${accepts ? "accepted, but is not" : "rejected, but is"} in ${name}.`;

/** Whether a string is accepted, where float64 proves it; else null. */
const quick = ({ json, options }, w) => judged(json, glance(json, options)(w));

// ---- what is kept in the browser ----

/** What a reader solved, by puzzle: the size of the smallest solution; nothing where none is kept. */
function solved() {
  try {
    const found = JSON.parse(localStorage.getItem(STORE));
    const names = Object.keys(size(EMPTY_CONSTRUCTION));
    const isSize = value => names.every(name => Number.isSafeInteger(value?.[name]));
    return Object.fromEntries(
      PUZZLES.filter(({ id }) => isSize(found?.[id])).map(({ id }) => [id, found[id]]),
    );
  } catch {
    return {};
  }
}
const EMPTY_CONSTRUCTION = { space: [], word: {}, position: {}, layers: [], output: {} };

function keep(progress) {
  try {
    localStorage.setItem(STORE, JSON.stringify(progress));
  } catch {
    // nothing is kept, and all else works
  }
}

// ---- pieces of page ----

const box = attributes => ({
  dir: "ltr",
  spellcheck: "false",
  autocapitalize: "off",
  autocomplete: "off",
  ...attributes,
});
const field = (label, control, attributes = {}) =>
  element("label", attributes, element("span", {}, label), control);
const options = names => names.map(name => element("option", { value: name }, name));
const select = (names, onchange) => element("select", { onchange }, ...options(names));
const button = (text, onclick, attributes = {}) =>
  element("button", { type: "button", onclick, ...attributes }, text);

/** A box of lines, of which one may be lit, and what is wrong in it. */
function editor(id, label, rows, oninput, onkeydown) {
  const area = element(
    "textarea",
    box({ id, rows, wrap: "off", maxlength: MOST, oninput, onkeydown, onscroll: () => place() }),
  );
  const mark = element("span", { class: "mark amiss", "aria-hidden": "true", hidden: "" });
  let line = null;
  function place() {
    mark.hidden = line === null;
    if (line === null) return;
    const style = getComputedStyle(area);
    const height = parseFloat(style.lineHeight);
    const top = parseFloat(style.paddingTop) + parseFloat(style.borderTopWidth);
    mark.style.height = `${height}px`;
    mark.style.top = `${top + (line - 1) * height - area.scrollTop}px`;
  }
  return {
    area,
    element: field(label, element("span", { class: "lined" }, mark, area)),
    light(to) {
      line = to;
      place();
    },
  };
}

const cell = x => {
  const made = element("td", x ? { class: x < 0 ? "minus" : "plus" } : {}, shown(x));
  if (x) made.style.setProperty("--share", Math.sqrt(Math.min(1, Math.abs(x))).toFixed(2));
  return made;
};
const row = (name, values) =>
  element(
    "tr",
    {},
    element("th", { scope: "row", title: name }, name),
    ...Array.from(values, cell),
  );
const same = (a, b) => a !== undefined && a.every((x, i) => Object.is(x, b[i]));

/**
 * A run as one table: a column for each token, and for each sublayer what it wrote; before that,
 * where the token at `from` looks. Pressing a token makes it the one that looks.
 */
function traceTable({ tokens, stages, attention }, from, onfrom) {
  const heads = tokens.map((token, i) =>
    element(
      "th",
      { scope: "col" },
      button(token + subscript(i), () => onfrom(i), {
        "aria-pressed": String(i === from),
        "aria-label": `attention from ${token} at position ${i}`,
      }),
    ),
  );
  const part = (title, rows) =>
    element(
      "tbody",
      {},
      element("tr", {}, element("th", { scope: "rowgroup", colspan: tokens.length + 1 }, title)),
      ...rows,
    );
  let before = {};
  const parts = stages.map(({ title, stream }) => {
    const layer = Number(/^attention (\d+)$/.exec(title)?.[1]);
    const looks = attention
      .filter(head => head.layer === layer)
      .map(({ head, weights }) =>
        row(`head ${head} looks, from ${tokens[from]}${subscript(from)}`, weights[from]),
      );
    looks.forEach(tr => tr.classList.add("looks"));
    const written = Object.keys(stream).filter(name => !same(before[name], stream[name]));
    before = stream;
    return part(`after ${title}`, [...looks, ...written.map(name => row(name, stream[name]))]);
  });
  return element(
    "table",
    { class: "numbers" },
    element("caption", {}, "What each sublayer wrote. Press a token to see where it looks."),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "token"), ...heads)),
    ...parts,
  );
}

// ---- the page ----

/**
 * Fills `root` with the workshop for `data`, the JSON that the book's build writes; gives a function
 * that shows it again. The address holds all of it: a link that is pasted over it, Back and Forward
 * lead there.
 */
export function mount(root, data, address = window.location) {
  let progress = solved();
  let state = fresh((PUZZLES.find(({ id }) => !progress[id]) ?? PUZZLES[0]).id);
  let made = null; // of the state: {json, options, isExact}, or null where something is amiss
  let from = null; // the position whose attention is drawn; null for that which is read
  let sweeping = null; // what stops the sweep
  let timer = 0;
  const drafts = new Map(); // what was typed into each puzzle
  const tried = new Set();

  // ---- the address ----

  let writes = 0;
  let pushes = false;
  /** Puts the state into the address; with `push`, Back leads to what was there before. */
  async function write(push = false) {
    pushes ||= push;
    const turn = ++writes;
    const before = address.hash;
    const x = await packed(state);
    if (turn !== writes || root.hidden || address.hash !== before) return; // a link was followed
    remember({ tab: "workshop", x }, pushes);
    pushes = false;
  }

  /** Makes the state what the address says: a whole one, or where to begin. */
  async function restore() {
    const turn = ++writes;
    pushes = false;
    const { x, puzzle, example } = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
    const model = data.models?.find(({ name }) => name === example);
    let found = model ? exampleOf(model) : fresh(puzzleOf({ puzzle })?.id ?? state.puzzle);
    let isDamaged = false;
    if (x)
      try {
        found = await unpacked(x);
      } catch {
        isDamaged = true;
      }
    if (turn !== writes) return;
    if (x || model || puzzle) set(found);
    if (!x || isDamaged) write();
    if (isDamaged) say("This link is damaged: here is a fresh start.", "undecided");
    else if (state.judged) judge();
  }

  const exampleOf = ({ language, variants, example, alphabet }) => ({
    ...fresh(),
    rows: toRows(variants.published),
    language,
    w: example ?? sample(alphabet ?? "01"),
  });

  // ---- controls ----

  const list = radios("puzzles", to => choosePuzzle(PUZZLES[to]?.id ?? ""), { class: "steps" });
  const count = element("span", { class: "count" });
  const title = element("h3", {});
  const task = element("p", { class: "task" });
  const rules = element("ul", { class: "allowed", "aria-label": "what it may have" });
  const best = element("p", { class: "best" });
  const hint = element("p", {});
  const hints = element("details", { class: "hint" }, element("summary", {}, "hint"), hint);
  const reveal = button("show a solution", () => showSolution(answer.hidden));
  const solution = element("pre", { tabindex: "0", "aria-label": "a solution" });
  const why = element("p", {});
  const answer = element(
    "div",
    { class: "solution", hidden: "" },
    why,
    solution,
    button("put it into the box", () => set({ rows: puzzleOf(state).solution }, true)),
  );
  const card = element(
    "section",
    { class: "puzzle" },
    title,
    task,
    rules,
    best,
    hints,
    reveal,
    answer,
  );

  const examples = element(
    "select",
    { onchange: () => chooseExample(examples.value) },
    element("option", { value: "" }, "choose"),
    element(
      "optgroup",
      { label: "rows" },
      ...(data.models ?? []).map(({ name }) => element("option", { value: `rows ${name}` }, name)),
    ),
    element(
      "optgroup",
      { label: "formulas" },
      ...Object.keys(data.formulas ?? {}).map(name =>
        element("option", { value: `formula ${name}` }, name),
      ),
    ),
  );
  const ways = radios("made of", to => chooseWay(["rows", "formula"][to]), { class: "steps" });
  const own = element(
    "section",
    { class: "puzzle" },
    element("h3", {}, "An experiment of your own"),
    element(
      "p",
      { class: "task" },
      "Write a transformer, as rows or as a formula that is compiled, and say which language it should decide.",
    ),
    element("div", { class: "controls" }, ways, labelled("start from", examples)),
  );

  const judgeKey = event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) judge();
  };
  const rows = editor(
    "workshop-rows",
    "rows",
    22,
    () => typed({ rows: rows.area.value }),
    judgeKey,
  );
  const formula = element(
    "input",
    box({ type: "text", maxlength: MOST, oninput: () => typed({ formula: formula.value }) }),
  );
  const symbols = element(
    "input",
    box({ type: "text", maxlength: 20, oninput: () => typed({ symbols: symbols.value }) }),
  );
  const kind = select(KINDS, () => set({ kind: kind.value, ...READINGS[kind.value] }, true));
  const byFormula = element(
    "div",
    { class: "controls" },
    field("formula", formula, { class: "wide" }),
    field("alphabet", symbols),
    field("kind of attention", kind),
    button("as rows", () => asRows()),
  );
  const amiss = element("p", { class: "error", id: "workshop-amiss" });

  const attention = select(["softmax", "hardmax"], () => set({ attention: attention.value }, true));
  const eps = select(Object.keys(EPS), () => set({ eps: eps.value }, true));
  const logn = element("input", {
    type: "checkbox",
    onchange: () => set({ logn: logn.checked ? "1" : "" }, true),
  });
  const language = select([], () => set({ language: language.value }, true));
  const said = element(
    "input",
    box({ type: "text", maxlength: MOST, oninput: () => typed({ said: said.value }) }),
  );
  const strings = editor(
    "workshop-list",
    `strings, one a line; ${EMPTY} is the empty one`,
    6,
    () => typed({ list: strings.area.value }),
    judgeKey,
  );
  const saidField = field("which strings belong to it", said, { class: "wide" });
  const reading = element(
    "fieldset",
    {},
    element("legend", {}, "read with"),
    field("attention", attention),
    field("normalization, ε", eps),
    field("logits times log n", logn),
  );
  const against = element(
    "fieldset",
    {},
    element("legend", {}, "held against"),
    field("language", language),
    saidField,
    strings.element,
  );
  for (const control of [rows.area, formula, symbols, said, strings.area, attention])
    control.setAttribute("aria-describedby", amiss.id);
  const boxes = { rows: rows.area, formula, said, list: strings.area, reading: attention };

  const sized = element("p", { class: "sized" });
  const judgeButton = button("judge", () => judge(), { class: "judge" });
  const cancel = button("cancel", () => stop("Cancelled."), { disabled: "" });
  const bar = element("progress", { max: "1", value: "0", "aria-label": "strings tried" });
  const tries = element("span", { class: "tries" });
  const verdict = element("output", { class: "verdict", "aria-live": "polite" });
  const next = element("div", { class: "steps next" });
  const code = element("textarea", {
    class: "code",
    rows: 8,
    readonly: "",
    hidden: "",
    "aria-label": "to copy",
  });
  const copyPython = button("copy as Python", () => copy(copyPython, () => asPython(state)));
  const copyLink = button("copy link", () => copy(copyLink, link));
  const again = button("start over", () => set({ rows: puzzleOf(state).start }, true));

  const traced = element(
    "input",
    box({ type: "text", maxlength: MOST, oninput: () => typed({ w: traced.value }) }),
  );
  const decided = element("p", { class: "decided" });
  const drawing = element("div", {
    class: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": "trace",
  });

  // ---- what is done ----

  /** Changes the state and shows it; with `push`, as a step that Back takes back. */
  function set(change, push = null) {
    stop();
    clearTimeout(timer);
    const wasJudged = state.judged;
    state = checked({ ...state, judged: "", ...change });
    say("");
    next.replaceChildren();
    showControls();
    check();
    if (push !== null) write(push || Boolean(wasJudged));
  }

  /** The same for what is typed, a moment later; a verdict that was there is a step back from now. */
  function typed(change) {
    stop();
    clearTimeout(timer);
    if (state.judged) pushes = true;
    if (verdict.textContent) say("");
    next.replaceChildren();
    Object.assign(state, change, { judged: "" });
    if (state.puzzle) drafts.set(state.puzzle, state.rows);
    timer = setTimeout(() => {
      check();
      write();
    }, PAUSE);
  }

  function choosePuzzle(id) {
    if (id === state.puzzle) return;
    drafts.set(state.puzzle, state.puzzle ? state.rows : { ...state, judged: "" });
    const draft = drafts.get(id);
    set(id ? { ...fresh(id), ...(draft && { rows: draft }) } : (draft ?? ownStart()), true);
  }

  const ownStart = () => {
    const [first] = data.models ?? [];
    return first ? exampleOf(first) : { ...fresh(), rows: PUZZLES[0].start };
  };

  function chooseExample(value) {
    examples.value = "";
    const [way, ...rest] = value.split(" ");
    const name = rest.join(" ");
    const model = data.models?.find(known => known.name === name);
    if (way === "rows" && model) set(exampleOf(model), true);
    if (way === "formula") {
      const [alphabet, text] = data.formulas[name];
      set(
        {
          ...{ made: "formula", formula: text, symbols: alphabet, language: OWN },
          w: sample([...alphabet]),
          ...READINGS[state.kind],
        },
        true,
      );
    }
  }

  function chooseWay(way) {
    if (way === state.made) return;
    const change = way === "formula" ? { language: OWN, ...READINGS[state.kind] } : {};
    if (way === "rows" && !state.rows) change.rows = ownStart().rows;
    set({ made: way, ...change }, true);
  }

  /** The compiled construction as rows, held against the same formula. */
  function asRows() {
    if (!made) return;
    const said = state.language === OWN ? { language: BY_FORMULA, said: state.formula } : {};
    set({ made: "rows", rows: toRows(made.json), ...said }, true);
    rows.area.focus();
  }

  /** What is wrong, if anything, and what follows from what is typed. */
  function check() {
    let wrong = null;
    made = null;
    try {
      made = built(state);
      languageOf(state, alphabetOf(made.json));
      const puzzle = puzzleOf(state);
      const broken = puzzle && restrictions(puzzle, made.json).find(({ instead }) => instead);
      if (broken)
        throw new Amiss(`the puzzle says “${broken.text}”, and ${broken.instead}`, "rows");
    } catch (error) {
      wrong = error instanceof Amiss ? error : new Amiss(error.message, null);
    }
    for (const [name, control] of Object.entries(boxes))
      control.setAttribute("aria-invalid", String(wrong?.box === name));
    rows.light(wrong?.box === "rows" ? wrong.line : null);
    strings.light(wrong?.box === "list" ? wrong.line : null);
    amiss.textContent = wrong?.message ?? "";
    sized.textContent = made ? sizeText(size(made.json)) : "";
    showRules();
    draw();
    return wrong;
  }

  /** A verdict: what is wrong, or every string, in a worker. */
  async function judge() {
    stop();
    clearTimeout(timer);
    next.replaceChildren();
    const wrong = check();
    const puzzle = puzzleOf(state);
    if (puzzle && made) tried.add(puzzle.id);
    showRules();
    if (wrong) {
      say(`Not judged: ${wrong.message}`, "wrong");
      boxes[wrong.box]?.focus();
      return;
    }
    state.judged = "1";
    write();
    const { json, options, isExact } = made;
    const alphabet = alphabetOf(json);
    const longest = longestOf(alphabet.length);
    const total =
      (alphabet.length ** (longest + 1) - 1) / (alphabet.length - 1 || 1) || longest + 1;
    const held = languageOf(state, alphabet);
    say("");
    const task = inWorker(json, held, { longest, options, alphabet }, report);
    sweeping = task.stop;
    cancel.disabled = false;
    bar.value = 0;
    function report({ length, strings }) {
      if (sweeping !== task.stop) return;
      bar.value = strings / total;
      tries.textContent = `${number.format(strings)} strings, length ${length}`;
    }
    try {
      const result = await task.answer;
      if (sweeping !== task.stop) return;
      if (result.counterexample === null && puzzle) {
        const mistaken = await firstMistake(puzzle, json, () => sweeping === task.stop);
        if (sweeping !== task.stop) return;
        bar.value = 1;
        finish();
        if (mistaken) tooShort(mistaken, result);
        else celebrate(puzzle, json, result);
        return;
      }
      bar.value = 1;
      finish();
      if (result.counterexample !== null) blame(result);
      else praise(result, isExact && state.language === OWN);
    } catch (error) {
      if (sweeping !== task.stop) return;
      finish();
      say(`It could not be judged: ${error.message}`, "undecided");
    }
  }

  function finish() {
    sweeping = null;
    cancel.disabled = true;
    tries.textContent = "";
  }

  function stop(message = null) {
    if (!sweeping) return;
    sweeping();
    finish();
    bar.value = 0;
    if (message) say(message, "undecided");
  }

  function say(text, how = "") {
    verdict.dataset.is = how;
    verdict.textContent = text;
  }

  function blame({ counterexample: w, kind, decision, strings }) {
    say(
      `${kind === "undecided" ? "Undecided" : "Wrong"}: ${mistake(w, decision.accepts, nameOf(state))} ${w === "" ? "" : `No shorter string is decided wrongly; ${plural(strings, "string")} tried.`}`,
      kind,
    );
    offer(w);
  }

  const rightOn = ({ strings, longest }) =>
    `right on all ${plural(strings, "string")} to length ${longest} (each decided exactly)`;

  function praise(result, isProved) {
    const found = rightOn(result);
    say(
      isProved
        ? `Proved for every length, by its margins; and ${found}.`
        : `${found[0].toUpperCase()}${found.slice(1)}.`,
      "right",
    );
  }

  function tooShort({ w, accepts }, result) {
    say(`It is ${rightOn(result)}, but ${mistake(w, accepts, nameOf(state))}`, "wrong");
    offer(w);
  }

  function celebrate(puzzle, json, result) {
    const now = size(json);
    const before = progress[puzzle.id];
    if (!before || now.coefficients < before.coefficients) progress[puzzle.id] = now;
    keep(progress);
    const known = size(fromRows(puzzle.solution));
    const beaten = now.coefficients < known.coefficients;
    say(
      `Solved: ${rightOn(result)}, and on ${puzzle.longer.length} longer ones, of up to ${number.format(Math.max(...puzzle.longer.map(([w]) => w.length)))} symbols. ${beaten ? "Smaller than the best known!" : ""}`,
      "right",
    );
    showRules();
    const to = PUZZLES[PUZZLES.indexOf(puzzle) + 1];
    if (to)
      next.replaceChildren(
        button(`next puzzle: ${to.title}`, () => {
          choosePuzzle(to.id);
          list.querySelector('[aria-checked="true"]').focus();
        }),
      );
  }

  /** The first of a puzzle's longer strings that is not decided rightly; the page breathes between. */
  async function firstMistake({ longer, options }, json, goesOn) {
    for (const [w, belongs] of longer) {
      await new Promise(done => setTimeout(done));
      if (!goesOn()) return null;
      const accepts = quick({ json, options }, w) ?? decide(json, w, options).accepts;
      if (accepts !== belongs) return { w, accepts };
    }
    return null;
  }

  const offer = w =>
    next.replaceChildren(
      button(`trace ${briefly(w)}`, () => {
        state.w = w;
        traced.value = w;
        draw();
        write();
        traced.focus();
      }),
    );

  async function copy(from, text) {
    const label = from.textContent;
    let made = "";
    try {
      made = await text();
    } catch (error) {
      say(`Nothing was copied: ${error.message}`, "undecided");
      return;
    }
    try {
      await navigator.clipboard.writeText(made);
      code.hidden = true;
      from.textContent = "copied";
      setTimeout(() => {
        from.textContent = label;
      }, SAID);
    } catch {
      code.hidden = false;
      code.value = made;
      code.focus();
      code.select();
    }
  }

  async function link() {
    clearTimeout(timer);
    await write();
    return address.href;
  }

  // ---- what is seen ----

  function showControls() {
    const puzzle = puzzleOf(state);
    card.hidden = !puzzle;
    own.hidden = Boolean(puzzle);
    rows.element.hidden = !puzzle && state.made !== "rows";
    byFormula.hidden = Boolean(puzzle) || state.made !== "formula";
    reading.hidden = against.hidden = Boolean(puzzle);
    again.hidden = !puzzle;
    help.hidden = rows.element.hidden;
    if (puzzle) {
      title.textContent = `${PUZZLES.indexOf(puzzle) + 1}. ${puzzle.title}`;
      task.textContent = puzzle.task;
      hint.textContent = puzzle.hint;
      hints.open = false;
      showSolution(false);
    }
    ways.show(["rows", "a formula"], state.made === "rows" ? 0 : 1);
    const known = [
      ...(state.made === "formula" ? [OWN] : []),
      ...Object.keys(LANGUAGES),
      BY_FORMULA,
      BY_LIST,
    ];
    if (known.join() !== [...language.options].map(({ value }) => value).join())
      language.replaceChildren(...options(known));
    const values = [
      [rows.area, state.rows],
      [formula, state.formula],
      [symbols, state.symbols],
      [kind, state.kind],
      [attention, state.attention],
      [eps, state.eps],
      [language, state.language],
      [said, state.said],
      [strings.area, state.list],
      [traced, state.w],
    ];
    for (const [control, value] of values) if (control.value !== value) control.value = value;
    rows.area.rows = Math.max(8, Math.min(26, state.rows.split("\n").length + 1));
    logn.checked = state.logn === "1";
    saidField.hidden = state.language !== BY_FORMULA;
    strings.element.hidden = state.language !== BY_LIST;
  }

  /** The puzzle's restrictions, whether they are kept, and sizes. */
  function showRules() {
    list.show(
      [...PUZZLES.map(({ id }, i) => `${i + 1}${progress[id] ? " ✓" : ""}`), "your own"],
      state.puzzle ? PUZZLES.findIndex(({ id }) => id === state.puzzle) : PUZZLES.length,
      [
        ...PUZZLES.map(
          ({ id, title }, i) => `puzzle ${i + 1}: ${title}${progress[id] ? ", solved" : ""}`,
        ),
        "an experiment of your own",
      ],
    );
    count.textContent = `${Object.keys(progress).length} of ${PUZZLES.length} solved`;
    const puzzle = puzzleOf(state);
    if (!puzzle) return;
    rules.replaceChildren(
      ...[{ text: readText(puzzle.options) }, ...restrictions(puzzle, made?.json)]
        .filter(({ isPlain }) => !isPlain)
        .map(({ text, instead }) => element("li", instead ? { class: "broken" } : {}, text)),
    );
    const mine = progress[puzzle.id];
    best.replaceChildren(
      `Best known: ${sizeText(size(fromRows(puzzle.solution)))}.`,
      element("br"),
      mine ? `Solved. Your smallest: ${sizeText(mine)}.` : "Not solved yet.",
    );
    const may = tried.has(puzzle.id) || Boolean(mine);
    reveal.disabled = !may;
    reveal.textContent = may ? "show a solution" : "show a solution (after one try)";
  }

  function showSolution(shows) {
    const puzzle = puzzleOf(state);
    answer.hidden = !shows;
    reveal.setAttribute("aria-expanded", String(shows));
    solution.textContent = shows ? puzzle.solution : "";
    why.textContent = shows ? `Why it is right at every length: ${puzzle.why}` : "";
  }

  const readText = ({ attention, logN }) =>
    `read with ${attention}${logN ? ", logits times log n" : ""}`;

  let drawn = 0;
  /** The string that is traced: what is decided, and every number on the way. */
  async function draw() {
    const turn = ++drawn;
    const { w } = state;
    if (!made) {
      decided.textContent = "";
      drawing.replaceChildren();
      return;
    }
    const alphabet = alphabetOf(made.json);
    const strange = [...w].find(a => !alphabet.includes(a));
    if (strange !== undefined || length(w) > DECIDED) {
      decided.textContent =
        strange === undefined
          ? `Strings of up to ${number.format(DECIDED)} symbols are traced.`
          : `${strange} is no symbol: there are ${alphabet.join(", ") || "none"}.`;
      drawing.replaceChildren();
      return;
    }
    try {
      const isShort = length(w) <= DRAWN;
      const { accepts, text } = isShort
        ? decide(made.json, w, made.options)
        : { accepts: quick(made, w), text: "" };
      const answer = accepts === null ? "undecided" : accepts ? "accepted" : "rejected";
      decided.textContent = `${briefly(w)}: ${answer}${text && ` (logit ${text.replaceAll("-", "−")})`}.`;
      if (isShort) drawTable();
      else drawing.replaceChildren(`Up to ${DRAWN} symbols are drawn.`);
      const belongs = await membership(languageOf(state, alphabet));
      if (turn !== drawn || accepts === null) return;
      decided.append(accepts === belongs(w) ? " That is right." : " That is wrong.");
    } catch (error) {
      if (turn === drawn) decided.textContent = error.message;
    }
  }

  function drawTable() {
    const result = run(parse(made.json), state.w, made.options);
    const n = result.tokens.length;
    if (from >= n) from = null;
    const focused = drawing.contains(document.activeElement);
    drawing.replaceChildren(
      traceTable(result, from ?? READOUTS[made.json.readout](n), i => {
        from = i;
        drawTable();
      }),
    );
    if (focused) drawing.querySelector('[aria-pressed="true"]')?.focus();
  }

  const help = element(
    "details",
    { class: "grammar" },
    element("summary", {}, "how rows are written"),
    element(
      "dl",
      {},
      ...GRAMMAR.flatMap(([example, meaning]) => [
        element("dt", {}, element("code", {}, example)),
        element("dd", {}, meaning),
      ]),
    ),
  );

  root.replaceChildren(
    element(
      "div",
      { class: "workshop" },
      element("div", { class: "puzzles" }, element("strong", {}, "Puzzles "), count, list),
      card,
      own,
      element(
        "form",
        { "aria-label": "a transformer", onsubmit: event => event.preventDefault() },
        rows.element,
        byFormula,
        amiss,
        sized,
        help,
        element("div", { class: "controls" }, reading, against),
      ),
      element("div", { class: "steps" }, judgeButton, cancel, bar, tries),
      verdict,
      next,
      element("div", { class: "steps" }, copyPython, copyLink, again),
      code,
      element("h3", {}, "Trace"),
      field("string", traced, { class: "traced" }),
      decided,
      drawing,
    ),
  );

  const isHere = () => new URLSearchParams(address.hash.slice(1)).get("tab") === "workshop";
  window.addEventListener("hashchange", () => {
    if (!isHere()) return;
    if (root.hidden) document.getElementById(root.getAttribute("aria-labelledby"))?.click();
    else restore();
  });
  set({});
  return () => {
    if (isHere()) restore();
    else write(true);
  };
}
