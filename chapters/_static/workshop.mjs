// The workshop: a reader says which strings are meant, and writes a transformer for them, as a
// formula that is compiled or as rows; the page says at which lengths the two are known to agree, or
// the shortest string on which they do not.

import { watch } from "./boxes.mjs";
import {
  inAddress,
  briefly,
  button,
  choice,
  element,
  fold,
  labelled,
  length,
  linesBox,
  number,
  options,
  playground,
  plural,
  radios,
  region,
  remember,
  row,
  shown,
  table,
  tabAsked,
  textBox,
} from "./dom.mjs";
import {
  EPS,
  KINDS,
  READINGS,
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
import { holds, parseFormula } from "./formulas.mjs";
import { EXPRESSIONS, ROWS } from "./grammar.mjs";
import { LANGUAGES, OTHERWISE, SYMBOLS } from "./languages.mjs";
import { TYPED } from "./limits.mjs";
import {
  OF_FORMULAS,
  asksRemainder,
  completions,
  mended,
  mendedRows,
  namesOfFormulas,
  namesOfRows,
  ofExpressions,
} from "./mends.mjs";
import { DEGREES, PUZZLES } from "./puzzles.mjs";
import { READOUTS, alphabetOf, decide, parse, run } from "./reader.mjs";
import { automaton } from "./regular.mjs";
import { restrictions, size, sizeOf } from "./rules.mjs";
import { Amiss, EMPTY, PROPERTIES, WAYS, answerOf, asks, reach } from "./specification.mjs";
import { inWorker } from "./sweep.mjs";
import { arcs, traceTable } from "./trace.mjs";
import {
  firsts,
  logitText,
  mistake,
  reading as readingOf,
  sizeText,
  verdict as verdictOf,
} from "./verdicts.mjs";

const DRAWN = 40; // symbols of a string that is drawn, and decided with what precision it takes
const DECIDED = 4000; // and of one that is decided if float64 can
const STORE = "self-attention-exactly.puzzles";
const HALVES = "PARITY, by halves";
const DIVIDED = { language: WAYS.property, property: "holds a so often that n divides it" };
const NO_REMAINDER = `a remainder cannot be written directly: see the example “${HALVES}”`;

// ---- what is kept in the browser ----

const SIZES = [["layers", "heads", "coordinates", "coefficients"], ["parts"], ["symbols"]];
const sizesOf = ({ kind }) => SIZES[kind === "rows" ? 0 : kind === "string" ? 2 : 1];

/** What a reader solved, by puzzle: the size of the smallest answer; nothing where none is kept. */
function solved() {
  try {
    const found = JSON.parse(localStorage.getItem(STORE));
    const isSize = (value, names) => names.every(name => Number.isSafeInteger(value?.[name]));
    const kept = PUZZLES.filter(puzzle => isSize(found?.[puzzle.id], sizesOf(puzzle)));
    return Object.fromEntries(kept.map(({ id }) => [id, found[id]]));
  } catch {
    return {};
  }
}

function keep(progress) {
  try {
    localStorage.setItem(STORE, JSON.stringify(progress));
  } catch {
    // nothing is kept, and all else works
  }
}

// ---- pieces of page ----

const line = (oninput, attributes) => textBox({ oninput, maxlength: TYPED, ...attributes });
const select = (names, onchange) => choice(names, names[0], onchange);
const group = (label, children) => element("optgroup", { label }, ...children);
/** A fold that says how something is written. */
function explained(title, examples) {
  const entry = ([example, meaning]) => [
    element("dt", {}, element("code", {}, example)),
    element("dd", {}, meaning),
  ];
  const list = element("dl", {});
  const filled = fold({ class: "grammar" }, title, list);
  const fill = async () => list.append(...(await examples()).flatMap(entry));
  filled.addEventListener("toggle", fill, { once: true });
  return filled;
}

/** A box of lines, and what is wrong in it. */
function editor(id, label, rows, oninput, onkeydown) {
  const box = linesBox({ id, rows, oninput, onkeydown, maxlength: TYPED });
  return { ...box, element: labelled(label, box.element) };
}

/**
 * Buttons for the names that fit where the caret of a box stands; pressing one writes it there, in
 * place of what is selected.
 */
function completer(control, names) {
  const fitting = element("div", {
    class: "names",
    role: "group",
    "aria-label": "names that fit here",
  });
  function show() {
    const { names: fit } = completions(control.value, control.selectionStart, names());
    fitting.replaceChildren(...fit.map(name => button(name, () => put(name))));
  }
  function put(name) {
    const { value, selectionStart: start, selectionEnd: end } = control;
    const { begun } = completions(value, start, [name]); // a finger may have moved the caret since
    const isGlued = !begun && /[\p{L}\p{N})"]$/u.test(value.slice(0, start));
    control.setRangeText((isGlued ? " " : "") + name, start - begun, end, "end");
    control.dispatchEvent(new Event("input"));
    control.focus();
  }
  for (const event of ["input", "keyup", "click", "focus", "select"])
    control.addEventListener(event, show);
  return { row: fitting, show };
}

/** Strings in a cell, those in which the two differ underlined; or how far there are none. */
const strings = (list, looked) =>
  list.length
    ? list.flatMap(({ w, differs }) => [
        element("span", differs ? { class: "wrong" } : {}, w || "empty"),
        " ",
      ])
    : `none up to length ${looked}`;

// ---- what is on screen ----

let state = fresh(); // what the reader chose and typed: all that a link holds
let made = null; // of the state: what `built` gives, or null where something is amiss
let meant = null; // the language, as data, or null
let from = null; // the position whose attention is drawn; null for that which is read
let wrong = []; // with it, the first thing first
const drafts = new Map(); // what was typed into each puzzle
const tried = new Set();
const progress = solved();
let data = {}; // the book's examples, until they are asked for,
let book; // and the module that reads them
let root; // where all of it stands

// ---- the address ----

let writes = 0;
let pushes = false;
/** Puts the state into the address; with `push`, Back leads to what was there before. */
async function write(push = false) {
  pushes ||= push;
  const turn = ++writes;
  const before = location.hash;
  const x = await packed(state);
  if (turn !== writes || root.hidden || location.hash !== before) return; // a link was followed
  remember({ tab: "workshop", x }, pushes);
  pushes = false;
}

/** What an address asks for: a state, an example, a puzzle, or an old link's; null for nothing. */
async function askedFor(asks) {
  const { tab, x, puzzle, example, m } = asks;
  if (x) return unpacked(x);
  const isOld = m !== undefined || tab !== "workshop";
  if (!isOld && !example) return puzzle ? fresh(puzzleOf(asks)?.id) : null;
  await loaded();
  return isOld ? book.linked(asks, data) : book.named(example, data);
}

/** Makes the state what the address says: a whole one, or where to begin. */
async function restore() {
  boxes.flush();
  const [turn, signal] = [++writes, boxes.signal()];
  pushes = false;
  const asks = inAddress();
  let [found, isDamaged] = [fresh(), false];
  try {
    found = await askedFor(asks);
  } catch {
    isDamaged = true;
  }
  if (turn !== writes || signal.aborted) return;
  if (found) update(found);
  if (asks.m !== undefined) decided.scrollIntoView({ block: "center" });
  if (!asks.x || isDamaged) write();
  if (isDamaged) say("This link is damaged: here is a fresh start.", "undecided");
  else if (state.judged) judge();
}

// ---- what to do ----

const chooser = element("select", { onchange: () => choosePuzzle(chooser.value) });
const count = element("span", { class: "count" });
const title = element("h3", {});
const task = element("p", { class: "task" });
const given = element("dl", { class: "given" });
const rules = element("ul", { class: "allowed", "aria-label": "what it may have" });
const card = element("section", { class: "puzzle" }, title, task, given, rules);
const best = element("p", { class: "best" });
const hint = element("p", {});
const hints = fold({ class: "hint" }, "hint", hint);
const reveal = button("show a solution", () => showSolution(answer.hidden));
const solution = element("pre", { tabindex: "0", "aria-label": "a solution" });
const why = element("p", {});
const answer = element(
  "div",
  { class: "solution", hidden: "" },
  why,
  solution,
  button("put it into the box", () => update(answered(puzzleOf(state).solution), true)),
);
const extra = element("section", {}, best, hints, reveal, answer);

const boxOf = puzzle => ({ rows: "rows", string: "w" })[puzzle.kind] ?? "formula";
const answered = text => ({ [boxOf(puzzleOf(state))]: text });

// ---- which strings are meant ----

const judgeKey = event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.type === "text"))
    judge();
};
const type = name => event => typed({ [name]: event.target.value });
const choose = name => event => update({ [name]: event.target.value }, true);
const language = element(
  "select",
  { onchange: () => chooseLanguage(language.value) },
  group("given by", options(Object.values(WAYS))),
  group("a language of the book", options(Object.keys(LANGUAGES))),
);
const expression = line(type("expression"), { onkeydown: judgeKey });
const said = line(type("said"), { onkeydown: judgeKey });
const property = select(Object.keys(PROPERTIES), choose("property"));
const letters = { a: select([], choose("a")), b: select([], choose("b")) };
const times = line(type("n"), { maxlength: 2, inputmode: "numeric", class: "short" });
const block = line(type("block"), { maxlength: 20, class: "short" });
const asked = { ...letters, n: times, w: block };
const askedFields = Object.entries(asked).map(([name, control]) => labelled(name, control));
const listText = `strings that belong to it, one per line; ${EMPTY} is the empty string`;
const list = editor("workshop-list", listText, 4, type("list"), judgeKey);
const outText =
  "strings that do not; if you list none, all others up to the longest one that is listed";
const out = editor("workshop-out", outText, 3, type("out"), judgeKey);
const symbols = line(type("symbols"), { maxlength: 20, class: "short" });
const symbolsField = labelled("symbols", symbols);
const written = element("p", { class: "written" });
const saidNames = completer(said, () => namesOfFormulas(state.symbols));
const ofWay = {
  [WAYS.expression]: [labelled("expression", expression, { class: "wide" })],
  [WAYS.property]: [labelled("property", property), ...askedFields],
  [WAYS.formula]: [labelled("formula of the language", said, { class: "wide" }), saidNames.row],
  [WAYS.examples]: [list.element, out.element],
};
const amissMeant = element("p", { class: "error", id: "workshop-amiss-meant" });
const words = async () => Object.entries((await playground()).words);
const helpMeant = {
  [WAYS.expression]: explained("how expressions are written", () => EXPRESSIONS),
  [WAYS.formula]: explained("how formulas are written", words),
};
const meaning = element(
  "fieldset",
  { class: "meant" },
  element("legend", {}, "1. Which strings do you mean?"),
  element("div", { class: "controls" }, labelled("given by", language), symbolsField),
  ...Object.values(ofWay).map(parts => element("div", { class: "controls" }, ...parts)),
  written,
  amissMeant,
  ...Object.values(helpMeant),
);

// ---- what is written for them ----

const examples = element("select", { onchange: () => chooseExample(examples.value) });
async function loaded() {
  if (data.models) return;
  [data, book] = await Promise.all([playground(), import("./examples.mjs")]);
  const of = (way, names) => options(names.map(name => [`${way} ${name}`, name]));
  const models = data.models.map(({ name }) => name);
  examples.replaceChildren(
    ...options([["", "choose"]]),
    group("formulas", of("formula", Object.keys(data.formulas))),
    group("rows", of("rows", models)),
  );
}
const MADE = [
  ["formula", "a formula"],
  ["rows", "rows"],
];
const ways = radios("made of", MADE, to => chooseWay(to), { class: "steps" });
const rows = editor("workshop-rows", "rows", 22, type("rows"), judgeKey);
const rowNames = completer(rows.area, () => namesOfRows(rows.area.value));
const formula = line(type("formula"), { onkeydown: judgeKey });
const formulaNames = completer(formula, () =>
  namesOfFormulas(puzzleOf(state)?.alphabet ?? state.symbols),
);
const kind = select(KINDS, () => update({ kind: kind.value, ...READINGS[kind.value] }, true));
const formulaField = labelled("formula", formula, { class: "wide" });
const kindField = labelled("kind of attention", kind);
const asRowsButton = button("as rows", () => asRows());
const byFormula = element("div", { class: "controls" }, formulaField);
const found = line(type("w"), { onkeydown: judgeKey });
const foundField = labelled("your string", found, { class: "wide" });
const amiss = element("p", { class: "error", id: "workshop-amiss" });
const sized = element("p", { class: "sized" });
const helpFormula = explained("how formulas are written", words);
const helpRows = explained("how rows are written", () => ROWS);
const writing = element(
  "fieldset",
  { class: "wrote" },
  element("legend", {}),
  ways,
  byFormula,
  formulaNames.row,
  rows.element,
  rowNames.row,
  foundField,
  amiss,
  sized,
  helpFormula,
  helpRows,
);

const attention = select(["softmax", "hardmax"], choose("attention"));
const eps = select(Object.keys(EPS), choose("eps"));
const logn = element("input", {
  type: "checkbox",
  onchange: () => update({ logn: logn.checked ? "1" : "" }, true),
});
const reading = fold(
  { class: "grammar", ontoggle: () => loaded() },
  "how it is read; examples to start from",
  element(
    "div",
    { class: "controls" },
    labelled("start from", examples),
    kindField,
    asRowsButton,
    labelled("attention", attention),
    labelled("normalization, ε", eps),
    labelled("logits times log n", logn),
  ),
);
// What holds a part of the state, by its name; the first ones say which strings are meant.
const ofMeaning = {
  expression,
  said,
  property,
  ...letters,
  n: times,
  block,
  list: list.area,
  out: out.area,
  symbols,
};
const fields = { ...ofMeaning, rows: rows.area, formula, kind, attention, eps, language };
for (const [name, control] of Object.entries(fields))
  control.setAttribute("aria-describedby", (name in ofMeaning ? amissMeant : amiss).id);

// ---- the verdict, and more ----

const compared = element("div");
const judgeButton = button("judge", () => judge(), { class: "judge" });
const cancel = button(
  "cancel",
  () => {
    boxes.drop();
    say("Cancelled.", "undecided");
  },
  { disabled: "" },
);
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
const copyPython = button("copy as Python", async () => {
  const [now, signal] = [{ ...state }, boxes.signal()];
  try {
    const { asPython } = await import("./python.mjs");
    if (!signal.aborted) copy(asPython(now));
  } catch (error) {
    say(`Nothing was copied: ${error.message}`, "undecided");
  }
});
const copyLink = button("copy link", async () => {
  await write();
  copy(location.href);
});
const again = button("start over", () => update(answered(puzzleOf(state).start ?? ""), true));
const traced = line(type("w"));
const tracedField = labelled("string", traced, { class: "traced" });
const decided = element("p", { class: "decided" });
const picture = region("arcs", "attention");
const drawing = region("drawing", "trace");

// ---- what is done ----

const boxes = watch(() => {
  finish();
  say("");
  next.replaceChildren();
  code.hidden = true;
});

/** Changes the state and shows it; with `push`, as a step that Back takes back. */
function update(change, push = null) {
  boxes.drop();
  const wasJudged = state.judged;
  state = checked({ ...state, judged: "", ...change });
  showControls();
  check();
  if (push !== null) write(push || Boolean(wasJudged));
}

/** The same for what is typed, a moment later; a verdict that was there is a step back from now. */
function typed(change) {
  if (state.judged) pushes = true;
  Object.assign(state, change, { judged: "" });
  if (state.puzzle) drafts.set(state.puzzle, answered(state[boxOf(puzzleOf(state))]));
  boxes.changed(() => {
    check();
    write();
  });
}

function choosePuzzle(id) {
  if (id === state.puzzle) return;
  if (!state.puzzle) drafts.set("", { ...state, judged: "" });
  const draft = drafts.get(id);
  update(id ? { ...fresh(id), ...draft } : (draft ?? fresh()), true);
}

function chooseLanguage(to) {
  const own = Object.hasOwn(LANGUAGES, to) ? { symbols: SYMBOLS[to] ?? "01" } : {};
  update({ language: to, ...own }, true);
}

function chooseExample(value) {
  examples.value = "";
  const [kind, ...rest] = value.split(" ");
  const name = rest.join(" ");
  if (kind === "rows") update(book.named(name, data), true);
  if (kind === "formula") {
    const [alphabet, text] = data.formulas[name];
    const { builtin, expression: one = "", formula: other = "" } = OTHERWISE[name];
    const way = builtin ?? (one ? WAYS.expression : WAYS.formula);
    const meaning = { language: way, expression: one, said: other };
    const own = { made: "formula", formula: text, symbols: alphabet, ...READINGS[state.kind] };
    update({ ...own, ...meaning, w: sample([...alphabet]) }, true);
  }
}

function chooseWay(way) {
  if (way === state.made) return;
  const reads = way === "formula" ? READINGS[state.kind] : {};
  const isNew = way === "rows" && !state.rows;
  const start = isNew ? { rows: PUZZLES[0].start, ...READINGS.softmax } : {};
  update({ made: way, ...reads, ...start }, true);
}

/** The compiled construction as rows. */
function asRows() {
  if (!made) return;
  update({ made: "rows", rows: toRows(made.json) }, true);
  rows.area.focus();
}

/** An error as what is wrong in a box, and in words that say what there is not. */
function asAmiss(error) {
  const { box: name, message } = error;
  if (["formula", "said"].includes(name) && asksRemainder(state[name]))
    return new Amiss(NO_REMAINDER, name);
  return error instanceof Amiss ? error : new Amiss(message, null);
}

/** What is wrong, if anything, and what follows from what is typed. */
function check() {
  const puzzle = puzzleOf(state);
  [made, meant, wrong] = [null, null, []];
  try {
    if (!puzzle && state.made === "formula" && !state.formula.trim())
      throw new Amiss('write a formula, for instance count(Q("1")) >= 2', "formula");
    made = built(state);
    const broken = puzzle && restrictions(puzzle, made).find(({ instead }) => instead);
    if (broken)
      throw new Amiss(`the puzzle says “${broken.text}”, and ${broken.instead}`, boxOf(puzzle));
  } catch (error) {
    wrong.push(asAmiss(error));
  }
  try {
    meant = languageOf(state, symbolsHere());
    if (meant.kind === "examples" && reach(meant) > longestOf(symbolsHere().length))
      throw new Amiss(
        `all strings up to the longest one that is listed are tried, so it may have ${longestOf(symbolsHere().length)} symbols at most; or list some that do not belong`,
        "list",
      );
  } catch (error) {
    wrong.push(asAmiss(error));
  }
  show();
}

/** The symbols of what is made; while nothing is, those that are named. */
const symbolsHere = () =>
  made ? alphabetOf(made.json) : [...(puzzleOf(state)?.alphabet ?? state.symbols)];

/** Shows what is wrong, with what mends it, and what is known before a verdict. */
function show() {
  const at = name => wrong.find(error => error.box === name);
  for (const [name, control] of Object.entries(fields))
    control.setAttribute("aria-invalid", String(Boolean(at(name))));
  for (const [name, one] of Object.entries({ rows, list, out }))
    one.light(at(name)?.line ?? null, true);
  for (const [place, isMeant] of [
    [amissMeant, true],
    [amiss, false],
  ]) {
    const error = wrong.find(({ box: name }) => name in ofMeaning === isMeant);
    place.replaceChildren(error?.message ?? "", ...(error ? mendsOf(error) : []));
  }
  const puzzle = puzzleOf(state);
  const small = made && puzzle && puzzle.kind !== "rows" ? sizeOf(puzzle, answerNow()) : null;
  sized.textContent = made ? sizeText(small ?? size(made.json)) : "";
  const isProperty = !puzzle && state.language === WAYS.property && meant;
  written.textContent = isProperty
    ? `As ${meant.kind === "formula" ? "a" : "an"} ${meant.kind}: ${meant.text}`
    : "";
  showRules();
  showFirsts();
  draw();
}

/** What a reader answers a puzzle with. */
const answerNow = () => ({
  json: made.json,
  text: puzzleOf(state)?.kind === "string" ? state.w : made.text,
});

/** Buttons that mend what is wrong, and lead back to its box. */
function mendsOf({ box: name, message }) {
  const press = (text, onclick) => [" ", button(text, onclick, { class: "mend" })];
  const mend = (text, change, to = name) =>
    press(text, () => {
      update(change, true);
      fields[to].focus();
    });
  if (message === NO_REMAINDER)
    return name === "said"
      ? mend("say it by a property", DIVIDED, "property")
      : press(`start from ${HALVES}`, async () => {
          const signal = boxes.drop();
          await loaded();
          if (signal.aborted) return;
          choosePuzzle("");
          chooseExample(`formula ${HALVES}`);
          formula.focus();
        });
  const symbol = /unknown symbol '(.)'|^(.) is neither a symbol/u.exec(message);
  const added = symbol && (symbol[1] ?? symbol[2]);
  if (added && /[\p{L}\p{N}]/u.test(added) && !puzzleOf(state) && state.made === "formula")
    return mend(`add ${added} to the symbols`, { symbols: state.symbols + added });
  if (name === "rows") {
    const better = mendedRows(state.rows, { message });
    return better ? mend(`write ${better.said}`, { rows: better.text }) : [];
  }
  if (!["formula", "said", "expression"].includes(name) || !state[name].trim()) return [];
  const [slips, read] =
    name === "expression" ? [ofExpressions(symbolsHere()), automaton] : [OF_FORMULAS, parseFormula];
  const better = mended(state[name], slips, text => read(text, symbolsHere()));
  return better ? mend(`write ${better}`, { [name]: better }) : [];
}

/** The first strings that the language and the reader's own accept and reject. */
function showFirsts() {
  const puzzle = puzzleOf(state);
  const hides = puzzle && puzzle.kind !== "rows" && puzzle.kind !== "formula";
  compared.hidden = hides || (!made && !meant);
  if (compared.hidden) return;
  const rows = firsts(meant, made, symbolsHere()).map(([name, accepted, rejected, looked]) =>
    row(name, [strings(accepted, looked), strings(rejected, looked)]),
  );
  compared.replaceChildren(table({ class: "firsts" }, ["", "accepts", "rejects"], rows));
  compared.firstChild
    .createCaption()
    .append("The first strings of each; where the two differ, they are underlined.");
}

/** A verdict: what is wrong, or what is known of every string, in a worker. */
async function judge() {
  const signal = boxes.drop();
  const puzzle = puzzleOf(state);
  if (puzzle && made) tried.add(puzzle.id);
  showRules();
  if (wrong.length) {
    const [{ message, box: name }] = wrong;
    say(`Not judged: ${message}`, "wrong");
    fields[name]?.focus();
    return;
  }
  state.judged = "1";
  write();
  if (puzzle?.kind === "string") return judgeString(puzzle);
  const alphabet = alphabetOf(made.json);
  const [now, language] = [made, meant];
  const settings = settingsOf(language, alphabet, puzzle);
  const task = inWorker(now.json, language, settings, report);
  signal.addEventListener("abort", task.stop);
  cancel.disabled = false;
  bar.value = 0;
  const k = alphabet.length;
  const total = k > 1 ? (k ** (settings.longest + 1) - 1) / (k - 1) : settings.longest + 1;
  function report({ length, strings }) {
    if (signal.aborted) return;
    bar.value = strings / total;
    tries.textContent = `${number(strings)} strings, length ${length}`;
  }
  try {
    const result = await task.answer;
    if (signal.aborted) return;
    const last = puzzle
      ? await ofPuzzle(puzzle, result, now, language, alphabet, signal)
      : verdictOf(result, now, language, alphabet);
    if (signal.aborted) return;
    bar.value = 1;
    finish();
    say(last.text, last.is);
    verdict.scrollIntoView({ block: "nearest" });
    if (last.solves) celebrate(puzzle);
    else if (last.w !== undefined) offer(last.w);
  } catch (error) {
    if (signal.aborted) return;
    finish();
    say(`It could not be judged: ${error.message}`, "undecided");
  }
}

/** How a worker tries it: to which length or which strings, and by a search, where there is one. */
function settingsOf(language, alphabet, puzzle) {
  const { kind, inside = [], outside = [] } = language;
  const settings = { longest: longestOf(alphabet.length), alphabet, inFull: true };
  if (made.isExact && kind !== "examples") settings.formula = made.normal;
  if (puzzle?.kind === "invariant") settings.implied = true;
  if (kind !== "examples") return settings;
  if (!outside.length) return { ...settings, longest: reach(language) };
  const listed = [...new Set([...inside, ...outside])];
  const lengths = [...new Set(listed.map(length))].sort((a, b) => a - b);
  return { ...settings, only: lengths.map(n => listed.filter(w => length(w) === n)) };
}

function finish() {
  cancel.disabled = true;
  tries.textContent = "";
}

function say(text, how = "") {
  if (!text) bar.value = 0;
  verdict.dataset.is = how;
  verdict.textContent = text;
}

// ---- puzzles ----

/** The verdict on an answer to a puzzle, which may be that it `solves` it. */
async function ofPuzzle(puzzle, result, now, language, alphabet, signal) {
  const { kind, rejects = [], longer = [] } = puzzle;
  const { closed } = result;
  if (kind === "invariant") {
    if (closed.kind === "wrong") {
      const text = `Wrong: ${briefly(closed.counterexample)} is a row of blocks, and your formula rejects it. No shorter row is rejected.`;
      return { is: "wrong", text, w: closed.counterexample };
    }
    const tree = parseFormula(now.text, alphabet);
    const held = rejects.find(w => holds(tree, w));
    if (held !== undefined)
      return { is: "wrong", text: `Your formula holds for ${briefly(held)} too.`, w: held };
    if (closed.kind !== "proved")
      return {
        is: "undecided",
        text: `Undecided: no row of blocks up to length ${closed.length} is missed, but the search did not close.`,
      };
    const text = `Solved: it holds for every row of blocks, proved for every length (a search closed at ${plural(closed.states, "pair")}), and for none of ${plural(rejects.length, "string")}.`;
    return { is: "proved", text, solves: true };
  }
  const plain = verdictOf(result, now, language, alphabet);
  if (plain.is === "proved") return { ...plain, text: `Solved. ${plain.text}`, solves: true };
  if (plain.is !== "right") return plain;
  const mistaken = await firstMistake(longer, now, signal);
  const right = `right on all ${plural(result.strings, "string")} up to length ${result.longest}, each decided exactly`;
  if (mistaken) {
    const { w, accepts } = mistaken;
    return { is: "wrong", text: `It is ${right}, but ${mistake(w, accepts, language.name)}`, w };
  }
  const far = Math.max(...longer.map(([w]) => length(w)));
  const text = `Solved: ${right}, and on ${longer.length} longer ones, of up to ${number(far)} symbols.`;
  return { is: "right", text, solves: true };
}

/** The first of a puzzle's longer strings that is not decided correctly; the page breathes between. */
async function firstMistake(longer, { json }, signal) {
  const read = readingOf({ json }, []);
  for (const [w, belongs] of longer) {
    await new Promise(done => setTimeout(done));
    if (signal.aborted) return null;
    const accepts = read(w);
    if (accepts !== belongs) return { w, accepts };
  }
  return null;
}

function judgeString(puzzle) {
  const { formula: text, expression: other, alphabet } = puzzle;
  const { w } = state;
  const strange = [...w].find(a => !alphabet.includes(a));
  if (strange !== undefined)
    return say(`Not judged: ${strange} is none of ${[...alphabet].join(", ")}.`, "wrong");
  const [one, none] = [holds(parseFormula(text, alphabet), w), answerOf(meant)(w)];
  const says = is => (is ? "accepts" : "rejects");
  if (one === none) return say(`Both agree on ${briefly(w)}: each ${says(one)} it.`, "wrong");
  say(`Solved: the formula ${says(one)} ${briefly(w)}, and ${other} ${says(none)} it.`, "proved");
  celebrate(puzzle);
}

function celebrate(puzzle) {
  const smallest = sizesOf(puzzle).at(-1);
  const now = sizeOf(puzzle, answerNow());
  const before = progress[puzzle.id];
  if (!before || now[smallest] < before[smallest]) progress[puzzle.id] = now;
  keep(progress);
  if (now[smallest] < bestKnown(puzzle)[smallest]) verdict.append(" Smaller than the best known!");
  showRules();
  const to = PUZZLES[PUZZLES.indexOf(puzzle) + 1];
  if (to)
    next.replaceChildren(
      button(`next puzzle: ${to.title}`, () => {
        choosePuzzle(to.id);
        chooser.focus();
      }),
    );
}

const bestKnown = puzzle =>
  sizeOf(puzzle, {
    json: puzzle.kind === "rows" ? fromRows(puzzle.solution) : null,
    text: puzzle.solution,
  });

const offer = w =>
  next.replaceChildren(
    button(`trace ${briefly(w)}`, () => {
      state.w = w;
      traced.value = w;
      draw();
      write(true);
      traced.focus();
    }),
  );

const copy = text =>
  boxes.copy(text, () => {
    code.hidden = false;
    code.value = text;
    code.focus();
    code.select();
  });

// ---- what is seen ----

function showControls() {
  const puzzle = puzzleOf(state);
  const isRows = puzzle ? puzzle.kind === "rows" : state.made === "rows";
  const isString = puzzle?.kind === "string";
  card.hidden = extra.hidden = again.hidden = !puzzle;
  meaning.hidden = ways.hidden = reading.hidden = Boolean(puzzle);
  writing.firstChild.textContent = puzzle ? "Your answer" : "2. Your transformer";
  rows.element.hidden = rowNames.row.hidden = helpRows.hidden = !isRows;
  byFormula.hidden = formulaNames.row.hidden = helpFormula.hidden = isRows || isString;
  kindField.hidden = asRowsButton.hidden = isRows;
  foundField.hidden = !isString;
  tracedField.hidden = isString;
  symbolsField.hidden = isRows;
  if (puzzle) showPuzzle(puzzle);
  ways.show(state.made);
  for (const [way, parts] of Object.entries(ofWay))
    parts[0].parentElement.hidden = way !== state.language;
  for (const [way, help] of Object.entries(helpMeant)) help.hidden = way !== state.language;
  const of = asks(state.property);
  const here = [...state.symbols];
  for (const name of ["a", "b"]) {
    letters[name].replaceChildren(...options(here));
    if (!here.includes(state[name])) state[name] = here[name === "b" ? 1 : 0] ?? here[0] ?? "";
  }
  Object.keys(asked).forEach((name, i) => (askedFields[i].hidden = !of.includes(name)));
  for (const [name, control] of Object.entries(fields))
    if (control.value !== state[name]) control.value = state[name];
  rows.area.rows = Math.max(8, Math.min(26, state.rows.split("\n").length + 1));
  logn.checked = state.logn === "1";
  traced.value = found.value = state.w;
  for (const names of [formulaNames, saidNames, rowNames]) names.show();
}

function showPuzzle(puzzle) {
  const { kind: of, lesson } = puzzle;
  title.textContent = `${PUZZLES.indexOf(puzzle) + 1}. ${puzzle.title}`;
  const to = element("a", { href: `${lesson}.html` }, `chapter ${Number(lesson.slice(0, 2))}`);
  task.replaceChildren(`${puzzle.task} It belongs to `, to, ".");
  const parts = {
    string: { formula: puzzle.formula, expression: puzzle.expression },
    invariant: { blocks: puzzle.expression },
  };
  given.replaceChildren(
    ...Object.entries(parts[of] ?? {}).flatMap(([what, spelled]) => [
      element("dt", {}, what),
      element("dd", {}, element("code", {}, spelled)),
    ]),
  );
  hint.textContent = puzzle.hint;
  hints.open = false;
  showSolution(false);
}

const readBy = ({ attention, log_n: logN }) =>
  `read with ${attention}${logN ? ", logits times log n" : ""}`;

/** The puzzles and which are solved; of the one at hand its restrictions and sizes. */
function showRules() {
  const all = PUZZLES.map(({ id, title: name }, i) => [
    id,
    `${progress[id] ? "✓ " : ""}${i + 1}. ${name}`,
  ]);
  const ofDegree = d => options(all.filter((_, i) => PUZZLES[i].degree === d + 1));
  chooser.replaceChildren(
    ...options([["", "strings and a transformer of your own"]]),
    ...DEGREES.map((name, d) => group(`puzzles: ${name}`, ofDegree(d))),
  );
  chooser.value = state.puzzle;
  count.textContent = `${Object.keys(progress).length} of ${PUZZLES.length} puzzles solved`;
  const puzzle = puzzleOf(state);
  if (!puzzle) return;
  const read = puzzle.kind === "rows" ? [{ text: readBy(puzzle.reading) }] : [];
  const said = [...read, ...restrictions(puzzle, made)].filter(({ isPlain }) => !isPlain);
  rules.replaceChildren(
    ...said.map(({ text, instead }) => element("li", instead ? { class: "broken" } : {}, text)),
  );
  const mine = progress[puzzle.id];
  best.replaceChildren(
    `Best known: ${sizeText(bestKnown(puzzle))}.`,
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
  why.textContent = shows ? `Why it is right: ${puzzle.why}` : "";
}

/** The string that is traced: what is decided, and every number on the way. */
function draw() {
  const { w } = state;
  picture.hidden = true;
  drawing.replaceChildren();
  decided.textContent = "";
  if (!made) return;
  const alphabet = alphabetOf(made.json);
  const strange = [...w].find(a => !alphabet.includes(a));
  if (strange !== undefined)
    decided.textContent = `${strange} is no symbol: there are ${alphabet.join(", ") || "none"}.`;
  else if (length(w) > DECIDED)
    decided.textContent = `Strings of up to ${number(DECIDED)} symbols are traced.`;
  else
    try {
      if (length(w) <= DRAWN) drawRun(w);
      else {
        sayDecided(w, readingOf(made, alphabet)(w));
        drawing.replaceChildren(`Up to ${DRAWN} symbols are drawn.`);
      }
    } catch (error) {
      decided.textContent = error.message;
    }
}

function sayDecided(w, accepts, logit = "", more = "") {
  const says = accepts === null ? "undecided" : accepts ? "accepted" : "rejected";
  decided.textContent = `${briefly(w)}: ${says}${logit && ` (score ${logitText(logit)})`}.${rightness(w, accepts)}${more}`;
}

/** Decides a string exactly, says where float64 errs, and draws what float64 computes. */
function drawRun(w) {
  const { accepts, text } = decide(made.json, w);
  const read = parse(made.json);
  const result = run(read, w);
  const isFloatRight = read.accepts(result.logit) === accepts;
  const float = ` float64 computes ${shown(result.logit)} and ${accepts ? "rejects" : "accepts"} it.`;
  sayDecided(w, accepts, text, accepts === null || isFloatRight ? "" : float);
  picture.hidden = !result.attention.length;
  drawTrace(result);
}

/** What the language that was meant says of it; nothing where it is the same formula's. */
function rightness(w, accepts) {
  const puzzle = puzzleOf(state);
  const isSame = !puzzle && meant?.normal !== undefined && meant.normal === made.normal;
  const belongs = meant && !isSame && (!puzzle || "language" in puzzle) ? answerOf(meant)(w) : null;
  if (belongs === null || accepts === null) return "";
  const name = `${belongs ? "" : "not "}in ${meant.name}`;
  return ` It is ${name}: ${accepts === belongs ? "right" : "wrong"}.`;
}

function drawTrace(result) {
  const n = result.tokens.length;
  if (from >= n) from = null;
  const looks = from ?? READOUTS[made.json.readout](n);
  const focused = drawing.contains(document.activeElement);
  picture.innerHTML = arcs(result, looks, picture.clientWidth);
  drawing.replaceChildren(
    traceTable(result, looks, i => {
      from = i;
      drawTrace(result);
    }),
  );
  if (focused) drawing.querySelector('[aria-pressed="true"]')?.focus();
}

const whole = element(
  "div",
  { class: "workshop" },
  element("div", { class: "choose" }, labelled("what to do", chooser), count),
  card,
  element(
    "form",
    { "aria-label": "a transformer", onsubmit: event => event.preventDefault() },
    meaning,
    writing,
  ),
  element("div", { class: "steps" }, judgeButton, cancel, bar, tries),
  compared,
  verdict,
  next,
  reading,
  extra,
  element("div", { class: "steps" }, copyPython, copyLink, again, boxes.note),
  code,
  element("h3", {}, "Trace"),
  tracedField,
  decided,
  picture,
  drawing,
);

/**
 * Fills `panel` with the workshop; gives a function that shows it again. The address holds all of it:
 * a link that is pasted over it, Back and Forward lead there.
 */
export function mount(panel) {
  root = panel;
  root.replaceChildren(whole);
  window.addEventListener("hashchange", () => {
    if (tabAsked() !== "workshop") return;
    if (root.hidden) document.getElementById(root.getAttribute("aria-labelledby"))?.click();
    else restore();
  });
  update({});
  return () => {
    if (tabAsked() === "workshop") restore();
    else if (location.hash.includes("=")) write(true);
  };
}
