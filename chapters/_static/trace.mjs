// The trace of one string: what every sublayer wrote, as one table.

import { button, element, shown, subscript } from "./dom.mjs";

const cell = x => {
  const made = element("td", x ? { class: x < 0 ? "minus" : "plus" } : {}, shown(x));
  if (x) made.style.setProperty("--share", Math.sqrt(Math.min(1, Math.abs(x))).toFixed(2));
  return made;
};
const row = (name, values) =>
  element(
    "tr",
    {},
    element("th", { scope: "row", title: name }, name),
    ...Array.from(values, cell),
  );
const same = (a, b) => a !== undefined && a.every((x, i) => Object.is(x, b[i]));

/**
 * A run as one table: a column for each token, and for each sublayer what it wrote; before that,
 * where the token at `from` looks. Pressing a token makes it the one that looks.
 */
export function traceTable({ tokens, stages, attention }, from, onfrom) {
  const heads = tokens.map((token, i) =>
    element(
      "th",
      { scope: "col" },
      button(token + subscript(i), () => onfrom(i), {
        "aria-pressed": String(i === from),
        "aria-label": `attention from ${token} at position ${i}`,
      }),
    ),
  );
  const part = (title, rows) =>
    element(
      "tbody",
      {},
      element("tr", {}, element("th", { scope: "rowgroup", colspan: tokens.length + 1 }, title)),
      ...rows,
    );
  let before = {};
  const parts = stages.map(({ title, stream }) => {
    const layer = Number(/^attention (\d+)$/.exec(title)?.[1]);
    const looks = attention
      .filter(head => head.layer === layer)
      .map(({ head, weights }) =>
        row(`head ${head} looks, from ${tokens[from]}${subscript(from)}`, weights[from]),
      );
    looks.forEach(tr => tr.classList.add("looks"));
    const written = Object.keys(stream).filter(name => !same(before[name], stream[name]));
    before = stream;
    return part(`after ${title}`, [...looks, ...written.map(name => row(name, stream[name]))]);
  });
  return element(
    "table",
    { class: "numbers" },
    element("caption", {}, "What each sublayer wrote. Press a token to see where it looks."),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "token"), ...heads)),
    ...parts,
  );
}
