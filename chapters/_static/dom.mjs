// The few pieces of page that the playground's tabs share.

export const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, v] of Object.entries(attributes))
    name.startsWith("on") ? made.addEventListener(name.slice(2), v) : made.setAttribute(name, v);
  made.append(...children);
  return made;
}

export const button = (text, onclick, attributes = {}) =>
  element("button", { type: "button", onclick, ...attributes }, text);

const NO_PROSE = { dir: "ltr", spellcheck: "false", autocapitalize: "off", autocomplete: "off" };

/** A box for a line that is no prose. */
export const textBox = attributes => element("input", { type: "text", ...NO_PROSE, ...attributes });

/** A box for several, of which `light` lights one, counted from 1, or none. */
export function linesBox(attributes) {
  const area = element("textarea", { wrap: "off", ...NO_PROSE, onscroll: place, ...attributes });
  const mark = element("span", { class: "mark", "aria-hidden": "true", hidden: "" });
  let lit = null;
  const length = name => parseFloat(getComputedStyle(area)[name]);
  function place() {
    mark.hidden = lit === null;
    if (mark.hidden) return;
    const above = length("paddingTop") + length("borderTopWidth") - area.scrollTop;
    mark.style.height = `${length("lineHeight")}px`;
    mark.style.top = `${above + (lit - 1) * length("lineHeight")}px`;
  }
  function light(to, isAmiss) {
    lit = to;
    mark.classList.toggle("amiss", isAmiss);
    const [top, bottom] = [lit - 1, lit + 1].map(line => line * length("lineHeight"));
    const isSeen = top >= area.scrollTop && bottom <= area.scrollTop + area.clientHeight;
    if (lit !== null && !isSeen && document.activeElement !== area)
      area.scrollTop = Math.max(0, top - area.clientHeight / 2);
    place();
  }
  return { area, element: element("span", { class: "lined" }, mark, area), light };
}

export const labelled = (text, control, attributes = {}) =>
  element("label", attributes, element("span", {}, text), control);

/** Choices of a select: each a value that says itself, or [value, text]. */
export const options = names =>
  names.map(one => {
    const [value, text] = Array.isArray(one) ? one : [one, one];
    return element("option", { value }, text);
  });

export function choice(names, chosen, onchange = () => {}) {
  const made = element("select", { onchange }, ...options(names));
  made.value = chosen;
  return made;
}

/** What the address asks for, by name. */
export const inAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** The tab of the playground that it asks for, or null: links without one are old. */
export function tabAsked() {
  const { tab = "strings" } = inAddress();
  if (!location.hash.includes("=")) return null;
  return tab === "strings" ? "workshop" : tab;
}

let fetched;
/** The constructions, formulas and machines that the book's build writes. */
export const playground = () =>
  (fetched ??= fetch(new URL("playground.json", import.meta.url)).then(found => {
    if (found.ok) return found.json();
    throw new Error("playground.json is not there");
  }));

/** Puts what is on screen into the address; with `push`, Back leads to what was there before. */
export function remember(state, push = false) {
  const hash = `#${new URLSearchParams(state)}`;
  if (hash === location.hash) return;
  try {
    history[push ? "pushState" : "replaceState"](null, "", hash);
  } catch {
    // a browser takes only so many in a while
  }
}

/** One of several, each a [value, text]; its `show(value)` says which is chosen. */
export function radios(name, choices, onchoose, attributes = {}) {
  const inputs = choices.map(([value]) =>
    element("input", { type: "radio", name, value, onchange: () => onchoose(value) }),
  );
  const labels = choices.map(([, text], i) => element("label", {}, inputs[i], text));
  const group = { role: "radiogroup", "aria-label": name, ...attributes };
  const show = chosen => inputs.forEach(input => (input.checked = input.value === chosen));
  return Object.assign(element("div", group, ...labels), { show });
}

export const fold = (attributes, title, ...inside) =>
  element("details", attributes, element("summary", {}, title), ...inside);

export const subscript = i => [...String(i)].map(digit => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** What is wider than the page, and scrolls by itself. */
export const region = (name, label) =>
  element("div", { class: `scroll ${name}`, tabindex: "0", role: "region", "aria-label": label });

/** A row of a table: what names it, then its cells, each a text, a piece of page or several. */
export const row = (name, cells, attributes = {}) =>
  element(
    "tr",
    attributes,
    element("th", { scope: "row" }, name),
    ...cells.map(one =>
      one instanceof HTMLTableCellElement ? one : element("td", {}, ...[one].flat()),
    ),
  );

/** A table of such rows, with a head for each column. */
export const table = (attributes, heads, rows) =>
  element(
    "table",
    attributes,
    element(
      "thead",
      {},
      element("tr", {}, ...heads.map(head => element("th", { scope: "col" }, head))),
    ),
    element("tbody", {}, ...rows),
  );

export const number = n => n.toLocaleString("en");
export const plural = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
export const length = w => [...w].length;

/** A string, of a long one its ends. */
export function shortened(w, most) {
  const signs = [...w];
  if (signs.length <= most) return w;
  const half = Math.floor(most / 2);
  return [...signs.slice(0, half), "…", ...signs.slice(-half)].join("");
}

/** A string as a sentence names it. */
export const briefly = w =>
  w === ""
    ? "the empty string"
    : `“${shortened(w, 40)}”${length(w) > 12 ? ` (${number(length(w))} symbols)` : ""}`;

/** A number of a picture or a table, as short as it can be said. */
export const shown = x =>
  Number.isInteger(x) && Math.abs(x) < 1e6
    ? String(x).replace("-", "−")
    : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4
      ? x.toExponential(1).replaceAll("-", "−")
      : String(Number(x.toPrecision(3))).replace("-", "−");
