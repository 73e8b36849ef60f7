// Position encodings as formulas in the position i, counted from 0, and the number n of tokens: the
// grammar of lib.transformer.construction, on rational numbers.

import {
  ONE,
  RELATIONS,
  ZERO,
  add,
  compare,
  float,
  floor,
  negative,
  over,
  times,
} from "./numbers.mjs";

const SPELLINGS = [
  ["cos iπ", "(1 - 2 * (i % 2))"],
  ["²", "**2"],
  ["^", "**"],
  ["·", "*"],
  [" mod ", " % "],
  ["≤", "<="],
  ["≥", ">="],
  ["⌊", "floor("],
  ["⌋", ")"],
  ["[", "indicator("],
  ["]", ")"],
];
const AMBIGUOUS = /cos iπ\s*(?![-+)\]⌋<>=≤≥!\s]|$)/; // cos iπ/2, say
const LARGEST = 999; // exponent
const ARITHMETIC = {
  "+": add,
  "-": (a, b) => add(a, negative(b)),
  "*": times,
  "/": over,
  "%": (a, b) => add(a, negative(times(b, floor(over(a, b))))),
};
const TOKEN = /\s*(\d+(?!\w)|[a-z]+(?!\w)|\*\*|[=!<>]=|[-+*/%()=<>])/y;

function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  for (const end = text.trimEnd().length; TOKEN.lastIndex < end;) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`${text.slice(from).trim()} has no place in it`);
    found.push(match[1]);
  }
  return found;
}

/** A formula as a function of the rationals i and n, and whether it mentions n. */
function parsed(formula) {
  if (AMBIGUOUS.test(formula))
    throw new Error("cos iπ is (-1)^i, and stands in brackets before * / ^ and mod");
  const text = SPELLINGS.reduce((t, [ours, pythons]) => t.replaceAll(ours, pythons), formula);
  const rest = tokens(text);
  let length = false;

  function take(expected) {
    const found = rest.shift();
    if (expected && found !== expected)
      throw new Error(`${expected} is expected, not ${found ?? "its end"}`);
    return found;
  }
  const binary = (operations, operand) => () => {
    let value = operand();
    while (operations.includes(rest[0])) {
      const [operation, left, right] = [ARITHMETIC[take()], value, operand()];
      value = (i, n) => operation(left(i, n), right(i, n));
    }
    return value;
  };
  const sum = binary(["+", "-"], binary(["*", "/", "%"], negated));

  function negated() {
    if (rest[0] !== "-") return powered();
    take();
    const value = negated();
    return (i, n) => negative(value(i, n));
  }
  function powered() {
    const base = primary();
    if (rest[0] !== "**") return base;
    take();
    const exponent = take() ?? "its end";
    if (!/^\d+$/.test(exponent) || Number(exponent) > LARGEST || rest[0] === "**")
      throw new Error(`the exponent ${exponent} is not a whole number up to ${LARGEST}`);
    return (i, n) => base(i, n).map(part => part ** BigInt(exponent));
  }
  function primary() {
    const token = take();
    if (/^(0+|[1-9]\d*)$/.test(token)) {
      const value = [BigInt(token), 1n];
      return () => value;
    }
    if (token === "i") return i => i;
    if (token === "n") {
      length = true;
      return (_, n) => n;
    }
    if (token === "(") {
      const value = sum();
      take(")");
      return value;
    }
    if (token === "floor" || token === "indicator") {
      take("(");
      const left = sum();
      const holds = token === "floor" ? null : RELATIONS[take()?.replace(/^=$/, "==")];
      if (holds === undefined) throw new Error("[ ] does not compare two numbers");
      const right = holds && sum();
      take(")");
      return holds
        ? (i, n) => (holds(compare(left(i, n), right(i, n)), 0) ? ONE : ZERO)
        : (i, n) => floor(left(i, n));
    }
    throw new Error(`${token ?? "its end"} has no place in it`);
  }

  const value = sum();
  if (rest.length) throw new Error(`${rest[0]} has no place in it`);
  return { value, length };
}

const whole = i => [BigInt(i), 1n];
const known = new Map();

function read(formula) {
  if (known.has(formula)) return known.get(formula);
  let found;
  try {
    found = parsed(formula);
  } catch (error) {
    throw new Error(
      `"${formula}" is no formula for a position in i and n, such as "i/n", "i²", "[i=1]" or "⌊i/2⌋ mod 2": ${error.message}`,
    );
  }
  for (let n = 1; n < 5; n++)
    for (let i = 0; i < n; i++)
      try {
        found.value(whole(i), whole(n));
      } catch {
        throw new Error(`the position encoding "${formula}" is not defined at i = ${i}, n = ${n}`);
      }
  known.set(formula, found);
  return found;
}

/**
 * The position encoding that a formula spells: a rational for i and n. Error, which names the
 * formula, for what is none, or is not defined at some position of a short string.
 */
export function position(formula) {
  const { value } = read(formula);
  return (i, n) => value(whole(i), whole(n));
}

/** Whether a position encoding asks for the number n of tokens. */
export const dependsOnLength = formula => read(formula).length;

/** A position encoding's values at i = 0, ..., n - 1, each rounded once. */
export function column(formula, n) {
  const value = position(formula);
  return Float64Array.from({ length: n }, (_, i) => float(value(i, n)));
}
