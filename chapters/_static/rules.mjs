// What a puzzle allows, and how large what is asked for is.

import { partsIn } from "./formulas.mjs";

const COUNTS = ["no", "one", "two", "three"];
const most = (count, what) =>
  count === 0 ? `no ${what}` : `at most ${COUNTS[count] ?? count} ${what}${count === 1 ? "" : "s"}`;
const without = text => text.replace(/\s/g, "");

/**
 * What a puzzle allows, as sentences, each with what a reader's `{json, text}` (of a construction, of
 * a formula) has instead, or null where it keeps to that; `isPlain` need not be said before.
 */
export function restrictions({ kind, rules = {}, alphabet }, made = null) {
  const found = [];
  if (rules.parts) {
    const parts = made && partsIn(made.text);
    const instead = parts > rules.parts ? `this has ${parts}` : null;
    found.push({ text: most(rules.parts, "part"), instead, isPlain: false });
  }
  if (kind !== "rows") return found;
  const json = made?.json ?? null;
  const rule = (text, test, isPlain = false) =>
    found.push({ text, instead: json && test(json), isPlain });
  const layers = rules.layers;
  if (layers !== undefined)
    rule(most(layers, "layer"), ({ layers: made }) =>
      made.length > layers ? `this has ${made.length}` : null,
    );
  if (rules.heads && !rules.headsPerLayer)
    rule(most(rules.heads, "head"), json => {
      const { heads } = size(json);
      return heads > rules.heads ? `this has ${heads}` : null;
    });
  if (rules.headsPerLayer)
    rule(`${most(rules.headsPerLayer, "head")} in each layer`, ({ layers: made }) => {
      const l = made.findIndex(({ heads }) => heads.length > rules.headsPerLayer);
      return l < 0 ? null : `layer ${l + 1} has ${made[l].heads.length}`;
    });
  if (rules.feedForward === false)
    rule("no feed-forward network", ({ layers: made }) => {
      const l = made.findIndex(({ ffn }) => ffn);
      return l < 0 ? null : `layer ${l + 1} has one`;
    });
  if (rules.positions)
    rule(
      rules.positions.length
        ? `positions: only ${rules.positions.join(" and ").replace(/ and (?=.* and )/g, ", ")}`
        : "no positions",
      ({ position }) => {
        const other = Object.keys(position).find(
          f => !rules.positions.map(without).includes(without(f)),
        );
        return other === undefined ? null : `this has ${other}`;
      },
    );
  const known = [...alphabet].sort().join(" and ");
  const symbols = ({ word }) => Object.keys(word).filter(token => [...token].length === 1);
  rule(
    `the symbols are ${known}`,
    json => {
      const has = symbols(json).sort().join(" and ");
      return has === known ? null : `this has ${has || "none"}`;
    },
    true,
  );
  rule(
    "what is accepted has an output above 0",
    ({ activation }) => (activation === "sigmoid" ? null : "this accepts where it is 0"),
    true,
  );
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
