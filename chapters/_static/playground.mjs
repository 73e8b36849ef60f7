// The reader of constructions in the browser: the same data as lib.encoder and lib.exact read, in
// the page's own float64.

import { asked, choice, element, labelled, linkButton, remember, subscript } from "./dom.mjs";
import { mount as mountMachines } from "./turing.mjs";

const number = text => {
  const [p, q] = String(text).split("/");
  return q === undefined ? Number(p) : Number(p) / Number(q);
};
const form = data => ({
  terms: Object.entries(data)
    .filter(([name]) => name)
    .map(([name, c]) => [name, number(c)]),
  constant: number(data[""] ?? 0),
});
const rows = data => Object.entries(data).map(([name, f]) => [name, form(f)]);

/**
 * A construction from its JSON (lib.construction.Construction.to_json), fractions turned into
 * numbers once.
 */
export function parse(json) {
  const layers = json.layers.map(layer => ({
    heads: layer.heads.map(head => ({
      v: rows(head.v),
      q: head.q.map(form),
      k: head.k.map(form),
      gain: number(head.gain) * (head.base ? Math.log(number(head.base)) : 1),
      mask: head.mask,
    })),
    ffn: layer.ffn && {
      hidden: layer.ffn.hidden.map(form),
      out: Object.entries(layer.ffn.out).map(([name, row]) => [name, row.map(number)]),
      bias: Object.entries(layer.ffn.bias).map(([name, b]) => [name, number(b)]),
    },
  }));
  return {
    space: json.space,
    word: Object.fromEntries(rows(json.word)),
    position: rows(json.position),
    layers,
    output: form(json.output),
    readout: json.readout,
    accepts: json.activation === "indicator" ? s => s === 0 : s => s > 0,
  };
}

const value = (f, stream, i) =>
  f.terms.reduce((sum, [name, c]) => sum + c * (stream[name]?.[i] ?? 0), f.constant);
const column = (f, stream, n) => Float64Array.from({ length: n }, (_, i) => value(f, stream, i));
const add = (stream, name, values) => {
  stream[name] = stream[name]
    ? stream[name].map((x, i) => x + values[i])
    : Float64Array.from(values);
};

function shares(weights) {
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map(x => x / total);
}

function softmax(logits) {
  const top = Math.max(...logits);
  return shares(logits.map(x => Math.exp(x - top)));
}

function hardmax(logits) {
  const top = Math.max(...logits);
  return shares(logits.map(x => Number(x === top)));
}

/** What a row of logits becomes: hardmax is the averaging kind, which shares the weight on a tie. */
export const ATTENTIONS = { softmax, hardmax };

/** How many of n tokens, from the first, the one at position i sees. */
export const MASKS = { null: (i, n) => n, future: i => i + 1, "strict future": i => i };

/** The position, of n, whose vector the logit is read from. */
export const READOUTS = { CLS: () => 0, last: n => n - 1 };

function normalize(stream, space, n, eps) {
  if (eps === null) return stream;
  const result = Object.fromEntries(space.map(name => [name, new Float64Array(n)]));
  for (let i = 0; i < n; i++) {
    const x = space.map(name => stream[name]?.[i] ?? 0);
    const mean = x.reduce((a, b) => a + b, 0) / x.length;
    const scale = 1 / Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length + eps);
    space.forEach((name, j) => {
      result[name][i] = (x[j] - mean) * scale;
    });
  }
  return result;
}

/**
 * Runs a parsed construction on w. `positions[f][n - 1]` holds the values of the position function
 * f; `scaled(layer, head)` says whether c multiplies that head's gain. Gives the logit, the residual
 * stream after every sublayer and all attention weights, 0 where a mask hides a position.
 */
export function run(
  construction,
  w,
  positions,
  { attention: kind = "softmax", c = 1, eps = null, logN = false, scaled = () => true } = {},
) {
  const tokens = ["CLS", ...w, ...(construction.word.EOS ? ["EOS"] : [])];
  const n = tokens.length; // as Construction.tokens
  let stream = {};
  for (const name of construction.space) {
    if (
      !tokens
        .concat(Object.keys(construction.word))
        .some(t => construction.word[t].terms.some(([other]) => other === name))
    )
      continue;
    stream[name] = Float64Array.from(
      tokens,
      t => construction.word[t].terms.find(([other]) => other === name)?.[1] ?? 0,
    );
  }
  for (const [f, carried] of construction.position)
    for (const [name, k] of carried.terms)
      add(
        stream,
        name,
        positions[f][n - 1].map(x => k * x),
      );
  const stages = [{ title: "embedding", stream }];
  const attention = [];
  construction.layers.forEach((layer, l) => {
    const heard = { ...stream };
    layer.heads.forEach((head, h) => {
      const gain = head.gain * (scaled(l, h) ? c : 1) * (logN ? Math.log(n) : 1);
      const q = head.q.map(f => column(f, stream, n));
      const k = head.k.map(f => column(f, stream, n));
      const logit = (i, j) => gain * q.reduce((sum, row, r) => sum + row[i] * k[r][j], 0);
      const weights = tokens.map((_, i) => {
        const seen = tokens.slice(0, MASKS[head.mask](i, n));
        return ATTENTIONS[kind](seen.map((_, j) => logit(i, j)));
      });
      for (const [name, f] of head.v) {
        const v = column(f, stream, n);
        add(
          heard,
          name,
          weights.map(row => row.reduce((sum, a, j) => sum + a * v[j], 0)),
        );
      }
      const whole = weights.map(row => tokens.map((_, j) => row[j] ?? 0));
      attention.push({ layer: l + 1, head: h + 1, weights: whole });
    });
    const between = normalize(heard, construction.space, n, eps);
    if (layer.heads.length) stages.push({ title: `attention ${l + 1}`, stream: between });
    stream = { ...between };
    if (layer.ffn) {
      const hidden = layer.ffn.hidden.map(f => column(f, between, n).map(x => Math.max(0, x)));
      const added = {};
      for (const [name, row] of layer.ffn.out)
        row.forEach((k, u) =>
          add(
            added,
            name,
            hidden[u].map(x => k * x),
          ),
        );
      for (const [name, b] of layer.ffn.bias) add(added, name, new Float64Array(n).fill(b));
      for (const [name, values] of Object.entries(added)) add(stream, name, values);
    }
    stream = normalize(stream, construction.space, n, eps);
    if (layer.ffn || !layer.heads.length) stages.push({ title: `feed-forward ${l + 1}`, stream });
  });
  const read = READOUTS[construction.readout](n);
  return { tokens, logit: value(construction.output, stream, read), stages, attention };
}

export const LANGUAGES = {
  FIRST: w => w[0] === "1",
  PARITY: w => [...w].filter(a => a === "1").length % 2 === 1,
  ONE: w => [...w].filter(a => a === "1").length === 1,
  PALINDROME: w => w === [...w].reverse().join(""),
};

// ---- the page ----

const EPS = { off: null, 0: 0, "1e-5": 1e-5, "1e-2": 1e-2, 1: 1 };
const START = { m: "PARITY", v: "published", w: "10110", c: "1", eps: "off", logn: "0" };

const shown = x =>
  Number.isInteger(x)
    ? String(x)
    : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4
      ? x.toExponential(1)
      : String(Number(x.toPrecision(3)));
const largest = rows =>
  Math.max(...rows.flatMap(([, values]) => Array.from(values, Math.abs))) || 1;

/**
 * A table of numbers as HTML, each tinted by its size beside the largest, of its row or of all.
 * Names come from constructions, not from the reader.
 */
function table(caption, corner, heads, body, together) {
  const all = largest(body);
  const line = ([name, values]) => {
    const top = together ? all : largest([[name, values]]);
    const cells = Array.from(
      values,
      x =>
        `<td style="--share:${(Math.abs(x) / top).toFixed(2)}"${x < 0 ? ' class="minus"' : ""}>${shown(x)}</td>`,
    );
    return `<tr><th scope="row">${name}</th>${cells.join("")}</tr>`;
  };
  return (
    `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr><th scope="col">${corner}</th>` +
    `${heads.map(h => `<th scope="col">${h}</th>`).join("")}</tr></thead><tbody>${body.map(line).join("")}</tbody></table></div>`
  );
}

function drawn(result) {
  const heads = result.tokens.map((t, i) => t + subscript(i));
  const attention = result.attention.map(({ layer, head, weights }) =>
    table(
      `Layer ${layer}, head ${head}`,
      "from",
      heads,
      weights.map((row, i) => [heads[i], row]),
      true,
    ),
  );
  const stages = result.stages.map(({ title, stream }) =>
    table(`After ${title}`, "coordinate", heads, Object.entries(stream), false),
  );
  return (
    `<h3>Attention: each row's weights</h3><div class="group">${attention.join("")}</div>` +
    `<h3>Residual stream: every coordinate</h3><div class="group">${stages.join("")}</div>`
  );
}

/**
 * Fills `root` with the playground for `data`, the JSON that the book's build writes; gives a
 * function that reruns it.
 */
export function mount(root, data, address = window.location) {
  const parsed = Object.fromEntries(
    data.models.flatMap(m =>
      Object.entries(m.variants).map(([v, json]) => [`${m.name} ${v}`, parse(json)]),
    ),
  );
  const state = { tab: "strings", ...asked(address, START) };
  const answer = element("output", { class: "answer", "aria-live": "polite" });
  const symbols = element("div", {
    class: "symbols",
    role: "group",
    "aria-label": "symbols: press one to turn it",
  });
  const pictures = element("div", { class: "pictures" });
  const text = element("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: data.longest,
  });
  const c = element("input", { type: "range", min: "0.25", max: "10", step: "0.25" });
  const length = element("input", { type: "range", min: "0", max: data.longest, step: "1" });
  const logN = element("input", { type: "checkbox" });
  let frame = 0;

  const model = () => data.models.find(m => m.name === state.m) ?? data.models[0];
  const set = change => {
    Object.assign(state, change);
    show();
  };
  const models = choice(
    data.models.map(m => m.name),
    model().name,
    () => set({ m: models.value }),
  );
  const variants = choice(["published"], "published", () => set({ v: variants.value }));
  const eps = choice(Object.keys(EPS), state.eps in EPS ? state.eps : "off", () =>
    set({ eps: eps.value }),
  );
  text.addEventListener("input", () => set({ w: text.value.replace(/[^01]/g, "") }));
  c.addEventListener("input", () => set({ c: c.value }));
  length.addEventListener("input", () =>
    set({ w: (state.w + "0".repeat(data.longest)).slice(0, Number(length.value)) }),
  );
  logN.addEventListener("change", () => set({ logn: logN.checked ? "1" : "0" }));
  const flip = i => {
    set({ w: state.w.slice(0, i) + (state.w[i] === "1" ? "0" : "1") + state.w.slice(i + 1) });
    symbols.children[i].focus();
  };

  function show() {
    const m = model();
    const names = Object.keys(m.variants);
    if (!names.includes(state.v)) state.v = names[0];
    if (variants.textContent !== names.join(""))
      variants.replaceChildren(...names.map(n => element("option", { value: n }, n)));
    state.m = m.name;
    state.w = state.w.replace(/[^01]/g, "").slice(0, data.longest);
    state.c = String(Math.min(10, Math.max(0.25, Number(state.c) || 1)));
    if (!(state.eps in EPS)) state.eps = "off";
    variants.value = state.v;
    models.value = state.m;
    eps.value = state.eps;
    c.value = state.c;
    length.value = state.w.length;
    logN.checked = state.logn === "1";
    if (text.value !== state.w) text.value = state.w;
    symbols.replaceChildren(
      ...[...state.w].map((a, i) =>
        element(
          "button",
          {
            type: "button",
            "aria-label": `symbol ${i + 1} is ${a}`,
            "aria-pressed": a === "1" ? "true" : "false",
            onclick: () => flip(i),
          },
          a,
        ),
      ),
    );
    const options = {
      c: Number(state.c),
      eps: EPS[state.eps],
      logN: state.logn === "1",
      scaled: (l, h) => m.scaled.some(([x, y]) => x === l && y === h),
    };
    const result = run(parsed[`${m.name} ${state.v}`], state.w, data.positions, options);
    const s = result.logit;
    const inside = LANGUAGES[m.language](state.w);
    const accepts = parsed[`${m.name} ${state.v}`].accepts(s);
    const right = accepts === inside;
    c.disabled = m.scaled.length === 0;
    answer.replaceChildren(
      Number.isFinite(s)
        ? `logit ${s.toPrecision(6)}, probability ${(1 / (1 + Math.exp(-s))).toFixed(6)}: ${accepts ? "accepted" : "rejected"}`
        : "the logit is not a number (0/0)",
      element("br"),
      `${state.w === "" ? "the empty string" : state.w} is ${inside ? "" : "not "}in ${m.language}: `,
      element("strong", { class: right ? "right" : "wrong" }, right ? "right" : "wrong"),
    );
    root.style.setProperty("--language", data.colours[m.language]);
    cancelAnimationFrame(frame); // the answer now, the pictures and the link with the next frame
    frame = requestAnimationFrame(() => {
      pictures.innerHTML = drawn(result);
      remember(state);
    });
    for (const made of root.querySelectorAll("span[data-of]"))
      made.textContent = made.closest("label").querySelector("input").value;
    return result;
  }

  root.replaceChildren(
    element(
      "form",
      { class: "controls", "aria-label": "what is run", onsubmit: event => event.preventDefault() },
      labelled("transformer", models),
      labelled("form", variants),
      labelled("string w", text),
      labelled("length", length),
      labelled("gain c", c),
      labelled("layer normalization, ε", eps),
      labelled("logits × log n", logN),
      linkButton(address),
    ),
    symbols,
    answer,
    pictures,
  );
  return show;
}

/**
 * Two tabs, as a keyboard expects them: arrows move between them, the address says which is open.
 */
function tabs(root, data) {
  const panels = { strings: ["Strings", mount], machine: ["Turing machines", mountMachines] };
  const { tab } = asked(window.location, { tab: "strings" });
  const open = tab in panels ? tab : "strings";
  const made = Object.entries(panels).map(([name, [title, fill]]) => {
    const panel = element("div", {
      role: "tabpanel",
      id: `panel-${name}`,
      "aria-labelledby": `tab-${name}`,
    });
    const button = element(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": panel.id,
        onclick: () => turn(name),
      },
      title,
    );
    return { name, panel, button, show: fill(panel, data) };
  });
  function turn(to, focus = true) {
    for (const { name, panel, button, show } of made) {
      panel.hidden = name !== to;
      button.setAttribute("aria-selected", String(name === to));
      button.tabIndex = name === to ? 0 : -1;
      if (name === to) {
        show();
        if (focus) button.focus();
      }
    }
  }
  const list = element(
    "div",
    {
      role: "tablist",
      "aria-label": "what runs",
      onkeydown: event => {
        if (event.key === "ArrowRight" || event.key === "ArrowLeft")
          turn(made.find(({ panel }) => panel.hidden).name);
      },
    },
    ...made.map(({ button }) => button),
  );
  root.replaceChildren(list, ...made.map(({ panel }) => panel));
  turn(open, false);
}

if (typeof document !== "undefined" && document.getElementById("playground-root")) {
  const root = document.getElementById("playground-root");
  fetch(new URL("playground.json", import.meta.url))
    .then(found => found.json())
    .then(data => tabs(root, data))
    .catch(error => {
      root.textContent = `The playground could not be loaded: ${error.message}`;
    });
}
