// The book's constructions as experiments of the workshop: by name, and by links of earlier editions,
// which named a form, a string, a gain, how it is read, and numbers that were changed.

import { fresh, sample } from "./experiment.mjs";
import { toRows } from "./format.mjs";
import { SYMBOLS } from "./languages.mjs";
import { fractionText, rational } from "./numbers.mjs";
import { withGain } from "./reader.mjs";

const LONGEST = 40; // symbols of a string

/** The experiment that one of a model's forms is. */
const exampleOf = ({ language, example, alphabet }, json) => ({
  ...fresh(),
  made: "rows",
  attention: "softmax",
  rows: toRows(json),
  symbols: SYMBOLS[language] ?? "01",
  language,
  w: example ?? sample(alphabet),
});

/** The model of that name as an experiment; nothing where there is none. */
export function named(name, { models }) {
  const model = models.find(one => one.name === name);
  return model && exampleOf(model, Object.values(model.variants)[0]);
}

/**
 * What a link such as m=PARITY&v=mirrored&w=11&c=2&eps=0&logn=1&e=12*0_15*-1/2 asks for: there, `e`
 * gives the coefficients of those numbers other values. What makes no sense is left out.
 */
export function linked({ m, transformer = m, v, w, c = "1", eps = "off", logn, e = "" }, data) {
  const model = data.models.find(({ name }) => name === transformer) ?? data.models[0];
  const form = Object.hasOwn(model.variants, v) ? v : Object.keys(model.variants)[0];
  const gain = number(c);
  const isGain = gain && !/^[0-]/.test(gain);
  const json = withGain(model.variants[form], isGain ? gain : "1", model.scaled);
  const changes = new Map(e.split("_").map(part => part.split("*")));
  for (const [i, [owner, key]] of slots(json).entries()) {
    const value = number(changes.get(String(i)) ?? "");
    if (value && (key !== "base" || !/^[0-]/.test(value))) owner[key] = value;
  }
  const fits = [...(w ?? "")].filter(a => model.alphabet.includes(a)).slice(0, LONGEST);
  const asks = {
    eps,
    logn: logn === "1" ? "1" : "",
    ...(w === undefined ? {} : { w: fits.join("") }),
  };
  return { ...exampleOf(model, json), ...asks };
}

/** Where the coefficients other than 0 of a construction's JSON stand, in the order of its rows. */
function slots({ word, position, layers, output }) {
  const of = row => Object.keys(row).flatMap(key => (row[key] === "0" ? [] : [[row, key]]));
  const ofAll = rows => Object.values(rows).flatMap(of);
  const ofHead = head => [
    [head, "gain"],
    ...(head.base ? [[head, "base"]] : []),
    ...[head.q, head.k, head.v].flatMap(ofAll),
  ];
  const ofLayer = ({ heads, ffn }) => [
    ...heads.flatMap(ofHead),
    ...(ffn ? [...ofAll(ffn.hidden), ...ofAll(ffn.out)] : []),
    ...Object.keys(ffn?.bias ?? {}).map(key => [ffn.bias, key]),
  ];
  return [...ofAll(word), ...ofAll(position), ...layers.flatMap(ofLayer), ...of(output)];
}

/** A number as JSON writes it, "-1/2", of what a link says; null for no number. */
function number(text) {
  try {
    return fractionText(rational(text.replace("−", "-")));
  } catch {
    return null;
  }
}
