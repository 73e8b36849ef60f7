// Pictures of a run: attention as arcs over the tokens, the residual stream as a table, and a
// construction as rows whose numbers can be pressed. One palette and one scale for every number.

import { shown, subscript } from "./dom.mjs";

export const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

/** A coordinate's name, as short as it can be said: #1 is the number of 1s so far. */
export const nice = name =>
  name
    .replace(/count\(Q\('(.)'\)\)/g, "#$1")
    .replace(/>=/g, "≥")
    .replace(/<=/g, "≤")
    .replace(/-(?=[ #c])/g, "−");

const titled = name =>
  `<i${nice(name) === name && name.length < 20 ? "" : ` title="${escaped(name)}"`}>${escaped(nice(name))}</i>`;

/** The tint of a number, in every table: the root of its size, full from 1 on; orange below 0. */
export const tint = x =>
  x ? ` class="${x < 0 ? "minus" : "plus"}" style="--share:${share(x)}"` : "";
const share = x => Math.sqrt(Math.min(1, Math.abs(x))).toFixed(2);

/** What the tints mean. */
export const legend = () =>
  `<p class="legend" aria-hidden="true">${[-1, -0.1, -0.01, 0, 0.01, 0.1, 1]
    .map(x => `<span${tint(x)}>${x < -0.5 ? "≤ −1" : x > 0.5 ? "≥ 1" : shown(x)}</span>`)
    .join("")}</p>`;

/** Whole numbers, rising, in short: 1, 2, 3, 6 is "1–3, 6", and 1, 3, 5, 7 is "1, 3, …, 7". */
export function ranges(numbers) {
  const found = [];
  for (let i = 0; i < numbers.length;) {
    const step = numbers[i + 1] - numbers[i];
    let last = i;
    while (numbers[last + 1] - numbers[last] === step) last++;
    const [a, z] = [numbers[i], numbers[last]];
    if (step === 1) found.push(`${a}–${z}`);
    else if (last - i > 2) found.push(`${a}, ${a + step}, …, ${z}`);
    else found.push(String(numbers[(last = i)]));
    i = last + 1;
  }
  return found.join(", ");
}

const same = (a, b) => a.length === b.length && a.every((x, i) => Object.is(x, b[i]));

/** Places 0..n-1 in groups that have the same key, in order. */
function grouped(n, key) {
  const groups = new Map();
  for (let i = 0; i < n; i++) {
    const k = key(i);
    groups.has(k) ? groups.get(k).push(i) : groups.set(k, [i]);
  }
  return [...groups.values()];
}

const MOST = 3; // weights that are named one by one

/** What a row of weights says: "0.22 on 1, 3; 0.08 on 0, 2". */
export function said(weights) {
  const groups = grouped(weights.length, i => weights[i].toPrecision(6))
    .map(places => [weights[places[0]], places])
    .sort(([a], [b]) => b - a);
  if (!groups[0]?.[0]) return "nothing";
  const parts = groups
    .slice(0, MOST)
    .filter(([w]) => w > 0)
    .map(([w, places]) => `${shown(w)} on ${ranges(places)}`);
  const rest = groups[MOST]?.[0];
  return parts.join("; ") + (rest ? `; ${shown(rest)} or less elsewhere` : "");
}

// ---- attention ----

const STRIP = 98; // pixels for a head: its arcs, and its numbers where there is room for them
const BASE = 80;
const NUMBERS = 36; // pixels that a number needs

/** Pixels for a token: all of `width` where that is enough, but never too few to press. */
export const cellWidth = (n, width) =>
  Math.max(matchMedia("(pointer: coarse)").matches ? 24 : 18, Math.min(56, Math.floor(width / n)));

export const arcsHeight = heads => heads * STRIP;

function arc(from, to, cell, base, far) {
  const [a, b] = [(from + 0.5) * cell, (to + 0.5) * cell];
  if (from === to)
    return `M${a - 4} ${base}C${a - 13} ${base - 26} ${a + 13} ${base - 26} ${a + 4} ${base}`;
  const top = base - 14 - (BASE - 20) * Math.sqrt(Math.abs(to - from) / far) * 1.1;
  return `M${a} ${base}C${a} ${top} ${b} ${top} ${b} ${base}`;
}

/** The row of each head as arcs to what it looks at, as wide as the weights. */
export function arcs(heads, row, cell) {
  const n = heads[0]?.weights.length ?? 0;
  const far = Math.max(row, n - 1 - row, 1);
  const strips = heads.map(({ head, weights }, h) => {
    const base = h * STRIP + BASE;
    const drawn = weights[row].map((w, j) =>
      w < 5e-4
        ? ""
        : `<path d="${arc(row, j, cell, base, far)}" stroke-width="${Math.max(0.6, 11 * w).toFixed(1)}" opacity="${(0.45 + 0.55 * w).toFixed(2)}"/>`,
    );
    const numbers =
      cell < NUMBERS
        ? ""
        : weights[row]
            .map((w, j) => `<text x="${(j + 0.5) * cell}" y="${base + 13}">${shown(w)}</text>`)
            .join("");
    return (
      `<line x1="0" x2="${n * cell}" y1="${base}" y2="${base}"/>${drawn.join("")}` +
      `<text class="name" x="2" y="${h * STRIP + 10}">head ${head}</text>${numbers}`
    );
  });
  return (
    `<svg width="${n * cell}" height="${arcsHeight(heads.length)}" role="img" aria-label="${escaped(heads.map(({ head, weights }) => `head ${head}: ${said(weights[row])}`).join(". "))}">` +
    `<rect x="${row * cell}" width="${cell}" height="100%"/>${strips.join("")}</svg>`
  );
}

/** Which rows of all these heads are that of `row`. */
export const alike = (heads, row) =>
  [...(heads[0]?.weights.keys() ?? [])].filter(i =>
    heads.every(({ weights }) => same(weights[i], weights[row])),
  );

const ROWS = 12; // of a table, around the chosen one: what can be seen at once

/** A head's rows as a table of numbers, those that are alike once. */
export function attentionTable({ layer, head, weights }, tokens, row) {
  const n = tokens.length;
  const all = grouped(n, i => weights[i].join());
  const at = all.findIndex(places => places.includes(row));
  const from = Math.max(0, Math.min(at - ROWS / 2, all.length - ROWS));
  const seen = all.slice(from, from + ROWS);
  const columns = grouped(n, j => all.map(([i]) => weights[i][j]).join()).filter(
    places => places.length === places.at(-1) - places[0] + 1,
  );
  const split = columns.flat().length === n ? columns : [...tokens.keys()].map(j => [j]);
  const body = seen.map(
    places =>
      `<tr${places.includes(row) ? ' class="lit"' : ""}><th scope="row">${ranges(places)}</th>${split
        .map(([j]) => `<td${tint(weights[places[0]][j])}>${shown(weights[places[0]][j])}</td>`)
        .join("")}</tr>`,
  );
  const part = all.length > ROWS ? `, ${ROWS} of its ${all.length} different rows` : "";
  return numbers(
    `Layer ${layer}, head ${head}${part}`,
    "row",
    split.map(places => headOf(tokens, places)),
    body,
  );
}

const headOf = (tokens, places) =>
  tokens[places[0]] +
  subscript(places[0]) +
  (places.length > 1 ? `…${subscript(places.at(-1))}` : "");

const numbers = (caption, corner, heads, body) =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="numbers"><caption>${caption}</caption>` +
  `<thead><tr><th scope="col">${corner}</th>${heads.map(h => `<th scope="col">${escaped(h)}</th>`).join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;

// ---- the residual stream ----

/**
 * The residual stream after a sublayer: a row for each coordinate of the space, lit where the
 * sublayer changed it; neighbours whose vectors are the same share a column.
 */
export function streamTable(stages, stage, tokens, space) {
  const { title, stream } = stages[stage];
  const before = stages[stage - 1]?.stream ?? {};
  const written = space.filter(name => stream[name]);
  const columns = [];
  tokens.forEach((_, i) => {
    const last = columns.at(-1)?.[0];
    last !== undefined && written.every(name => Object.is(stream[name][last], stream[name][i]))
      ? columns.at(-1).push(i)
      : columns.push([i]);
  });
  const body = space.map(name => {
    const values = stream[name];
    const is = values && !(before[name] && same(before[name], values)) && stage > 0;
    const cells = columns.map(([i]) =>
      values ? `<td${tint(values[i])}>${shown(values[i])}</td>` : "<td>·</td>",
    );
    return `<tr${is ? ' class="lit"' : values ? "" : ' class="later"'}><th scope="row">${titled(name)}</th>${cells.join("")}</tr>`;
  });
  return numbers(
    `Residual stream after ${title}`,
    "coordinate",
    columns.map(places => headOf(tokens, places)),
    body,
  );
}

// ---- a construction as rows ----

/**
 * The rows of a construction's JSON: sections of lines of coefficients other than 0. A coefficient
 * has its number i, which is the same as long as the construction is, and where it stands.
 */
export function sections(json) {
  let i = 0;
  const at = (owner, key, name) => ({ i: i++, owner, key, name });
  const form = f =>
    Object.keys(f)
      .filter(name => f[name] !== "0")
      .map(name => at(f, name, name));
  const line = (left, parts, right = "") => ({ left, parts, right });
  const lines = (rows, joint) =>
    Object.entries(rows).map(([name, f]) => line(`${nice(name)} ${joint}`, form(f)));
  const found = [
    { title: "embedding", lines: [...lines(json.word, "↦"), ...lines(json.position, "↦")] },
  ];
  json.layers.forEach(({ heads, ffn }, l) => {
    heads.forEach((head, h) => {
      const mask = head.mask ? `, mask: ${head.mask}` : "";
      found.push({
        title: `attention ${l + 1}, head ${h + 1}${mask}`,
        lines: [
          line("gain", [at(head, "gain", "")]),
          ...(head.base ? [line("base", [at(head, "base", "")])] : []),
          ...head.q.map((f, r) => line(`q${subscript(r + 1)} =`, form(f))),
          ...head.k.map((f, r) => line(`k${subscript(r + 1)} =`, form(f))),
          ...lines(head.v, "←"),
        ],
      });
    });
    if (ffn)
      found.push({
        title: `feed-forward ${l + 1}`,
        lines: [
          ...ffn.hidden.map((f, u) => line(`h${subscript(u + 1)} = max(0,`, form(f), ")")),
          ...Object.entries(ffn.out).map(([name, row]) =>
            line(
              `${nice(name)} ←`,
              row.flatMap((c, u) => (c === "0" ? [] : [at(row, u, `h${subscript(u + 1)}`)])),
            ),
          ),
          ...Object.keys(ffn.bias).map(name => line(`${nice(name)} ←`, [at(ffn.bias, name, "")])),
        ],
      });
  });
  found.push({ title: "logit", lines: [line("s =", form(json.output))] });
  return found;
}

const slots = json => sections(json).flatMap(({ lines }) => lines.flatMap(({ parts }) => parts));

/** The construction with those of its coefficients, {i: value}, changed; ones that it lacks are not. */
export function edited(json, changes) {
  const made = structuredClone(json);
  for (const { i, owner, key } of slots(made)) if (i in changes) owner[key] = changes[i];
  return made;
}

/** Whether a number can stand in a place: a base is above 0. */
export const fits = (key, value) => key !== "base" || !/^(0|-)/.test(value);

/** Those of the changes {i: value} that a construction can take. */
export const possible = (json, changes) =>
  Object.fromEntries(
    slots(json)
      .filter(({ i, key }) => i in changes && fits(key, changes[i]))
      .map(({ i }) => [i, changes[i]]),
  );

/** The rows as HTML: each coefficient a button with its number. */
export function rowsList(json) {
  const coefficient =
    left =>
    ({ i, owner, key, name }, place) =>
      `${place ? " + " : " "}<button type="button" data-i="${i}" data-own="${escaped(owner[key])}" data-key="${escaped(String(key))}" data-label="${escaped(`${left} ${nice(name)}`.trim())}"></button>` +
      (name ? ` ${titled(name)}` : "");
  return sections(json)
    .map(
      ({ title, lines }) =>
        `<div><h4>${title}</h4><ul>${lines
          .map(
            ({ left, parts, right }) =>
              `<li>${escaped(left)}${parts.map(coefficient(left)).join("") || " 0"}${right}</li>`,
          )
          .join("")}</ul></div>`,
    )
    .join("");
}

/** Shows which numbers of a list of rows are changed, {i: value}. */
export function showChanges(list, changes) {
  const minus = number => number.replace("-", "−");
  for (const button of list.querySelectorAll("button[data-i]")) {
    const { i, own, label } = button.dataset;
    const now = minus(changes[i] ?? own);
    button.textContent = now;
    button.classList.toggle("changed", i in changes);
    button.ariaLabel = `${label}: ${now}${i in changes ? `, was ${minus(own)}` : ""}`;
  }
}

/** A number as the construction's JSON writes it, "-1/2", of what a reader types; null for no number. */
export function fraction(text) {
  const typed = text.trim().replace("−", "-");
  const [, sign, p, q] = /^(-?)(\d{1,6})(?:\/(\d{1,6}))?$/.exec(typed) ?? [];
  if (p !== undefined && Number(q ?? 1) !== 0) return lowest(sign, BigInt(p), BigInt(q ?? 1));
  const [, minus, whole, digits] = /^(-?)(\d{0,6})\.(\d{1,6})$/.exec(typed) ?? [];
  return digits === undefined
    ? null
    : lowest(minus, BigInt((whole || "0") + digits), 10n ** BigInt(digits.length));
}

function lowest(sign, p, q) {
  let [a, b] = [p, q];
  while (b) [a, b] = [b, a % b];
  return `${p ? sign : ""}${p / a}${q / a === 1n ? "" : `/${q / a}`}`;
}
