// The trace of one string: where a token looks, as arcs, and what every sublayer wrote, as one table.

import { button, element, escaped, row, shown, subscript } from "./dom.mjs";

const STRIP = 98; // pixels for the arcs of a head, with the tokens below
const BASE = 80;
const [LEAST, MOST] = [18, 56]; // pixels for a token

function arc(from, to, cell, base, far) {
  const [a, b] = [(from + 0.5) * cell, (to + 0.5) * cell];
  if (from === to)
    return `M${a - 4} ${base}C${a - 13} ${base - 26} ${a + 13} ${base - 26} ${a + 4} ${base}`;
  const top = base - 14 - (BASE - 20) * Math.sqrt(Math.abs(to - from) / far) * 1.1;
  return `M${a} ${base}C${a} ${top} ${b} ${top} ${b} ${base}`;
}

/** For each head arcs from a token to those that it looks at, as wide as the weights. */
export function arcs({ tokens, attention }, from, width) {
  const n = tokens.length;
  const cell = Math.max(LEAST, Math.min(MOST, Math.floor(width / n)));
  const far = Math.max(from, n - 1 - from, 1);
  const strips = attention.map(({ layer, head, weights }, h) => {
    const base = h * STRIP + BASE;
    const path = (w, j) =>
      `<path d="${arc(from, j, cell, base, far)}" stroke-width="${Math.max(0.6, 11 * w).toFixed(1)}" opacity="${(0.45 + 0.55 * w).toFixed(2)}"/>`;
    const drawn = weights[from].map((w, j) => (w < 5e-4 ? "" : path(w, j)));
    const texts = tokens.map(
      (token, j) => `<text x="${(j + 0.5) * cell}" y="${base + 13}">${escaped(token)}</text>`,
    );
    return (
      `<line x1="0" x2="${n * cell}" y1="${base}" y2="${base}"/>${drawn.join("")}` +
      `<text class="name" x="2" y="${base - 68}">layer ${layer}, head ${head}</text>${texts.join("")}`
    );
  });
  return (
    `<svg width="${n * cell}" height="${attention.length * STRIP}" aria-hidden="true">` +
    `<rect x="${from * cell}" width="${cell}" height="100%"/>${strips.join("")}</svg>`
  );
}

const cell = x => {
  const made = element("td", x ? { class: x < 0 ? "minus" : "plus" } : {}, shown(x));
  if (x) made.style.setProperty("--share", Math.sqrt(Math.min(1, Math.abs(x))).toFixed(2));
  return made;
};
const numbers = (name, values, attributes = {}) =>
  row(element("span", { title: name }, name), Array.from(values, cell), attributes);
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
      .map(({ head, weights }) => {
        const name = `head ${head} looks, from ${tokens[from]}${subscript(from)}`;
        return numbers(name, weights[from], { class: "looks" });
      });
    const written = Object.keys(stream).filter(name => !same(before[name], stream[name]));
    before = stream;
    return part(`after ${title}`, [...looks, ...written.map(name => numbers(name, stream[name]))]);
  });
  return element(
    "table",
    { class: "numbers" },
    element("caption", {}, "What each sublayer wrote. Press a token to see where it looks."),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "token"), ...heads)),
    ...parts,
  );
}
