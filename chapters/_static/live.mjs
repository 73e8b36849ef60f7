// What chapters open with: one control and one picture, of the playground's own modules. Every
// <div class="live" data-live="..."> of a page is filled; what stood in it is for pages without
// scripts.

import { button, element, escaped, shown, textBox } from "./dom.mjs";
import { decide, parse, run, withGain } from "./reader.mjs";

const says = sign => (sign === null ? "undecided" : sign ? "accepted" : "rejected");
const marked = (accepts, inside) =>
  `${says(accepts)}${accepts === null || accepts === inside ? "" : ', <strong class="wrong">wrong</strong>'}`;
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
    shows.textContent = input.value;
    oninput(Number(input.value));
  };
  input.addEventListener("input", show);
  return [element("label", {}, label, input, shows), show];
}

/** A table of shares with a line at one half: rows of [name, share, text]. */
const bars = (caption, rows) =>
  `<table aria-label="${caption}"><tbody>${rows
    .map(
      ([name, share, text]) =>
        `<tr><th scope="row">${name}</th><td><span class="bar"><i style="width:${(100 * share).toFixed(1)}%"></i></span></td><td>${text}</td></tr>`,
    )
    .join("")}</tbody></table>`;

/** Buttons for the symbols of a string; each press turns a symbol and shows the string anew. */
function bits(start, show) {
  let w = start;
  const row = element("div", { class: "symbols", role: "group", "aria-label": "symbols" });
  const press = i => {
    w = w.slice(0, i) + (w[i] === "1" ? "0" : "1") + w.slice(i + 1);
    shown();
  };
  const shown = () => {
    [...row.querySelectorAll("button")].forEach((button, i) => {
      button.textContent = w[i];
      button.setAttribute("aria-label", `symbol ${i + 1} is ${w[i]}`);
      button.classList.toggle("turned", w[i] === "1");
    });
    show(w);
  };
  [...w].forEach((_, i) => row.append(button("", () => press(i))));
  return [row, shown];
}

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

/** The landing page: a mark stands on position k, and two heads ask whether k is odd. */
function parity(root, data) {
  const construction = form(data, "PARITY");
  const said = status();
  const row = picture();
  const [symbols, show] = bits("011010", w => {
    const ran = run(construction, w);
    const k = markedPosition(ran);
    const { accepts, text } = decide(construction.json, w);
    row.innerHTML = places(ran.tokens.length, k);
    said.innerHTML = `Layer 1 averages: ${k}/${ran.tokens.length} are 1s. So it marks position ${k}. Layer 2 finds it ${k % 2 ? "odd" : "even"}, and CLS gets the answer: s ${accepts ? "> 0" : text === "0" ? "= 0" : "< 0"}, <b>${says(accepts)}</b>.`;
  });
  show();
  aboveTheirPlaces(symbols);
  return [
    element("p", {}, "A transformer for PARITY: is the number of 1s odd? Press a symbol."),
    symbols,
    row,
    said,
  ];
}

/** Chapter 2: what its two heads give the marked position, and what the constant c does to that. */
function heads(root, data) {
  const chart = picture({ role: "status" });
  const row = picture();
  const constant = element("select", { "aria-label": "the constant c" });
  for (const c of ["1", "3", "0", "-1"]) constant.append(element("option", { value: c }, minus(c)));
  const [symbols, show] = bits("110", w => {
    const construction = form(data, "PARITY", { c: constant.value });
    const ran = run(construction, w);
    const k = markedPosition(ran);
    const n = ran.tokens.length;
    const [odd, even] = ran.attention.slice(1).map(({ weights }) => weights[0][k]);
    row.innerHTML = places(n, k);
    const { accepts } = decide(construction.json, w);
    const isOdd = [...w].filter(a => a === "1").length % 2 === 1;
    chart.innerHTML =
      bars("shares of the marked position", [
        ["head for odd positions", odd, `share ${odd.toFixed(3)}`],
        ["head for even positions", even, `share ${even.toFixed(3)}`],
      ]) +
      `<p>The mark, of height 1/${n}, stands on position ${k}. s = (1/${n}) (${odd.toFixed(3)} − ${even.toFixed(3)}) = ${minus(((odd - even) / n).toFixed(4))}: <b>${marked(accepts, isOdd)}</b>.</p>`;
  });
  constant.addEventListener("change", show);
  show();
  aboveTheirPlaces(symbols);
  return [symbols, row, element("label", {}, "c", constant), chart];
}

/** Chapter 1: each unit says whether there are at least so many 1s. */
function thermometer() {
  const units = picture();
  const said = status();
  const [symbols, show] = bits("1011", w => {
    const k = [...w].filter(a => a === "1").length;
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
  const board = element("div", { class: "symbols", role: "group", "aria-label": "squares" });
  const painted = [true, false, false, true, false, false, true, false, false];
  const twice = element("input", { type: "checkbox" });
  const start = element("input", { type: "checkbox" });
  const show = () => {
    const times = twice.checked ? 4 : 1;
    const count = times * painted.filter(Boolean).length;
    const size = times * painted.length;
    const alone = count / (count + 1);
    chart.innerHTML = bars(
      "what attention delivers",
      start.checked
        ? [
            [
              "of the colour and the start token",
              alone,
              `${count} of ${count + 1} = ${alone.toFixed(3)}`,
            ],
          ]
        : [["of all squares", count / size, `${count} of ${size} = ${(count / size).toFixed(3)}`]],
    );
  };
  painted.forEach((_, i) => {
    const square = element("button", { type: "button", "aria-label": `square ${i + 1}` });
    const paint = () => {
      square.setAttribute("aria-pressed", String(painted[i]));
      square.classList.toggle("turned", painted[i]);
      square.textContent = painted[i] ? "■" : "□";
    };
    square.addEventListener("click", () => {
      painted[i] = !painted[i];
      paint();
      show();
    });
    paint();
    board.append(square);
  });
  for (const box of [twice, start]) box.addEventListener("change", show);
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
    ["sharpened, ε = 10⁻²", form(data, "PARITY", { variant: "sharpened", eps: 1e-2 })],
    ["sharpened, ε = 0", form(data, "PARITY", { variant: "sharpened", eps: 0 })],
  ];
  const chart = picture({ role: "status" });
  const [control, show] = slider("PARITY on 100…0, length", { min: 1, max: 40, value: 8 }, n => {
    chart.innerHTML = bars(
      "probability of the right answer",
      forms.map(([name, construction]) => {
        const { logit } = run(construction, "1" + "0".repeat(n - 1));
        const p = 1 / (1 + Math.exp(-logit));
        return [name, p, `${p.toFixed(4)} (output ${minus(logit.toPrecision(3))})`];
      }),
    );
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
    const shares = forms.map(([name, construction]) => {
      const share = run(construction, w).attention[0].weights[0][1];
      const { accepts } = decide(construction.json, w);
      return [name, share, `share ${share.toFixed(3)}: ${marked(accepts, true)}`];
    });
    chart.innerHTML = bars("the first position's share of CLS's attention", shares);
  });
  show();
  return [
    control,
    chart,
    element("p", {}, "Accepted if the first position keeps more than half (the dashed line)."),
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
  const tokens = element("output", {});
  const menu = element("select", { "aria-label": "factor" });
  for (const name of Object.keys(SCALINGS)) menu.append(element("option", {}, name));
  let gain = 1;
  let n = 4;
  function show() {
    const logit = gain * SCALINGS[menu.value](n);
    const share = 1 / (1 + (n - 1) * Math.exp(-logit));
    const keeps = logit > Math.log(n - 1);
    tokens.textContent = n.toLocaleString("en");
    chart.innerHTML =
      bars("the token's share of the attention", [
        ["the token", share, `share ${share.toFixed(4)}`],
      ]) +
      `<p>Among ${n.toLocaleString("en")} tokens its logit is ${gain} × ${(logit / gain).toFixed(2)} = ${logit.toFixed(2)}; it needs more than log(n − 1) = ${Math.log(n - 1).toFixed(2)}. <b>${keeps ? "It keeps more than half." : "It is outvoted."}</b></p>`;
  }
  const [gains, showGain] = slider("gain c", { min: 0.5, max: 12, step: 0.5, value: 1 }, value => {
    gain = value;
    show();
  });
  const long = element("input", { type: "range", min: "2", max: "60", step: "1", value: "4" });
  long.addEventListener("input", () => {
    // one token more to 20, then so much more that sixty steps reach a million
    const step = Number(long.value);
    n = step <= 20 ? step : Math.round(20 * 50_000 ** ((step - 20) / 40));
    show();
  });
  menu.addEventListener("change", show);
  showGain();
  const control = element("label", {}, "number of tokens n", long, tokens);
  return [element("label", {}, "factor f(n)", menu), gains, control, chart];
}

/** Chapter 7: two transformers for PALINDROME, on a palindrome and on a near one. */
function palindromes(root, data) {
  const forms = ["PALINDROME", "pairwise PALINDROME"].map(name => [name, form(data, name)]);
  const table = picture({ role: "status" });
  const [control, show] = slider("Palindrome of length", { min: 1, max: 24, value: 8 }, n => {
    const half = "0110100110010110".slice(0, Math.ceil(n / 2));
    const w = half + [...half.slice(0, Math.floor(n / 2))].reverse().join("");
    const row = ([name, construction]) => {
      const { logit } = run(construction, w);
      const exact = decide(construction.json, w);
      return (
        `<tr><th scope="row">${name === "PALINDROME" ? "base 2, accepts s = 0" : "pair by pair, accepts s > 0"}</th>` +
        `<td>s = ${shown(logit)}<br><b>${marked(construction.accepts(logit), true)}</b></td>` +
        `<td>s = ${escaped(minus(exact.text))}<br><b>${marked(exact.accepts, true)}</b></td></tr>`
      );
    };
    table.innerHTML =
      `<p><code>${w}</code></p><table><thead><tr><th scope="col"></th><th scope="col">float64</th><th scope="col">exactly</th></tr></thead>` +
      `<tbody>${forms.map(row).join("")}</tbody></table>`;
  });
  show();
  return [control, table];
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
    const [one, two] = now.stacks.map(([n, d]) => (d === 1n ? n : `${n}/${d}`));
    said.textContent = `State ${now.state}. From the head on, the tape is the number ${one}; left of it, ${two}.`;
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
  const table = picture({ role: "status" });
  const field = textBox({ value: 'count(Q("1")) > count(Q("0"))' });
  function show() {
    try {
      const used = [...new Set([...field.value.matchAll(/Q\(["'](.)["']\)/g)].map(([, a]) => a))];
      const alphabet =
        used.length > 1 ? used.sort() : [...new Set([...used, "0", "1"])].slice(0, 2);
      const { json, formula } = compiled(field.value, alphabet, "softmax");
      const rows = TRIED.map(places => {
        const w = places.map(i => alphabet[i]).join("");
        const { accepts, text } = decide(json, w);
        return `<tr><th scope="row"><code>${escaped(w)}</code></th><td>${holds(formula, w) ? "holds" : "does not hold"}</td><td>s = ${escaped(minus(text))}, <b>${says(accepts)}</b></td></tr>`;
      });
      table.innerHTML = `<table><thead><tr><th scope="col">string</th><th scope="col">the formula</th><th scope="col">the transformer, exactly</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
    } catch (error) {
      table.replaceChildren(element("p", {}, error.message));
    }
  }
  field.addEventListener("input", show);
  show();
  return [element("label", {}, "A formula, compiled as you type:", field), table];
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

let loaded;
const data = () =>
  (loaded ??= fetch(new URL("playground.json", import.meta.url)).then(found => {
    if (found.ok) return found.json();
    throw new Error("playground.json is not there");
  }));

for (const root of document.querySelectorAll(".live[data-live]"))
  data()
    .then(found => KINDS[root.dataset.live](root, found))
    .then(parts => root.replaceChildren(...parts))
    .catch(error => root.append(element("p", {}, `This could not be loaded: ${error.message}`)));
