// The few pieces of page that the playground's tabs share.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, v] of Object.entries(attributes))
    name.startsWith("on") ? made.addEventListener(name.slice(2), v) : made.setAttribute(name, v);
  made.append(...children);
  return made;
}

export const labelled = (text, control) =>
  element(
    "label",
    {},
    element(
      "span",
      {},
      text,
      ...(control.type === "range" ? [" = ", element("span", { "data-of": text })] : []),
    ),
    control,
  );

export function choice(names, chosen, onchange) {
  const made = element(
    "select",
    { onchange },
    ...names.map(n => element("option", { value: n }, n)),
  );
  made.value = chosen;
  return made;
}

/** A button that copies the address, which holds what is on screen, and says so. */
export function linkButton(address) {
  const note = element("span", { class: "note", "aria-live": "polite" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address.href);
      note.textContent = "copied";
    } catch {
      note.textContent = "the link is in the address bar";
    }
  };
  return element(
    "div",
    {},
    element("button", { type: "button", onclick: copy }, "copy link"),
    " ",
    note,
  );
}

/** What the address asks for, of the names in `start`. */
export function asked(address, start) {
  const found = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
  return {
    ...start,
    ...Object.fromEntries(Object.entries(found).filter(([name]) => name in start)),
  };
}

export const remember = state => history.replaceState(null, "", `#${new URLSearchParams(state)}`);

export const subscript = i => [...String(i)].map(digit => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
