// The playground: its tabs, each loaded when it is first opened.

import { button, element, tabAsked } from "./dom.mjs";

// A tab's title, and what loads its module; `mount(panel)` fills it and gives what shows it again.
const TABS = {
  workshop: ["Workshop", () => import("./workshop.mjs")],
  machine: ["Turing machines", () => import("./turing.mjs")],
};

/** Tabs, as a keyboard expects them: arrows move between them, the address says which is open. */
function tabs(root) {
  let open = Object.hasOwn(TABS, tabAsked()) ? tabAsked() : "workshop";
  const made = Object.entries(TABS).map(([name, [title, load]]) => {
    const panel = element("div", {
      role: "tabpanel",
      id: `panel-${name}`,
      "aria-labelledby": `tab-${name}`,
    });
    const tab = button(title, () => turn(name), {
      role: "tab",
      id: `tab-${name}`,
      "aria-controls": panel.id,
    });
    return { name, panel, tab, load, show: null };
  });
  async function turn(to, focus = true) {
    open = to;
    for (const { name, panel, tab } of made) {
      panel.hidden = name !== to;
      tab.setAttribute("aria-selected", String(name === to));
      tab.tabIndex = name === to ? 0 : -1;
    }
    const one = made.find(({ name }) => name === to);
    if (focus) one.tab.focus();
    try {
      one.show ??= one.load().then(({ mount }) => mount(one.panel));
      const show = await one.show;
      if (open === to) show();
    } catch (error) {
      one.panel.textContent = `This could not be loaded: ${error.message}`;
    }
  }
  const list = element(
    "div",
    {
      role: "tablist",
      "aria-label": "what runs",
      onkeydown: event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = made.findIndex(({ name }) => name === open);
        if (step) turn(made.at((at + step) % made.length).name);
      },
    },
    ...made.map(({ tab }) => tab),
  );
  root.replaceChildren(list, ...made.map(({ panel }) => panel));
  // a tab that was opened once listens itself
  window.addEventListener("hashchange", () => {
    const one = made.find(({ name }) => name === tabAsked());
    if (one && !one.show) turn(one.name);
  });
  turn(open, false);
}

/** What the page suggests to try becomes links, now that there is something to follow them. */
function links(root) {
  for (const link of document.querySelectorAll("a[data-try]")) {
    link.href = `#${link.dataset.try}`;
    link.addEventListener("click", () => root.scrollIntoView({ block: "start" }));
  }
}

const root = document.getElementById("playground-root");
if (root) {
  tabs(root);
  links(root);
}
