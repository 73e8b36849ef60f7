// What a puzzle allows, and how large what is asked for is.

import { partsIn } from "./formulas.mjs";
import { alphabetOf } from "./reader.mjs";

const COUNTS = ["no", "one", "two", "three"];
const most = (count, what) =>
  count === 0 ? `no ${what}` : `at most ${COUNTS[count] ?? count} ${what}${count === 1 ? "" : "s"}`;
const without = text => text.replace(/\s/g, "");

const more = (count, allowed) => (count > allowed ? `this has ${count}` : null);

/** What the first layer has that breaks a rule, by what it `has` too much of; null where none does. */
function inLayer({ layers }, has) {
  const found = layers.map(has);
  const l = found.findIndex(Boolean);
  return l < 0 ? null : `layer ${l + 1} has ${found[l]}`;
}

/**
 * What a puzzle allows, as sentences, each with what a reader's `{json, text}` (of a construction, of
 * a formula) has instead, or null where it keeps to that; `isPlain` need not be said before.
 */
export function restrictions({ kind, rules = {}, alphabet }, made = null) {
  const { parts, layers, heads, headsPerLayer, feedForward, positions } = rules;
  const found = [];
  const rule = (text, instead, isPlain = false) =>
    found.push({ text, instead: made && instead(made.json), isPlain });
  if (parts) rule(most(parts, "part"), () => more(partsIn(made.text), parts));
  if (kind !== "rows") return found;
  rule(most(layers, "layer"), json => more(json.layers.length, layers));
  if (headsPerLayer)
    rule(`${most(headsPerLayer, "head")} in each layer`, json =>
      inLayer(json, ({ heads: all }) => all.length > headsPerLayer && all.length),
    );
  else if (heads) rule(most(heads, "head"), json => more(size(json).heads, heads));
  if (feedForward === false)
    rule("no feed-forward network", json => inLayer(json, ({ ffn }) => ffn && "one"));
  const only = `positions: only ${positions.join(" and ").replace(/ and (?=.* and )/g, ", ")}`;
  rule(positions.length ? only : "no positions", ({ position }) => {
    const isAllowed = formula => positions.map(without).includes(without(formula));
    const other = Object.keys(position).find(formula => !isAllowed(formula));
    return other === undefined ? null : `this has ${other}`;
  });
  const known = [...alphabet].sort().join(" and ");
  const others = json => {
    const has = alphabetOf(json).sort().join(" and ");
    return has === known ? null : `this has ${has || "none"}`;
  };
  rule(`the symbols are ${known}`, others, true);
  const readOut = ({ activation }) =>
    activation === "sigmoid" ? null : "this accepts where it is 0";
  rule("what is accepted has an output above 0", readOut, true);
  return found;
}

/** How large a construction is: layers, heads, coordinates and coefficients other than 0. */
export function size(json) {
  const heads = json.layers.flatMap(layer => layer.heads);
  const forms = [
    ...Object.values(json.word),
    ...Object.values(json.position),
    ...heads.flatMap(head => [...head.q, ...head.k, ...Object.values(head.v)]),
    ...json.layers.flatMap(({ ffn }) => ffn?.hidden ?? []),
    json.output,
  ];
  const numbers = [
    ...forms.flatMap(Object.values),
    ...heads.flatMap(({ gain, base }) => [gain, base ?? "0"]),
    ...json.layers.flatMap(({ ffn }) =>
      ffn ? [...Object.values(ffn.out).flat(), ...Object.values(ffn.bias)] : [],
    ),
  ];
  return {
    layers: json.layers.length,
    heads: heads.length,
    coordinates: json.space.length,
    coefficients: numbers.filter(c => String(c) !== "0").length,
  };
}

/** The size of an answer to a puzzle: of rows as above, of a formula its parts, of a string its length. */
export function sizeOf({ kind }, { json, text }) {
  if (kind === "rows") return size(json);
  return kind === "string" ? { symbols: [...text].length } : { parts: partsIn(text) };
}
