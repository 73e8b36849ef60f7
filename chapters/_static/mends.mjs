// What a reader types: usual slips in it and what was meant, and the names that go on from what stands
// there.

import { BEGINNINGS, nearest } from "./format.mjs";
import { NAMES } from "./formulas.mjs";

const CLOSINGS = 10; // brackets at which a missing one is tried

export const OF_FORMULAS = [
  [/[“”„]/g, '"'],
  [/^\s*(\w)\s*$/, 'Q("$1")'],
  [/\bQ\(["']?(\w)["']?\)?/g, 'Q("$1")'],
  [/\b(count|total|once|never|always|previous)\((["']?)(\w)\2\)/g, '$1(Q("$3"))'],
  [/\b(count|total|once|never|always|previous)\s+(Q\("\w"\))/g, "$1($2)"],
  [/\s*&&?\s*/g, " and "],
  [/\s*\|\|?\s*/g, " or "],
  [/!(?!=)/g, "not "],
  [/=([<>])(?!=)/g, "$1="],
  [/(?<![=!<>])=(?!=)/g, "=="],
  [/≤/g, "<="],
  [/≥/g, ">="],
  [/[·×]/g, "*"],
  [/\b(?:position\s*(?:%|mod)|mod\(\s*position\s*,)\s*(\d+)\)?\s*==\s*(\d+)/g, "mod($1, $2)"],
  [/\b[A-Za-z]{2,}\b/g, word => wordMeant(word)],
  [/(?:\b(?:and|or|not)|[-+*,;.<>=\s])+$/, ""], // nothing comes after it
];
export const ofExpressions = symbols => [
  [/\[\^([^\]]*)\]/g, (_, but) => `[${[...symbols].filter(a => !but.includes(a)).join("")}]`],
  [/(^|[(|])\^|\$(?=$|[)|])/g, "$1"],
  [/ε/g, "()"],
  [/\|\|/g, "|"],
];

const WORDS = [...NAMES, "and", "or", "not", "if", "else"];
const wordMeant = word => (WORDS.includes(word) ? word : (nearest(word, WORDS) ?? word));

/** The text with usual slips mended, if it can be read then, and not before; else null. */
export function mended(text, slips, read) {
  const isRead = one => {
    try {
      read(one);
      return true;
    } catch {
      return false; // it is something else
    }
  };
  if (isRead(text)) return null;
  const better = slips.reduce((found, [slip, mend]) => found.replace(slip, mend), text).trim();
  const ends = ["", ")", "))", ...(/[a-z]/.test(better) ? [" >= 1", ") >= 1"] : [])];
  const closings = [...better.matchAll(/\)/g)].slice(0, CLOSINGS);
  return (
    [
      ...ends.map(end => better + end),
      ...closings.map(({ index }) => `${better.slice(0, index)})${better.slice(index)}`),
    ].find(isRead) ?? null
  );
}

/** Whether a formula asks for the remainder of a count, as even, odd, % or mod, which there is not. */
export const asksRemainder = text =>
  /\b(?:even|odd|parity)\b|\bmod\s*\([^()]*\b(?:count|total|Q)\b|\)\s*(?:%|mod\b)/i.test(text);

/** Rows in which the name that an error says was not meant is the one that was; or null. */
export function mendedRows(text, { message }) {
  const found =
    /^line (\d+): no (?:statement: |coordinate )(\S+?):?[\s;].*did you mean (.+?)\?/.exec(message);
  if (!found) return null;
  const [, line, wrong, right] = found;
  const lines = text.split("\n");
  lines[line - 1] = lines[line - 1].replace(wrong, right);
  return { text: lines.join("\n"), said: right };
}

/**
 * The names that a text may go on with at a place, and how much of each already stands there: those
 * that begin so, or else all.
 */
export function completions(text, place, names, most = 8) {
  const [begun] = /[^\s()+*,<>=·-]*$/.exec(text.slice(0, place));
  const found = names.filter(name => name.startsWith(begun) && name !== begun);
  if (found.length) return { begun: begun.length, names: found.slice(0, most) };
  return { begun: 0, names: names.slice(0, most) };
}

/** What may stand in a formula over these symbols. */
export const namesOfFormulas = symbols => [
  ...[...symbols].map(symbol => `Q(${JSON.stringify(symbol)})`),
  ...["count(", "once(", "never(", "always(", "previous(", "position", "mod(", "and", "or", "not"],
  ...["total(", "min(", "max("],
];

/** What may stand in rows: how lines begin, and the coordinates that they name. */
export function namesOfRows(text) {
  const named = /(?:^|[-+·:<*])\s*([\p{L}_][^\s:+·*<-]*)/gmu;
  const own = [...text.replace(/#.*/g, "").matchAll(named)].map(([, name]) => name);
  return [...new Set([...BEGINNINGS, ...own])].filter(name => name.length > 1);
}
