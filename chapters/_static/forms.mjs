// Affine forms over named coordinates, and texts as Python writes them.

import { ONE, ZERO, add, fractionText, negative, times } from "./numbers.mjs";

/** An object that inherits nothing, so that any text may be a name in it. */
export function dictionary(entries) {
  const made = Object.create(null);
  for (const [name, value] of entries) made[name] = value;
  return made;
}

/** An affine form over named coordinates, with rational coefficients. */
export class Form {
  constructor(terms = [], constant = ZERO) {
    const merged = new Map();
    for (const [name, c] of terms) merged.set(name, add(merged.get(name) ?? ZERO, c));
    this.terms = [...merged].filter(([, c]) => c[0]);
    this.constant = constant;
  }
  plus(other) {
    return sumOf([this, other]);
  }
  times(factor) {
    const terms = this.terms.map(([name, c]) => [name, times(c, factor)]);
    return new Form(terms, times(this.constant, factor));
  }
  get negative() {
    return this.times(negative(ONE));
  }
  minus(other) {
    return this.plus(other.negative);
  }
  /** As data: the constant, if there is one, under "". */
  get json() {
    const constant = this.constant[0] ? [["", this.constant]] : [];
    return dictionary([...this.terms, ...constant].map(([name, c]) => [name, fractionText(c)]));
  }
}

export const coordinate = name => new Form([[name, ONE]]);
export const constantly = c => new Form([], c);
export const sumOf = forms =>
  new Form(
    forms.flatMap(({ terms }) => terms),
    forms.reduce((sum, { constant }) => add(sum, constant), ZERO),
  );

/** Rows of [name, form] as data. */
export const formsJSON = rows => dictionary([...rows].map(([name, form]) => [name, form.json]));

/** A sum of texts with the signs of their factors between them. */
export function joined(pieces) {
  const text = pieces
    .map(([c, piece]) => (`${c}`.startsWith("-") ? " - " : " + ") + piece)
    .join("");
  return (text.startsWith(" -") ? "-" : "") + text.slice(3) || "()";
}

const NAMED = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escaped(character) {
  const code = character.codePointAt(0).toString(16);
  const [mark, width] = code.length < 3 ? ["x", 2] : code.length < 5 ? ["u", 4] : ["U", 8];
  return NAMED[character] ?? `\\${mark}${code.padStart(width, "0")}`;
}

/** The text with what cannot be seen, or turns what follows it, escaped as Python does. */
export const visible = text => text.replace(/(?! )[\p{C}\p{Z}]/gu, escaped);

/** The text as Python's repr. */
export function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return quote + visible(inner) + quote;
}

/** The beginning of a text, for a message. */
export function cut(text) {
  const characters = [...text.slice(0, 100)];
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}...` : text;
}
