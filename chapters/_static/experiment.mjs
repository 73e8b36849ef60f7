// An experiment of the workshop, as data: which strings a reader means, what was written for them,
// and how that is read; as a link, as a construction, and as Python.

import { fromRows } from "./format.mjs";
import { compiled } from "./formulas.mjs";
import { LANGUAGES } from "./languages.mjs";
import { LENGTH, SWEPT, TYPED } from "./limits.mjs";
import { PUZZLES } from "./puzzles.mjs";
import { PROPERTIES, WAYS, languageOf as specified, within, Amiss } from "./specification.mjs";

export const EPS = { off: null, 0: 0, "1e-5": 1e-5, "1e-2": 1e-2, 1: 1 };
export const KINDS = ["hardmax", "softmax", "layer norm"];
export const READINGS = {
  hardmax: { attention: "hardmax", eps: "off", logn: "" },
  softmax: { attention: "softmax", eps: "off", logn: "" },
  "layer norm": { attention: "softmax", eps: "0", logn: "" },
};
const START = {
  puzzle: "", // its id; none is an experiment of one's own
  language: WAYS.expression, // a way to say it, or one of the book's languages
  expression: "0*10*",
  property: "holds at least n times a",
  a: "1",
  b: "0",
  n: "2",
  block: "",
  said: "", // the formula of the language
  list: "", // strings that belong to it,
  out: "", // and strings that do not
  symbols: "01",
  made: "formula", // or "rows"
  formula: 'count(Q("1")) == 1',
  kind: "hardmax",
  rows: "",
  attention: "hardmax",
  eps: "off",
  logn: "",
  w: "0110", // the string that is traced
  judged: "", // "1" where a verdict was asked for
};
// ---- links ----

const through = (transform, bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer();

/** A state as text for an address: what is not as at the start, packed. */
export async function packed(state) {
  const start = fresh(state.puzzle);
  const kept = Object.keys(START).filter(name => state[name] !== start[name] || name === "puzzle");
  const json = JSON.stringify(Object.fromEntries(kept.map(name => [name, state[name]])));
  const bytes = new TextEncoder().encode(json);
  const packed = new Uint8Array(await through(new CompressionStream("deflate-raw"), bytes));
  const characters = Array.from(packed, byte => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state that `packed` made a text of; Error where it did not. */
export async function unpacked(text) {
  if (text.length > 2 * TYPED) throw new Error("the link is too long");
  const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, a => a.charCodeAt(0));
  const json = await through(new DecompressionStream("deflate-raw"), bytes);
  const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  const isFit = ([name, value]) =>
    Object.hasOwn(START, name) && typeof value === "string" && value.length <= TYPED;
  if (Object.getPrototypeOf(found) !== Object.prototype || !Object.entries(found).every(isFit))
    throw new Error("the link holds something else");
  return checked({ ...fresh(found.puzzle), ...found });
}

export const puzzleOf = ({ puzzle }) => PUZZLES.find(({ id }) => id === puzzle);

/** A string to begin with. */
export const sample = ([a, b = a]) => a + b + b + a;

/** Where a puzzle, or an experiment of one's own, begins. */
export function fresh(puzzle = "") {
  const found = puzzleOf({ puzzle });
  if (!found) return { ...START };
  const { kind, alphabet, start } = found;
  const state = {
    ...START,
    puzzle,
    symbols: alphabet,
    w: kind === "string" ? "" : sample(alphabet),
  };
  return kind === "string" ? state : { ...state, [kind === "rows" ? "rows" : "formula"]: start };
}

/** A state in which each choice is one that there is. */
export function checked(state) {
  const among = (name, known) => {
    if (!known.includes(state[name])) state[name] = START[name];
  };
  among("puzzle", ["", ...PUZZLES.map(({ id }) => id)]);
  among("made", ["rows", "formula"]);
  among("kind", KINDS);
  among("attention", ["softmax", "hardmax"]);
  among("eps", Object.keys(EPS));
  among("language", [...Object.values(WAYS), ...Object.keys(LANGUAGES)]);
  among("property", Object.keys(PROPERTIES));
  return state;
}

// ---- what a state says ----

/** How it must be read; what the exact readers refuse is refused. */
function readingOf({ attention, eps, logn }) {
  if (attention === "hardmax" && EPS[eps] !== null)
    throw new Amiss("hardmax under layer normalization cannot be read exactly", "attention");
  return { attention, eps: EPS[eps], log_n: logn === "1" };
}

/** Whether a compiled formula is read as it is meant to be. */
export const isAsMeant = state =>
  Object.entries(READINGS[state.kind]).every(([name, value]) => state[name] === value);

/**
 * The construction that a state spells, with how it must be read, the text that it is made of, and
 * whether margins prove that it says, at every length, what its formula says. Amiss where it spells
 * none.
 */
export function built(state) {
  const puzzle = puzzleOf(state);
  if (puzzle ? puzzle.kind === "rows" : state.made === "rows") {
    const json = within("rows", () => fromRows(state.rows));
    const reading = puzzle?.reading ?? readingOf(state);
    return { json: { ...json, reading }, text: state.rows, isExact: false };
  }
  const { formula, symbols, kind } =
    puzzle?.kind === "string" ? { ...state, ...puzzle, kind: "hardmax" } : state;
  const symbolsOf = puzzle ? puzzle.alphabet : symbols;
  const { json, formula: tree } = within("formula", () =>
    compiled(formula, symbolsOf, puzzle ? "hardmax" : kind),
  );
  const rest = { text: formula, normal: tree.text };
  if (puzzle || isAsMeant(state)) return { json, isExact: true, ...rest };
  return { json: { ...json, reading: readingOf(state) }, isExact: false, ...rest };
}

/** The language that a state means, as data. */
export function languageOf(state, alphabet) {
  const puzzle = puzzleOf(state);
  if (!puzzle) return specified(state, alphabet);
  const { language, expression } = puzzle;
  const of = language ?? { kind: "expression", text: expression };
  return { name: "the language of this puzzle", ...of, alphabet };
}

/** To which length there are not too many strings. */
export function longestOf(symbols) {
  if (!symbols) return 0;
  let [length, strings, last] = [0, 1, symbols];
  for (; length < LENGTH && strings + last <= SWEPT; length++) {
    strings += last;
    last *= symbols;
  }
  return length;
}
