// What a reader means, said otherwise than by the transformer that is judged: an expression, a
// property, a formula, examples, or a language of the book; as data that a worker can be sent.

import { holds, parseFormula } from "./formulas.mjs";
import { LANGUAGES, SYMBOLS, WRITTEN } from "./languages.mjs";
import { automaton } from "./regular.mjs";

export const WAYS = {
  expression: "a regular expression",
  property: "a property",
  examples: "examples",
  formula: "a formula",
};
export const EMPTY = '""'; // the empty string in a list

/** What is wrong with what a reader typed: in which box, and in which line of it. */
export class Amiss extends Error {
  constructor(message, box, line = null) {
    super(message);
    Object.assign(this, { box, line });
  }
}

export function within(box, make) {
  try {
    return make();
  } catch (error) {
    throw new Amiss(error.message, box, error.line ?? null);
  }
}

// ---- properties, each as an expression or a formula ----

const plain = symbol => (/[\p{L}\p{N}]/u.test(symbol) ? symbol : `[${symbol}]`);
const Q = symbol => `Q(${JSON.stringify(symbol)})`;

/** One of the symbols but these, as an expression; empty where there is no other. */
function others(alphabet, ...but) {
  const left = alphabet.filter(symbol => !but.includes(symbol));
  return left.length > 1 ? `[${left.join("")}]` : left.map(plain).join("");
}
const star = part => part && `${part}*`;

/** A formula that holds where a block of symbols ends. */
const ended = block =>
  block.reduce((before, symbol) => Q(symbol) + (before && ` and previous(${before})`), "");

/** By a sentence: a and b are symbols, n is a number, and w is a block of symbols. */
export const PROPERTIES = {
  "starts with a": ({ a }) => ({ expression: `${plain(a)}.*` }),
  "ends with a": ({ a }) => ({ expression: `.*${plain(a)}` }),
  "holds exactly n times a": ({ a, n, rest }) => ({
    expression: `${star(rest)}(${plain(a)}${star(rest)}){${n}}`,
  }),
  "holds at least n times a": ({ a, n }) => ({ expression: `.*(${plain(a)}.*){${n}}` }),
  "holds at most n times a": ({ a, n, rest }) => ({
    expression: `${star(rest)}(${plain(a)}${star(rest)}){0,${n}}`,
  }),
  "holds a so often that n divides it": ({ a, n, rest }) => ({
    expression: `${star(rest)}((${plain(a)}${star(rest)}){${n}})*`,
  }),
  "has a length that n divides": ({ n }) => ({ expression: `(.{${n}})*` }),
  "holds the block w": ({ w }) => ({ expression: `.*${w.map(plain).join("")}.*` }),
  "does not hold the block w": ({ w }) => ({ formula: `never(${ended(w)})` }),
  "has b directly after every a": ({ a, b, rest }) => ({
    expression: a === b ? star(rest) || "()" : `(${rest}|${plain(a)}${plain(b)})*`,
  }),
  "has all a before all b": ({ a, b, alphabet }) => ({
    expression: star(others(alphabet, b)) + star(others(alphabet, a)) || "()",
  }),
  "holds more a than b": ({ a, b }) => ({ formula: `count(${Q(a)}) > count(${Q(b)})` }),
  "holds as many a as b": ({ a, b }) => ({ formula: `count(${Q(a)}) == count(${Q(b)})` }),
};

/** Which of a, b, n and w a property speaks of. */
export const asks = property =>
  [..."abnw"].filter(letter => new RegExp(`\\b${letter}\\b`).test(property));

/** A property as a formula or an expression. Amiss for a block or a number that is none. */
function propertyOf({ property, a, b, n, block }, alphabet) {
  const asked = asks(property);
  const symbol = x => (alphabet.includes(x) ? x : alphabet[0]);
  if (asked.includes("n") && !/^[1-9]\d?$/.test(n))
    throw new Amiss(`n is a number from 1 to 99, not ${n || "nothing"}`, "n");
  const strange = [...block].find(x => !alphabet.includes(x));
  if (asked.includes("w") && (!block || strange !== undefined))
    throw new Amiss(
      `a block of the symbols ${alphabet.join(", ")} is expected, not ${block || "nothing"}`,
      "block",
    );
  const of = { a: symbol(a), b: symbol(b), n, w: [...block] };
  return PROPERTIES[property]({ ...of, alphabet, rest: others(alphabet, of.a) });
}

/** A property with its letters filled in. */
const filled = ({ property, a, b, n, block }) =>
  property.replace(/\b[abnw]\b/g, letter => ({ a, b, n, w: block })[letter]);

// ---- examples ----

/** The strings of a list, one a line; blank lines say nothing. */
function listed(text, alphabet, box) {
  return text.split(/\r\n|\r|\n/).flatMap((line, place) => {
    const w = line.trim();
    const strange = w === EMPTY ? undefined : [...w].find(a => !alphabet.includes(a));
    if (strange !== undefined)
      throw new Amiss(
        `line ${place + 1}: ${strange} is no symbol of ${alphabet.join(", ")}`,
        box,
        place + 1,
      );
    return w === "" ? [] : [w === EMPTY ? "" : w];
  });
}

function examplesOf({ list, out }, alphabet) {
  const inside = listed(list, alphabet, "list");
  const outside = listed(out, alphabet, "out");
  const both = inside.find(w => outside.includes(w));
  if (both !== undefined)
    throw new Amiss(`${both || "the empty string"} stands in both lists`, "out");
  if (!inside.length && !outside.length)
    throw new Amiss("list some strings: without any there is nothing to judge", "list");
  return { kind: "examples", inside, outside, alphabet };
}

// ---- all ways ----

/** A formula or an expression over an alphabet, read once. Amiss in that box where it is none. */
function written({ formula, expression }, alphabet, box, name) {
  if (formula !== undefined) {
    const { text: normal } = within(box, () => parseFormula(formula, alphabet));
    return { kind: "formula", text: formula, normal, alphabet, name };
  }
  within(box, () => automaton(expression, alphabet));
  return { kind: "expression", text: expression, alphabet, name };
}

/**
 * The language that a state names, as data: `kind` formula or expression, with its `text`; examples;
 * or builtin, with what it can be written as, if it can. `name` is what a sentence calls it.
 */
export function languageOf(state, alphabet) {
  const { language, expression, said } = state;
  switch (language) {
    case WAYS.expression:
      return written(
        { expression },
        alphabet,
        "expression",
        `the language of ${expression || "()"}`,
      );
    case WAYS.formula:
      return written({ formula: said }, alphabet, "said", "the language of the formula");
    case WAYS.property: {
      const found = propertyOf(state, alphabet);
      return written(found, alphabet, "property", `the language “${filled(state)}”`);
    }
    case WAYS.examples:
      return { ...examplesOf(state, alphabet), name: "the list" };
  }
  const own = [...(SYMBOLS[language] ?? "01")];
  if (alphabet.length !== own.length || !own.every(a => alphabet.includes(a)))
    throw new Amiss(
      `${language} is a language over ${own.join(", ")}, not ${alphabet.join(", ")}`,
      "symbols",
    );
  return { kind: "builtin", name: language, alphabet, ...WRITTEN[language] };
}

/** To which length all strings count that examples do not list: to the longest; -1 if others are listed. */
export const reach = ({ inside, outside }) =>
  outside.length ? -1 : Math.max(...inside.map(w => [...w].length));

/** What a language says of a string: examples nothing of those that they do not speak of, null. */
export function answerOf(language) {
  const belongs = memberOf(language);
  if (language.kind !== "examples") return belongs;
  const listed = new Set([...language.inside, ...language.outside]);
  const longest = reach(language);
  return w => (listed.has(w) || [...w].length <= longest ? belongs(w) : null);
}

/** A language as text that a formula can be held against at every length, or null. */
export function everyLength({ kind, text, formula, expression }) {
  if (kind === "formula" || formula) return { text: text ?? formula, ofFormula: true };
  if (kind === "expression" || expression) return { text: text ?? expression, ofFormula: false };
  return null;
}

/** Whether a string belongs to a language as data. */
export function memberOf({ kind, name, text, alphabet, inside }) {
  if (kind === "examples") {
    const all = new Set(inside);
    return w => all.has(w);
  }
  if (kind === "formula") {
    const tree = parseFormula(text, alphabet);
    return w => holds(tree, w);
  }
  if (kind === "expression") {
    const { rows, start } = automaton(text, alphabet);
    const places = new Map([...alphabet].map((symbol, k) => [symbol, k]));
    return w => rows[[...w].reduce((q, a) => rows[q].next[places.get(a)], start)].accepts;
  }
  return LANGUAGES[name];
}
