// What chapters open with: one control and one picture, of the playground's own modules. Each element
// <div class="live" data-live="..."> is filled; what stood in it is for pages without scripts.

import { button, choice, element, number, playground, row, shown, table, textBox } from "./dom.mjs";
import { decide, parse, run, withGain } from "./reader.mjs";

const says = sign => (sign === null ? "undecided" : sign ? "accepted" : "rejected");
/** What is said of a string, and whether it is wrong, as pieces of page. */
const judged = (accepts, inside) =>
  accepts === null || accepts === inside
    ? [says(accepts)]
    : [`${says(accepts)}, `, element("strong", { class: "wrong" }, "wrong")];
const status = () => element("p", { role: "status" });
const picture = (attributes = {}) => element("div", attributes);
const minus = text => text.replaceAll("-", "−");

/** A form of a model of the data, with a gain, and how it is read. */
function form(data, name, { variant = "published", c = 1, ...reading } = {}) {
  const { variants } = data.models.find(model => model.name === name);
  return parse({ ...withGain(variants[variant], c), reading });
}

function slider(label, attributes, oninput) {
  const shows = element("output", {});
  const input = element("input", { type: "range", step: "1", ...attributes });
  const show = () => {
    shows.textContent = oninput(Number(input.value)) ?? input.value;
  };
  input.addEventListener("input", show);
  return [element("label", {}, label, input, shows), show];
}

/** A table of shares with a line at one half: rows of [name, share, text]. */
function bars(label, rows) {
  const drawn = rows.map(([name, share, text]) => {
    const bar = element("i", { style: `width:${(100 * share).toFixed(1)}%` });
    return row(name, [element("span", { class: "bar" }, bar), text]);
  });
  return element("table", { "aria-label": label }, element("tbody", {}, ...drawn));
}

/** Buttons for the symbols of a string; each press turns a symbol and shows the string anew. */
function bits(start, show, { label = "symbols", one = "symbol", signs = "01" } = {}) {
  let w = start;
  const press = i => {
    w = w.slice(0, i) + (w[i] === "1" ? "0" : "1") + w.slice(i + 1);
    turned();
  };
  const buttons = [...w].map((_, i) => button("", () => press(i)));
  const turned = () => {
    buttons.forEach((made, i) => {
      made.textContent = signs[w[i]];
      made.setAttribute("aria-label", `${one} ${i + 1} is ${signs[w[i]]}`);
      made.classList.toggle("turned", w[i] === "1");
    });
    show(w);
  };
  const attributes = { class: "symbols", role: "group", "aria-label": label };
  return [element("div", attributes, ...buttons), turned];
}

const ones = w => [...w].filter(a => a === "1").length;

/** The position that PARITY's first layer marks. */
function markedPosition({ stages, tokens }) {
  const mark = stages.find(({ title }) => title === "feed-forward 1").stream["[i=k]/n"];
  return mark.findIndex(x => x > 0.5 / tokens.length);
}

const columns = n => `display: grid; grid-template-columns: 3.4rem repeat(${n}, minmax(0, 3.2rem))`;

/** The positions of n tokens, the marked one on. */
const places = (n, on) =>
  `<ol class="places" aria-label="positions" style="${columns(n)}"><li aria-hidden="true" style="border: 0; text-align: left">position</li>${Array.from({ length: n }, (_, i) => `<li${i === on ? ' class="on"' : ""}>${i}<br>${i % 2 ? "odd" : "even"}</li>`).join("")}</ol>`;

/** Puts each button above the position of its symbol, and CLS, the token in front, above 0. */
function aboveTheirPlaces(symbols) {
  const style = "justify-self: start; font-size: 0.75rem";
  symbols.style.cssText = `${columns(symbols.childElementCount + 1)}; gap: 2px; place-items: center`;
  symbols.prepend(element("span", { style }, "symbol"), element("span", {}, "CLS"));
}

/** What two heads give the marked position, and the score; with constants, a choice of c. */
function twoHeads(data, start, constants) {
  const chart = picture({ role: "status" });
  const board = picture();
  const constant = choice(constants, "1", () => show());
  const [symbols, show] = bits(start, w => {
    const construction = form(data, "PARITY", { c: constant.value });
    const ran = run(construction, w);
    const k = markedPosition(ran);
    const n = ran.tokens.length;
    const [odd, even] = ran.attention.slice(1).map(({ weights }) => weights[0][k]);
    board.innerHTML = places(n, k);
    const { accepts } = decide(construction.json, w);
    const isOdd = ones(w) % 2 === 1;
    const weights = bars("attention weights of the marked position", [
      ["head for odd positions", odd, `weight ${odd.toFixed(3)}`],
      ["head for even positions", even, `weight ${even.toFixed(3)}`],
    ]);
    const s = `(${odd.toFixed(3)} − ${even.toFixed(3)})/${n} = ${minus(((odd - even) / n).toFixed(3))}`;
    const mark = `${k} of ${n} tokens are 1s, so position ${k} gets a mark of height 1/${n}. Score s = ${s}: `;
    const verdict = element("b", {}, ...judged(accepts, isOdd));
    chart.replaceChildren(weights, element("p", {}, mark, verdict, "."));
  });
  show();
  aboveTheirPlaces(symbols);
  const chosen = constants.length > 1 ? [element("label", {}, "c", constant)] : [];
  return [symbols, board, ...chosen, chart];
}

/** The landing page. */
const parity = (root, data) => [
  element("p", {}, "Is the number of 1s odd? A transformer answers. Press a symbol."),
  ...twoHeads(data, "011010", [["1", "1"]]),
];

/** Chapter 2: what the constant c does to that. */
const heads = (root, data) =>
  twoHeads(
    data,
    "110",
    ["1", "3", "0", "-1"].map(c => [c, minus(c)]),
  );

/** Chapter 1: each unit says whether there are at least so many 1s. */
function thermometer() {
  const units = picture();
  const said = status();
  const [symbols, show] = bits("1011", w => {
    const k = ones(w);
    const unit = j =>
      `<li${j <= k ? ' class="on"' : ""}>≥ ${j}?<br>${j <= k ? (j % 2 ? "+1" : "−1") : "0"}</li>`;
    const all = [...w].map((_, i) => i + 1);
    units.innerHTML = `<ol class="places" aria-label="units">${all.map(unit).join("")}</ol>`;
    const sum = all.map(j => `${j === 1 ? "" : j % 2 ? " + " : " − "}${j <= k ? 1 : 0}`).join("");
    said.innerHTML = `${sum} = ${k % 2}: ${k} ones, an ${k % 2 ? "odd" : "even"} number, <b>${says(k % 2 === 1)}</b>.`;
  });
  show();
  return [
    element("p", {}, "Each unit asks whether there are at least so many 1s. Press a symbol."),
    symbols,
    units,
    said,
  ];
}

/** Chapter 5: an average does not change if a grid is repeated, unless one token stays alone. */
function grid() {
  const chart = picture({ role: "status" });
  const twice = element("input", { type: "checkbox", onchange: () => show() });
  const start = element("input", { type: "checkbox", onchange: () => show() });
  const squares = { label: "squares", one: "square", signs: "□■" };
  const paint = w => {
    const times = twice.checked ? 4 : 1;
    const count = times * ones(w);
    const size = times * w.length;
    const alone = count / (count + 1);
    const ofAll = [
      "of all squares",
      count / size,
      `${count} of ${size} = ${(count / size).toFixed(3)}`,
    ];
    const ofOne = `${count} of ${count + 1} = ${alone.toFixed(3)}`;
    const shares = start.checked ? ["of the colour and the start token", alone, ofOne] : ofAll;
    chart.replaceChildren(bars("what attention delivers", [shares]));
  };
  const [board, show] = bits("100100100", paint, squares);
  show();
  return [
    element(
      "p",
      {},
      "Paint squares. How many are there of your colour? Attention delivers an average:",
    ),
    board,
    element("label", {}, twice, "repeat each square two by two"),
    element("label", {}, start, "attend to the colour and to one start token"),
    chart,
  ];
}

/** Chapter 3: how sure PARITY's transformer is, by length. */
function norm(root, data) {
  const forms = [
    ["as published", form(data, "PARITY")],
    ["sharpened, ε = 10⁻⁵", form(data, "PARITY", { variant: "sharpened", eps: 1e-5 })],
    ["sharpened, ε = 0", form(data, "PARITY", { variant: "sharpened", eps: 0 })],
  ];
  const chart = picture({ role: "status" });
  const [control, show] = slider("PARITY on 100…0, length", { min: 1, max: 100, value: 60 }, n => {
    const rows = forms.map(([name, construction]) => {
      const { logit } = run(construction, "1" + "0".repeat(n - 1));
      const p = 1 / (1 + Math.exp(-logit));
      return [name, p, `${p.toFixed(3)} (s = ${minus(logit.toPrecision(2))})`];
    });
    chart.replaceChildren(bars("probability of the right answer", rows));
  });
  show();
  return [
    control,
    chart,
    element(
      "p",
      {},
      "Probability of the right answer, without and with layer normalization; the dashed line is a coin toss.",
    ),
  ];
}

/** Chapter 4: what the first position keeps of CLS's attention. */
function logn(root, data) {
  const forms = [
    ["without, c = 2", form(data, "flawed FIRST", { c: 2 })],
    ["with log n, c = 1", form(data, "flawed FIRST", { log_n: true })],
  ];
  const chart = picture({ role: "status" });
  const limits = { min: 1, max: 40, value: 8 };
  const [control, show] = slider("Flawed FIRST on 100…0, length", limits, n => {
    const w = "1" + "0".repeat(n - 1);
    const weights = forms.map(([name, construction]) => {
      const weight = run(construction, w).attention[0].weights[0][1];
      const { accepts } = decide(construction.json, w);
      return [name, weight, [`weight ${weight.toFixed(3)}: `, ...judged(accepts, true)]];
    });
    chart.replaceChildren(bars("the attention weight of the first position", weights));
  });
  show();
  return [
    control,
    chart,
    element("p", {}, "Accepted if the first position has more than half (the dashed line)."),
  ];
}

const STAIR = 8192; // tokens for which Llama 4's factor stays the same
const TRAINED_AT = 17; // tokens of the training strings: 16 symbols and CLS
const SCALINGS = {
  "no factor": () => 1,
  "log n": Math.log,
  "log n / log L, L = 17": n => Math.log(n) / Math.log(TRAINED_AT),
  "a constant, log L": () => Math.log(TRAINED_AT),
  "Llama 4's stairs": n => 1 + Math.log(1 + Math.floor(n / STAIR)) / 10,
};

/** Chapter 9: what one token among n keeps of the attention, by the factor on its logit. */
function factors() {
  const chart = picture({ role: "status" });
  const menu = choice(Object.keys(SCALINGS), "no factor", show);
  let gain = 1;
  let n = 4;
  function show() {
    const logit = gain * SCALINGS[menu.value](n);
    const weight = 1 / (1 + (n - 1) * Math.exp(-logit));
    const keeps = logit > Math.log(n - 1);
    const text = `Among ${number(n)} tokens its logit is ${gain} × ${(logit / gain).toFixed(2)} = ${logit.toFixed(2)}; it needs more than log(n − 1) = ${Math.log(n - 1).toFixed(2)}. `;
    const verdict = keeps ? "It keeps more than half." : "It is outvoted.";
    chart.replaceChildren(
      bars("the token's attention weight", [["the token", weight, `weight ${weight.toFixed(4)}`]]),
      element("p", {}, text, element("b", {}, verdict)),
    );
  }
  const [gains, showGain] = slider("gain c", { min: 0.5, max: 12, step: 0.5, value: 1 }, value => {
    gain = value;
    show();
  });
  const limits = { min: 2, max: 60, value: 4 };
  const [tokens, showTokens] = slider("number of tokens n", limits, step => {
    // one token more to 20, then so much more that sixty steps reach a million
    n = step <= 20 ? step : Math.round(20 * 50_000 ** ((step - 20) / 40));
    show();
    return number(n);
  });
  showGain();
  showTokens();
  return [element("label", {}, "factor f(n)", menu), gains, tokens, chart];
}

/** Chapter 7: two transformers for PALINDROME, on a palindrome and on a near one. */
function palindromes(root, data) {
  const forms = [
    ["base 2, accepts s = 0", form(data, "PALINDROME")],
    ["pair by pair, accepts s > 0", form(data, "pairwise PALINDROME")],
  ];
  const shows = picture({ role: "status" });
  const [control, show] = slider("Palindrome of length", { min: 1, max: 24, value: 8 }, n => {
    const half = "0110100110010110".slice(0, Math.ceil(n / 2));
    const w = half + [...half.slice(0, Math.floor(n / 2))].reverse().join("");
    const decided = (text, accepts) => [
      `s = ${minus(text)}`,
      element("br"),
      element("b", {}, ...judged(accepts, true)),
    ];
    const rows = forms.map(([name, construction]) => {
      const { logit } = run(construction, w);
      const exact = decide(construction.json, w);
      const float = decided(shown(logit), construction.accepts(logit));
      return row(name, [float, decided(exact.text, exact.accepts)]);
    });
    const string = element("p", {}, element("code", {}, w));
    shows.replaceChildren(string, table({}, ["", "float64", "exactly"], rows));
  });
  show();
  return [control, shows];
}

/** Chapter 6: a machine that a transformer runs, one step at a time. */
async function machine(root, data) {
  const [{ computed }, { compiled }] = await Promise.all([
    import("./turing.mjs"),
    import("./machines.mjs"),
  ]);
  const found = data.machines.find(m => m.name === "increment");
  const transformer = compiled(found, "position encodings");
  const said = status();
  const tape = picture({ class: "tape", role: "img" });
  let steps;
  let now;
  const start = () => {
    steps = computed(found, transformer, "1011");
    now = steps.next().value;
  };
  const show = () => {
    const right = now.right || found.blank;
    const at = now.left.length;
    const cells = [...now.left, ...right].map(
      (a, i) => `<span${i === at ? ' class="on"' : ""}>${a === found.blank ? "·" : a}</span>`,
    );
    tape.innerHTML = cells.join("");
    tape.setAttribute("aria-label", `tape ${now.left}${right}, the head on cell ${at + 1}`);
    const [one, two] = now.stacks.map(([n, d]) => (Number(n) / Number(d)).toString(found.base));
    said.textContent = `State ${now.state}. From the head on, the tape is the number ${one}; left of it, ${two} (in base ${found.base}).`;
  };
  const step = () => {
    const next = steps.next();
    if (next.done) start();
    else now = next.value;
    show();
  };
  start();
  show();
  return [
    element("p", {}, "A transformer adds 1 to 1011, in exact arithmetic:"),
    tape,
    element("div", { class: "steps" }, button("one step", step)),
    said,
  ];
}

const TRIED = [
  [0, 1, 1],
  [1, 0, 0, 1],
  [0, 0, 1, 1],
];

/** Chapter 8: a formula in, a transformer out, on three strings. */
async function formula(root) {
  const { compiled, holds } = await import("./formulas.mjs");
  const shows = picture({ role: "status" });
  const field = textBox({ value: 'count(Q("1")) > count(Q("0"))' });
  const heads = ["string", "the formula", "the transformer, exactly"];
  function show() {
    try {
      const used = [...new Set([...field.value.matchAll(/Q\(["'](.)["']\)/g)].map(([, a]) => a))];
      const alphabet =
        used.length > 1 ? used.sort() : [...new Set([...used, "0", "1"])].slice(0, 2);
      const { json, formula } = compiled(field.value, alphabet, "softmax");
      const rows = TRIED.map(places => {
        const w = places.map(i => alphabet[i]).join("");
        const { accepts, text } = decide(json, w);
        const decided = [`s = ${minus(text)}, `, element("b", {}, says(accepts))];
        return row(element("code", {}, w), [
          holds(formula, w) ? "holds" : "does not hold",
          decided,
        ]);
      });
      shows.replaceChildren(table({}, heads, rows));
    } catch (error) {
      shows.replaceChildren(element("p", {}, error.message));
    }
  }
  field.addEventListener("input", show);
  show();
  return [element("label", {}, "A formula, compiled as you type:", field), shows];
}

/** Chapter 11: a formula against a regular expression, at every length. */
const against = async () => (await import("./agreement.mjs")).widget();

/** Chapter 12: a trained network of the reader's, on every string to a length. */
const audit = async () => (await import("./audit.mjs")).widget();

const KINDS = {
  parity,
  thermometer,
  heads,
  norm,
  logn,
  grid,
  machine,
  palindromes,
  formula,
  factors,
  against,
  audit,
};

for (const root of document.querySelectorAll(".live[data-live]"))
  playground()
    .then(found => KINDS[root.dataset.live](root, found))
    .then(parts => root.replaceChildren(...parts))
    .catch(error => root.append(element("p", {}, `This could not be loaded: ${error.message}`)));
