// The playground's first tab: a construction decides a string, in float64 and exactly, and shows how.

import { watch } from "./boxes.mjs";
import {
  asked,
  button,
  choice,
  element,
  labelled,
  radios,
  remember,
  shown,
  textBox,
} from "./dom.mjs";
import { LANGUAGES } from "./languages.mjs";
import {
  alike,
  arcs,
  arcsHeight,
  attentionTable,
  cellWidth,
  edited,
  escaped,
  fits,
  fraction,
  legend,
  possible,
  ranges,
  rowsList,
  said,
  showChanges,
  streamTable,
} from "./pictures.mjs";
import { decide, parse, run } from "./reader.mjs";
import { inWorker } from "./sweep.mjs";

const EPS = { off: null, 0: 0, "1e-5": 1e-5, "1e-2": 1e-2, 1: 1 };
const START = {
  m: "PARITY",
  v: "published",
  w: null, // the model's own example
  c: "1",
  eps: "off",
  logn: "0",
  e: "", // coefficients that the reader changed: "12*0_15*-1/2"
  row: "",
  step: "",
};
const SWEPT = 8; // symbols: all strings to this length are tried for a mistake
const TOKENS = 30; // pixels, of the row of tokens

const quoted = w => (w === "" ? "the empty string" : w);
const verdict = accepts => (accepts === null ? "undecided" : accepts ? "accepted" : "rejected");

/** What the reader changed, as the address has it, and back; what is no number is left out. */
const changesOf = text =>
  Object.fromEntries(
    text
      .split("_")
      .map(part => part.split("*"))
      .map(([i, value]) => [i, fraction(value ?? "")])
      .filter(([i, value]) => /^\d{1,3}$/.test(i) && value !== null),
  );
const asText = changes =>
  Object.entries(changes)
    .map(([i, value]) => `${i}*${value}`)
    .join("_");

const tabOf = address => new URLSearchParams(address.hash.slice(1)).get("tab");

/**
 * Fills `root` with the tab for `data`, the JSON that the book's build writes; gives a function
 * that shows it again. The address holds all of it: a link that is pasted over it, Back and Forward
 * lead there.
 */
export function mount(root, data, address = window.location) {
  let state = { tab: "strings", ...asked(address, START) };
  const parsed = new Map();
  const swept = new Map(); // what was found, by what it was found for
  let frame = 0;
  const boxes = watch();
  const tried = watch(); // what strings are tried for
  let result;

  const model = () => data.models.find(m => m.name === state.m) ?? data.models[0];

  /** Changes the state and shows it; a choice is a step that Back takes back. */
  function set(change, isChoice = true) {
    if (isChoice) remember(state);
    Object.assign(state, change);
    show();
    if (!isChoice) return boxes.changed(() => remember(state));
    boxes.drop();
    remember(state, true);
  }

  // ---- controls ----

  const models = choice(
    data.models.map(m => m.name),
    model().name,
    () => {
      const [from, to] = [model(), data.models.find(m => m.name === models.value)];
      const keeps = from.alphabet.join() === to.alphabet.join();
      set({ m: to.name, w: keeps ? state.w : null, e: "", row: "", step: "" });
    },
  );
  const variants = choice(["published"], "published", () =>
    set({ v: variants.value, e: "", row: "", step: "" }),
  );
  const text = textBox();
  const note = element("p", { class: "note", role: "status" });
  const length = element("input", { type: "range", min: "0", max: data.longest, step: "1" });
  const c = element("input", { type: "range", min: "0.25", max: "10", step: "0.25" });
  const eps = choice(Object.keys(EPS), "off", () => set({ eps: eps.value }));
  const logN = element("input", { type: "checkbox" });
  text.addEventListener("input", () => set({ w: text.value, row: "" }, false));
  c.addEventListener("input", () => set({ c: c.value }, false));
  length.addEventListener("input", () => {
    const longer = state.w + model().alphabet[0].repeat(data.longest);
    set({ w: longer.slice(0, Number(length.value)), row: "" }, false);
  });
  logN.addEventListener("change", () => set({ logn: logN.checked ? "1" : "0" }));

  /** Leaves out what the model cannot read, and says so. */
  function checked(m) {
    const given = state.w ?? m.example;
    const strange = [...new Set([...given].filter(a => !m.alphabet.includes(a)))];
    const kept = [...given].filter(a => m.alphabet.includes(a));
    const notes = [];
    if (strange.length)
      notes.push(
        `${strange.slice(0, 5).join(" ")} left out: ${m.name} reads ${m.alphabet.join(" and ")}.`,
      );
    if (kept.length > data.longest)
      notes.push(
        `${kept.length} symbols: this page draws ${data.longest} at most, the rest is left out.`,
      );
    if (note.textContent !== notes.join(" ")) note.textContent = notes.join(" ");
    return kept.slice(0, data.longest).join("");
  }

  // ---- symbols ----

  const symbols = element("div", {
    class: "symbols",
    role: "group",
    "aria-label": "symbols: press one to turn it",
    onclick: ({ target }) => {
      const i = [...symbols.children].indexOf(target.closest("button"));
      if (i < 0) return;
      const { alphabet } = model();
      const next = alphabet[(alphabet.indexOf(state.w[i]) + 1) % alphabet.length];
      set({ w: state.w.slice(0, i) + next + state.w.slice(i + 1) });
      focusSymbol(i);
    },
    onkeydown: event => {
      const i = [...symbols.children].indexOf(event.target);
      const last = symbols.children.length - 1;
      const to = {
        ArrowRight: Math.min(last, i + 1),
        ArrowLeft: Math.max(0, i - 1),
        Home: 0,
        End: last,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      focusSymbol(to);
    },
  });
  let focused = 0; // the symbol that the tab key leads to
  function focusSymbol(i) {
    focused = i;
    [...symbols.children].forEach((button, j) => {
      button.tabIndex = j === i ? 0 : -1;
    });
    symbols.children[i].focus();
  }
  function showSymbols(alphabet) {
    const { w } = state;
    focused = Math.max(0, Math.min(focused, w.length - 1));
    while (symbols.children.length > w.length) symbols.lastChild.remove();
    [...w].forEach((a, i) => {
      if (!symbols.children[i]) symbols.append(element("button", { type: "button" }));
      const button = symbols.children[i];
      button.tabIndex = i === focused ? 0 : -1;
      if (button.textContent === a && button.ariaLabel) return;
      button.textContent = a;
      button.setAttribute("aria-label", `symbol ${i + 1} is ${a}`);
      button.classList.toggle("turned", alphabet.indexOf(a) > 0);
    });
  }

  // ---- what it says ----

  const answer = element("div", { class: "answer says", role: "status" });
  function say(m, construction, options) {
    const inside = LANGUAGES[m.language](state.w);
    const { logit } = result;
    const float = Number.isNaN(logit) ? null : construction.accepts(logit);
    const exact = decide(construction, state.w, options);
    const side = (title, accepts, value, more) => {
      const logit = value.includes("not") || value === "0/0" ? value : `s = ${value}`;
      const right = accepts === inside;
      const mark =
        accepts === null
          ? ""
          : `: <strong class="${right ? "right" : "wrong"}">${right ? "right" : "wrong"}</strong>`;
      return `<div><h4>${title}</h4><p><b>${verdict(accepts)}</b>${mark}</p><p>${escaped(logit)}</p>${more}</div>`;
    };
    const probability =
      construction.accepts(0) || Number.isNaN(logit)
        ? ""
        : `<p>probability ${(1 / (1 + Math.exp(-logit))).toPrecision(4)}</p>`;
    answer.innerHTML =
      `<p><span class="w">${escaped(quoted(state.w))}</span> is ${inside ? "" : "not "}in ${m.language}.</p>` +
      side(
        "float64 says",
        float,
        float === null ? "0/0, not a number" : logit.toPrecision(6).replaceAll("-", "−"),
        probability,
      ) +
      side("exactly", exact.accepts, exact.text.replaceAll("-", "−"), "");
  }

  // ---- how it goes ----

  const steps = radios("after which sublayer", i => set({ step: String(i) }, false), {
    class: "steps",
  });
  const caption = element("p", { class: "caption" });
  const drawing = element("div", {});
  const tokens = radios("which position looks", i => set({ row: String(i) }, false), {
    class: "tokens",
  });
  const arcsBox = element("div", { class: "scroll arcs" }, drawing, tokens);
  const readout = element("p", { class: "readout" });
  const everyRow = element(
    "details",
    { ontoggle: () => drawTables() },
    element("summary", {}, "Every row, in numbers"),
    element("div", { class: "group" }),
  );
  const streamBox = element("div", {});
  let heads = []; // those that are drawn
  let looks = 0; // the position that looks
  let cell = 0;

  arcsBox.addEventListener("pointermove", ({ clientX }) => {
    const j = Math.floor((clientX - drawing.getBoundingClientRect().left) / cell);
    if (!heads.length || !result.tokens[j]) return;
    const weights = heads.map(({ head, weights }) => `head ${head} ${shown(weights[looks][j])}`);
    readout.textContent = `From ${looks} to ${j} (${result.tokens[j]}): ${weights.join(", ")}.`;
  });
  arcsBox.addEventListener("pointerleave", sayWeights);

  function sayWeights() {
    const others = alike(heads, looks);
    readout.textContent = heads.length
      ? heads.map(({ head, weights }) => `Head ${head}: ${said(weights[looks])}.`).join(" ") +
        (others.length > 1 ? ` The rows of positions ${ranges(others)} are alike.` : "")
      : "";
  }

  function draw() {
    const m = model();
    const { stages, attention } = result;
    const names = stages.map(({ title }) => title);
    const stage = Object.keys(stages).includes(state.step) ? Number(state.step) : stages.length - 1;
    const n = result.tokens.length;
    looks = Object.keys(result.tokens).includes(state.row) ? Number(state.row) : result.read;
    steps.show(
      names,
      stage,
      names.map(name => `after ${name}`),
    );
    const done = Number(/\d+/.exec(names[stage])?.[0] ?? 0);
    const layer = Math.max(0, ...attention.map(a => a.layer).filter(l => l <= done));
    heads = attention.filter(a => a.layer === layer);
    caption.textContent = heads.length
      ? `Attention of layer ${layer}, seen from position ${looks} (${result.tokens[looks]}): the wider an arc, the more weight. Press another position.`
      : "No position has looked at another yet.";
    cell = cellWidth(n, arcsBox.clientWidth);
    const most = Math.max(...attention.map(a => a.head), 1);
    arcsBox.style.minHeight = `${arcsHeight(Math.min(2, most)) + TOKENS}px`;
    drawing.innerHTML = arcs(heads, looks, cell);
    tokens.style.setProperty("--cell", `${cell}px`);
    tokens.style.setProperty("--letter", cell < 24 ? "0.6rem" : "0.75rem");
    tokens.show(
      result.tokens,
      looks,
      result.tokens.map((t, i) => `position ${i}, ${t}`),
    );
    sayWeights();
    streamBox.innerHTML = streamTable(stages, stage, result.tokens, m.variants[state.v].space);
    drawTables();
  }
  function drawTables() {
    everyRow.lastChild.innerHTML = everyRow.open
      ? heads.map(head => attentionTable(head, result.tokens, looks)).join("")
      : "";
  }
  new ResizeObserver(() => {
    if (result && cellWidth(result.tokens.length, arcsBox.clientWidth) !== cell) later();
  }).observe(arcsBox);
  const later = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };

  // ---- its rows, and what breaks ----

  const list = element("div", {
    class: "rows",
    onclick: ({ target }) => {
      const button = target.closest("button[data-i]");
      if (button) edit(button);
    },
    onkeydown: event => {
      const button = event.target.closest("button[data-i]");
      if (!button || !["Delete", "Backspace"].includes(event.key)) return;
      event.preventDefault();
      if (fits(button.dataset.key, "0")) change(button.dataset.i, "0");
    },
  });
  const changed = element("p", { class: "changed-note", role: "status" });
  const breaks = element("p", { class: "breaks", role: "status" });
  let listed = "";

  const original = () => model().variants[state.v];
  const slot = i => list.querySelector(`button[data-i="${i}"]`);

  /** A coefficient gets another value; null gives it its own back. */
  function change(i, value) {
    const changes = changesOf(state.e);
    if (value === null || value === slot(i)?.dataset.own) delete changes[i];
    else changes[i] = value;
    set({ e: asText(changes) });
  }

  /** Turns a coefficient into a field: Enter or leaving it applies, Escape does not. */
  function edit(coefficient) {
    const { i } = coefficient.dataset;
    const field = textBox({
      size: 5,
      value: coefficient.textContent,
      "aria-label": coefficient.getAttribute("aria-label"),
    });
    let isOpen = true;
    const close = value => {
      if (!isOpen) return;
      isOpen = false;
      holder.replaceWith(coefficient);
      if (value === undefined) showNote();
      else change(i, value);
    };
    const read = () => {
      const value = fraction(field.value);
      return value !== null && fits(coefficient.dataset.key, value) ? value : null;
    };
    const apply = () => {
      if (read() !== null) {
        close(read());
        return coefficient.focus();
      }
      field.setAttribute("aria-invalid", "true");
      changed.textContent = `${field.value || "Nothing"} is no number that can stand there; one such as −2, 0.5 or 1/3 can.`;
    };
    const quick = (name, label, value) => {
      const press = () => {
        close(value);
        coefficient.focus();
      };
      const onmousedown = event => event.preventDefault();
      return button(name, press, { "aria-label": label, onmousedown });
    };
    const holder = element(
      "span",
      {
        class: "edit",
        onkeydown: event => {
          if (event.target === field && event.key === "Enter") apply();
          if (event.key !== "Escape") return;
          close();
          coefficient.focus();
        },
        onfocusout: ({ relatedTarget }) => {
          if (!holder.contains(relatedTarget)) close(read() ?? undefined);
        },
      },
      field,
      ...(fits(coefficient.dataset.key, "0") ? [quick("0", "set it to 0", "0")] : []),
      ...(coefficient.classList.contains("changed")
        ? [quick("↺", "give it its own value back", null)]
        : []),
    );
    coefficient.replaceWith(holder);
    field.select();
    field.focus();
  }

  function showRows() {
    const of = `${state.m} ${state.v}`;
    if (of !== listed) list.innerHTML = rowsList(original());
    listed = of;
    showChanges(list, changesOf(state.e));
    showNote();
  }
  function showNote() {
    const count = Object.keys(changesOf(state.e)).length;
    const all = list.querySelectorAll("[data-i]").length;
    if (count)
      changed.replaceChildren(
        `${count} of ${all} numbers changed. `,
        button("restore all", () => set({ e: "" })),
      );
    else
      changed.textContent = `${all} numbers are all of it. Press one to change it; Delete makes it 0.`;
  }

  function showBreaks({ counterexample: w, kind, decision, strings }, m) {
    if (w === null) {
      breaks.textContent = `Right, with proof, on each of the ${strings} strings to length ${SWEPT}.`;
      return;
    }
    const load = button(quoted(w), () => set({ w, row: "" }));
    breaks.replaceChildren(
      kind === "wrong" ? "Shortest mistake: " : "Not proved from here on: ",
      load,
      kind === "wrong"
        ? ` is ${verdict(decision.accepts)}, and is ${decision.accepts ? "not " : ""}in ${m.language}.`
        : ` is undecided (s = ${decision.text}).`,
    );
  }

  /** Looks for the shortest string that is decided wrongly, elsewhere, and says what was found. */
  function sweep(construction, m, options, key) {
    tried.drop();
    if (swept.has(key)) return showBreaks(swept.get(key), m);
    breaks.textContent = `Trying every string to length ${SWEPT} …`;
    tried.changed(() => {
      const language = { kind: "builtin", name: m.language };
      const settings = { longest: SWEPT, options, alphabet: m.alphabet };
      const { answer, stop } = inWorker(construction.json, language, settings);
      tried.signal().addEventListener("abort", stop);
      answer.then(
        found => {
          swept.set(key, found);
          showBreaks(found, m);
        },
        error => {
          breaks.textContent = `The strings to length ${SWEPT} could not be tried: ${error.message}`;
        },
      );
    });
  }

  // ---- all of it ----

  let sweptFor = "";
  function show() {
    const m = model();
    const names = Object.keys(m.variants);
    if (!names.includes(state.v)) state.v = names[0];
    if (variants.textContent !== names.join(""))
      variants.replaceChildren(...names.map(n => element("option", { value: n }, n)));
    state.m = m.name;
    state.w = checked(m);
    state.c = String(Math.min(10, Math.max(0.25, Number(state.c) || 1)));
    if (!Object.hasOwn(EPS, state.eps)) state.eps = "off";
    const changes = possible(original(), changesOf(state.e));
    state.e = asText(changes);
    variants.value = state.v;
    models.value = state.m;
    eps.value = state.eps;
    c.value = state.c;
    c.disabled = m.scaled.length === 0;
    length.value = state.w.length;
    logN.checked = state.logn === "1";
    if (text.value !== state.w) text.value = state.w;
    for (const made of root.querySelectorAll("span[data-of]"))
      made.textContent = made.closest("label").querySelector("input").value;
    showSymbols(m.alphabet);
    const of = `${m.name} ${state.v} ${state.e}`;
    if (!parsed.has(of)) parsed.set(of, parse(edited(original(), changes)));
    const construction = parsed.get(of);
    const options = {
      c: Number(state.c),
      eps: EPS[state.eps],
      logN: state.logn === "1",
      scaled: m.scaled,
    };
    result = run(construction, state.w, options);
    result.read = construction.readout === "last" ? result.tokens.length - 1 : 0;
    say(m, construction, options);
    showRows();
    root.style.setProperty("--language", data.colours[m.language]);
    const key = JSON.stringify([of, state.c, state.eps, state.logn]);
    if (key !== sweptFor) sweep(construction, m, options, key);
    sweptFor = key;
    if (!drawing.firstChild) draw();
    else later(); // the answer now, the pictures with the next frame
    const open = tabOf(address);
    if (open && open !== "strings") remember(state, true); // this tab was turned to
    return result;
  }
  window.addEventListener("hashchange", () => {
    boxes.drop();
    if (!address.hash.includes("=") || (tabOf(address) ?? "strings") !== "strings") return;
    state = { tab: "strings", ...asked(address, START) };
    if (root.hidden) document.getElementById(root.getAttribute("aria-labelledby"))?.click();
    else show();
  });

  const controls = element(
    "form",
    { class: "controls", "aria-label": "what is run", onsubmit: event => event.preventDefault() },
    labelled("transformer", models),
    labelled("form", variants),
    labelled("string w", text),
    labelled("length", length),
    labelled("gain c", c),
    labelled("layer normalization, ε", eps),
    labelled("logits × log n", logN),
    boxes.linkButton(address, () => remember(state)),
  );
  root.replaceChildren(
    controls,
    note,
    symbols,
    answer,
    breaks,
    steps,
    caption,
    arcsBox,
    readout,
    everyRow,
    streamBox,
    element("h3", {}, "The whole transformer"),
    changed,
    list,
  );
  streamBox.before(element("div", {}));
  streamBox.previousSibling.outerHTML = legend();
  return show;
}
