// An experiment of the workshop, as data: what a reader wrote, how it is read, and against which
// language it is held; as a link, as a construction, and as Python.

import { fromRows, toPython } from "./format.mjs";
import { compiled, parseFormula } from "./formulas.mjs";
import { LANGUAGES } from "./languages.mjs";
import { position } from "./positions.mjs";
import { PUZZLES } from "./puzzles.mjs";
import { alphabetOf } from "./reader.mjs";

export const MOST = 20_000; // characters that a reader types in one box, and of a link
const LONGEST = 12; // symbols of the strings that are tried,
const STRINGS = 10_000; // if there are no more than this

export const EPS = { off: null, 0: 0, "1e-5": 1e-5, "1e-2": 1e-2, 1: 1 };
export const KINDS = ["hardmax", "softmax", "layer norm"];
export const READINGS = {
  hardmax: { attention: "hardmax", eps: "off", logn: "" },
  softmax: { attention: "softmax", eps: "off", logn: "" },
  "layer norm": { attention: "softmax", eps: "0", logn: "" },
};
const START = {
  puzzle: "", // its id; none is an experiment of one's own
  made: "rows", // or "formula"
  rows: "",
  formula: 'count(Q("1")) > count(Q("0"))',
  symbols: "01",
  kind: "hardmax",
  attention: "softmax",
  eps: "off",
  logn: "",
  language: "PARITY", // one of the book's, or one of the three below
  said: "", // the formula of the language
  list: "", // its strings
  w: "0110", // the string that is traced
  judged: "", // "1" where a verdict was asked for
};
export const OWN = "what the formula says";
export const BY_FORMULA = "a formula";
export const BY_LIST = "a list of strings";
export const EMPTY = '""'; // the empty string in a list

// What an address holds of each kind of experiment; the rest is as at the start.
const FIELDS = {
  puzzle: ["puzzle", "rows", "w", "judged"],
  rows: ["made", "rows", "attention", "eps", "logn", "language", "said", "list", "w", "judged"],
  formula: [
    ...["made", "formula", "symbols", "kind", "attention", "eps", "logn"],
    ...["language", "said", "list", "w", "judged"],
  ],
};

const PYTHON = {
  MAJORITY: ["lib.formulas.stated", "MAJORITY", ".language"],
  "Dyck-1": ["lib.formulas.stated", "DYCK_1", ".language"],
};

// ---- links ----

async function through(transform, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  for (let read = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    read += value.length;
    if (read > 4 * MOST) throw new Error("the link holds too much");
  }
}

/** A state as text for an address: what is not as at the start, packed. */
export async function packed(state) {
  const start = fresh(state.puzzle);
  const fields = FIELDS[state.puzzle ? "puzzle" : state.made];
  const kept = fields.filter(name => state[name] !== start[name] || name === "puzzle");
  const json = JSON.stringify(Object.fromEntries(kept.map(name => [name, state[name]])));
  const bytes = new TextEncoder().encode(json);
  const packed = await through(new CompressionStream("deflate-raw"), bytes);
  const characters = Array.from(packed, byte => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state that `packed` made a text of; Error where it did not. */
export async function unpacked(text) {
  if (text.length > 2 * MOST) throw new Error("the link is too long");
  const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, a => a.charCodeAt(0));
  const json = await through(new DecompressionStream("deflate-raw"), bytes);
  const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  const isFit = ([name, value]) =>
    Object.hasOwn(START, name) && typeof value === "string" && value.length <= MOST;
  if (Object.getPrototypeOf(found) !== Object.prototype || !Object.entries(found).every(isFit))
    throw new Error("the link holds something else");
  return checked({ ...fresh(found.puzzle), ...found });
}

export const puzzleOf = ({ puzzle }) => PUZZLES.find(({ id }) => id === puzzle);

/** A string to begin with. */
export const sample = ([a, b]) => a + b + b + a;

/** Where a puzzle, or an experiment of one's own, begins. */
export function fresh(puzzle = "") {
  const found = puzzleOf({ puzzle });
  return found ? { ...START, puzzle, rows: found.start, w: sample(found.alphabet) } : { ...START };
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
  among("language", [...Object.keys(LANGUAGES), OWN, BY_FORMULA, BY_LIST]);
  if (state.language === OWN && state.made === "rows") state.language = START.language;
  return state;
}

// ---- what a state says ----

/** What is wrong with what a reader typed: in which box, and in which line of it. */
export class Amiss extends Error {
  constructor(message, box, line = null) {
    super(message);
    Object.assign(this, { box, line });
  }
}

function within(box, make) {
  try {
    return make();
  } catch (error) {
    throw new Amiss(error.message, box, error.line ?? null);
  }
}

/** How a reader reads it; what the exact readers refuse is refused. */
function optionsOf({ attention, eps, logn }) {
  if (attention === "hardmax" && EPS[eps] !== null)
    throw new Amiss("hardmax under layer normalization cannot be read exactly", "reading");
  return { attention, eps: EPS[eps], logN: logn === "1" };
}

/**
 * The construction that a state spells, how it is read, and whether margins prove each of its
 * comparisons at every length. Amiss where it spells none.
 */
export function built(state) {
  const puzzle = puzzleOf(state);
  if (puzzle || state.made === "rows") {
    const json = within("rows", () => fromRows(state.rows, { checkPosition: position }));
    return { json, options: puzzle?.options ?? optionsOf(state), isExact: false };
  }
  const { json, isExact } = within("formula", () =>
    compiled(state.formula, symbolsOf(state), state.kind),
  );
  const asMeant = Object.entries(READINGS[state.kind]).every(([k, v]) => state[k] === v);
  return { json, options: optionsOf(state), isExact: isExact && asMeant };
}

function symbolsOf({ symbols }) {
  const found = [...symbols];
  if (!found.length) throw new Error("an alphabet of at least one symbol is expected");
  if (new Set(found).size < found.length) throw new Error("a symbol stands twice in the alphabet");
  return found;
}

/** The language that a state names, as data. */
export function languageOf(state, alphabet) {
  const puzzle = puzzleOf(state);
  if (puzzle) return puzzle.language;
  const text = { [OWN]: state.formula, [BY_FORMULA]: state.said }[state.language];
  if (text !== undefined) {
    const box = state.language === OWN ? "formula" : "said";
    within(box, () => parseFormula(text, alphabet));
    return { kind: "formula", text, alphabet };
  }
  if (state.language === BY_LIST) return { kind: "list", strings: listed(state.list, alphabet) };
  return { kind: "builtin", name: state.language };
}

/** The strings of a list, one a line; blank lines say nothing. */
function listed(text, alphabet) {
  return text.split(/\r\n|\r|\n/).flatMap((line, place) => {
    const w = line.trim();
    const strange = w === EMPTY ? undefined : [...w].find(a => !alphabet.includes(a));
    if (strange !== undefined)
      throw new Amiss(
        `line ${place + 1}: ${strange} is no symbol of ${alphabet.join(", ")}`,
        "list",
        place + 1,
      );
    return w === "" ? [] : [w === EMPTY ? "" : w];
  });
}

/** To which length there are not too many strings. */
export function longestOf(symbols) {
  if (!symbols) return 0;
  let [length, strings, last] = [0, 1, symbols];
  for (; length < LONGEST && strings + last <= STRINGS; length++) {
    strings += last;
    last *= symbols;
  }
  return length;
}

// ---- Python ----

function languageInPython(state, language) {
  const { kind, text, alphabet, strings } = language;
  if (kind === "builtin") {
    const [module, name, way] = PYTHON[language.name] ?? ["lib.languages", language.name, ""];
    return [`from ${module} import ${name}`, `${name}${way}`];
  }
  const symbols = JSON.stringify([...alphabet].join(""));
  if (kind === "formula")
    return [
      "from lib.formulas import formula, language",
      `language(formula(${JSON.stringify(text)}, ${symbols}), ${symbols})`,
    ];
  const members = strings.length ? `{${strings.map(w => JSON.stringify(w)).join(", ")}}` : "set()";
  return [
    "from lib.languages import Language",
    `Language("a list", lambda w: w in ${members}, tuple(${symbols}))`,
  ];
}

/** Python that makes the construction and asks for the same verdict. */
export function asPython(state) {
  const { json, options } = built(state);
  const alphabet = alphabetOf(json);
  const longest = longestOf(alphabet.length);
  const language = languageOf(state, alphabet);
  const read = [
    `attention=${JSON.stringify(options.attention)}`,
    ...(options.eps === null ? [] : [`eps=${options.eps}`]),
    ...(options.logN ? ["log_n=True"] : []),
  ].join(", ");
  const isFormula = !puzzleOf(state) && state.made === "formula";
  const made = isFormula
    ? `from lib.formulas import compiled\n\nmachine = compiled(${[state.formula, state.symbols, state.kind].map(text => JSON.stringify(text)).join(", ")})\nconstruction = machine.construction\n`
    : toPython(json);
  const [imports, expression] = languageInPython(state, { alphabet, ...language });
  return `${made}\nfrom lib.formulas import verdict\n${imports}\n\nprint(verdict(construction, ${expression}, longest=${longest}, ${read}))\n`;
}
