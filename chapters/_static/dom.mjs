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

export function choice(names, chosen, onchange) {
  const made = element(
    "select",
    { onchange },
    ...names.map(n => element("option", { value: n }, n)),
  );
  made.value = chosen;
  return made;
}

/** What the address asks for, of the names in `start`. */
export function asked(address, start) {
  const found = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
  return {
    ...start,
    ...Object.fromEntries(Object.entries(found).filter(([name]) => Object.hasOwn(start, name))),
  };
}

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

/**
 * One of several, as buttons in a row: arrows move, and one stop of the tab key leads in. Gives the
 * element; its `show(names, chosen, labels)` draws it anew, and only what differs.
 */
export function radios(name, onchoose, attributes = {}) {
  const choose = to => {
    if (!made.children[to]) return;
    onchoose(to);
    made.children[to].focus();
  };
  const made = element("div", {
    role: "radiogroup",
    "aria-label": name,
    ...attributes,
    onclick: ({ target }) => {
      const button = target.closest("button");
      if (button) choose([...made.children].indexOf(button));
    },
    onkeydown: event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const at = [...made.children].indexOf(event.target);
      const to = { Home: 0, End: made.children.length - 1 }[event.key] ?? at + step;
      if (Number.isNaN(to)) return;
      event.preventDefault();
      choose(to);
    },
  });
  made.show = (names, chosen, labels = names) => {
    while (made.children.length > names.length) made.lastChild.remove();
    names.forEach((text, i) => {
      if (!made.children[i]) made.append(element("button", { type: "button", role: "radio" }));
      const button = made.children[i];
      if (button.textContent !== text) button.textContent = text;
      if (labels[i] !== text) button.setAttribute("aria-label", labels[i]);
      button.setAttribute("aria-checked", String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
    });
  };
  return made;
}

export const subscript = i => [...String(i)].map(digit => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** A number of a picture or a table, as short as it can be said. */
export const shown = x =>
  Number.isInteger(x) && Math.abs(x) < 1e6
    ? String(x).replace("-", "−")
    : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4
      ? x.toExponential(1).replaceAll("-", "−")
      : String(Number(x.toPrecision(3))).replace("-", "−");
