// The reader of chapter 6's transformers in the browser: the data and the arithmetic of
// lib.simulate, exact rational numbers.

import { asked, choice, element, labelled, linkButton, remember, subscript } from "./dom.mjs";

// ---- rational numbers [numerator, denominator], in lowest terms ----

const ZERO = [0n, 1n];
const ONE = [1n, 1n];
const abs = n => (n < 0n ? -n : n);

function divisor(n, d) {
  if ((d & (d - 1n)) === 0n) {
    const low = n & -n;
    return low < d ? low : d;
  } // a power of two, as nearly always
  while (d) [n, d] = [d, n % d];
  return n;
}

function lowest(n, d) {
  if (n === 0n) return ZERO;
  if (d === 1n) return [n, d];
  const g = divisor(abs(n), d);
  return g === 1n ? [n, d] : [n / g, d / g];
}

const add = (a, b) =>
  a[0] === 0n
    ? b
    : b[0] === 0n
      ? a
      : a[1] === b[1]
        ? lowest(a[0] + b[0], a[1])
        : lowest(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const times = (a, b) => lowest(a[0] * b[0], a[1] * b[1]);
const compare = (a, b) => {
  const left = a[0] * b[1];
  const right = b[0] * a[1];
  return left < right ? -1 : left > right ? 1 : 0;
};
const sigma = x => (x[0] <= 0n ? ZERO : x[0] >= x[1] ? ONE : x);
const rational = text => {
  const [n, d] = String(text).split("/");
  return [BigInt(n), BigInt(d ?? 1)];
};

// ---- a transformer, as lib.simulate.Run reads it ----

/** x -> W x + b for rows {name: form} over named coordinates. */
function affine(forms, names) {
  const place = Object.fromEntries(names.map((name, i) => [name, i]));
  const b = forms.map(form => rational(form[""] ?? 0));
  const columns = names.map(() => []);
  forms.forEach((form, r) =>
    Object.entries(form).forEach(([name, c]) => {
      if (name) columns[place[name]].push([r, rational(c)]);
    }),
  );
  return x => {
    const result = [...b];
    x.forEach((value, j) => {
      if (value[0] !== 0n)
        for (const [r, c] of columns[j]) result[r] = add(result[r], times(c, value));
    });
    return result;
  };
}

function writer(rows, names, space) {
  const map = affine(Object.values(rows), names);
  const places = Object.keys(rows).map(name => space.indexOf(name));
  return x => {
    const result = space.map(() => ZERO);
    const found = map(x);
    places.forEach((place, r) => {
      result[place] = found[r];
    });
    return result;
  };
}

/**
 * One head over vectors that it is shown one by one; hard attention, the average of the values
 * whose score is largest.
 */
function attention(head, space, masked) {
  const query = affine(head.q, space);
  const key = affine(head.k, space);
  const value = affine(Object.values(head.v), space);
  const places = Object.keys(head.v).map(name => space.indexOf(name));
  const seen = [];
  return {
    see: x => seen.push([key(x), value(x)]),
    find(x, sees = seen.length) {
      const q = query(x);
      const scores = seen.slice(0, sees).map(([k]) => {
        const score = k.reduce(
          (sum, entry, r) => (q[r][0] === 0n ? sum : add(sum, times(q[r], entry))),
          ZERO,
        );
        return masked ? score : [-abs(score[0]), score[1]];
      });
      const best = scores.reduce((a, b) => (compare(a, b) < 0 ? b : a));
      const chosen = seen.filter((_, j) => j < scores.length && compare(scores[j], best) === 0);
      const result = space.map(() => ZERO);
      places.forEach((place, r) => {
        result[place] = times(
          chosen.reduce((sum, [, v]) => add(sum, v[r]), ZERO),
          [1n, BigInt(chosen.length)],
        );
      });
      return result;
    },
  };
}

function feedForward(ffn, space) {
  let names = space;
  const layers = ffn.hidden.map(rows => {
    const map = affine(Object.values(rows), names);
    names = Object.keys(rows);
    return map;
  });
  const write = writer(ffn.out, names, space);
  return x => write(layers.reduce((h, layer) => layer(h).map(sigma), x));
}

const ENCODINGS = { index: i => [BigInt(i), 1n], one: () => ONE, reciprocal: i => [1n, BigInt(i)] };

/**
 * y_0, y_1, ... of a transformer (JSON of lib.playground) on w, vectors of rationals, to the first
 * in which it halts.
 */
export function* outputs(
  { space, embedding, position, encoder, decoder, F, seed, masked, halts },
  w,
) {
  const dense = form => space.map(name => rational(form[name] ?? 0));
  const placed = (x, i) => {
    const result = [...x];
    for (const [f, form] of position)
      for (const [name, c] of Object.entries(form)) {
        const place = space.indexOf(name);
        result[place] = add(result[place], times(rational(c), ENCODINGS[f](i)));
      }
    return result;
  };
  const sublayer = ({ head, ffn, residual }) => {
    const heard = head && attention(head, space, masked);
    const fed = ffn && feedForward(ffn, space);
    return {
      heard,
      apply: (x, sees) => {
        const mapped = heard ? heard.find(x, sees) : fed ? fed(x) : space.map(() => ZERO);
        return residual ? mapped.map((value, j) => add(value, x[j])) : mapped;
      },
    };
  };
  let encoded = ["#", ...w, "$"].map((token, i) => placed(dense(embedding[token]), i + 1));
  for (const [attend, feed] of encoder.map(layer => layer.map(sublayer))) {
    if (attend.heard) encoded.forEach(attend.heard.see);
    encoded = encoded.map((x, i) => feed.apply(attend.apply(x, masked ? i + 1 : undefined)));
  }
  const layers = decoder.map(layer => layer.map(sublayer));
  const kept = F && writer(F, space, space);
  for (const [, across] of layers) if (across.heard) encoded.forEach(across.heard.see);
  const halting = halts.map(name => space.indexOf(name));
  for (let y = dense(seed), t = 0; ; t++) {
    y = placed(y, t + 1);
    yield y;
    if (halting.some(j => y[j][0] === 1n && y[j][1] === 1n)) return;
    for (const [attend, across, feed] of layers) {
      if (attend.heard) attend.heard.see(y);
      y = feed.apply(across.apply(attend.apply(y), masked ? t + 1 : undefined));
    }
    if (kept) y = kept(y);
  }
}

// ---- the machine ----

/** The symbols of a stack from its top: digits 2a in base B. */
function symbolsOf(stack, { symbols, base }) {
  const found = [];
  const B = BigInt(base);
  for (let [n, d] = stack; n;) {
    const digit = (n * B) / d;
    found.push(symbols[Number(digit) / 2]);
    [n, d] = lowest(n * B - digit * d, d);
  }
  return found.join("");
}

/**
 * Every configuration of the machine as the transformer has it: state, tape left and right of the
 * head's cell, Ψ₁ and Ψ₂, and the y_t since the last.
 */
export function* computed(machine, transformer, w) {
  const place = Object.fromEntries(transformer.space.map((name, i) => [name, i]));
  const first = w.length + 3;
  let between = [];
  let t = 0;
  for (const y of outputs(transformer, w)) {
    between.push({ t, y });
    if (t >= first && (t - first) % 4 === 0) {
      if ("stuck" in place && y[place.stuck][0] === 1n) return;
      const [right, left] = ["Ψ₁", "Ψ₂"].map(stack => y[place[stack]]);
      yield {
        state: machine.states.find(q => y[place[`q=${q}`]][0] === 1n),
        left: [...symbolsOf(left, machine)].reverse().join(""),
        right: symbolsOf(right, machine),
        stacks: [right, left],
        between,
      };
      between = [];
    }
    t++;
  }
}

const rule = (machine, { state, right }) =>
  machine.rules.find(([from, read]) => from === state && read === (right[0] ?? machine.blank));

/** Every configuration by the rules alone. */
export function* ruled(machine, w) {
  const trim = (text, end) => {
    let kept = text;
    while (kept && kept.at(end) === machine.blank) kept = end ? kept.slice(0, -1) : kept.slice(1);
    return kept;
  };
  for (let now = { state: machine.start, left: "", right: w }, applied; now;) {
    yield now;
    if (!(applied = rule(machine, now))) return;
    const [, , write, move, to] = applied;
    let { left } = now;
    let right = write + now.right.slice(1);
    if (move === "R") [left, right] = [left + right[0], right.slice(1)];
    if (move === "L") [left, right] = [left.slice(0, -1), (left.at(-1) ?? machine.blank) + right];
    now = { state: to, left: trim(left, 0), right: trim(right, -1) };
  }
}

// ---- the page ----

const MANY = 100; // steps at once
const LINES = 12; // configurations that are listed
const LONG = 10n ** 8n; // longer numbers are rounded, and the power of 2 below them is named
function text([n, d]) {
  if (d === 1n) return String(n);
  if (d < LONG || (d & (d - 1n)) !== 0n) return `${n}/${d}`;
  const power = `2${superscript(d.toString(2).length - 1)}`;
  return n < LONG
    ? `${n}/${power}`
    : `${(Number((n * 10n ** 9n) / d) / 1e9).toFixed(6)}… (over ${power})`;
}
const superscript = i => [...String(i)].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
const plain = ({ state, left, right }) => `${left}[${state}]${right}`;

/** Fills `root` with the machines of `data`; gives a function that shows it again. */
export function mount(root, data, address = window.location) {
  const machines = data.machines;
  const start = {
    machine: machines[0].name,
    by: Object.keys(machines[0].transformers)[0],
    input: null,
    step: "0",
  };
  const state = { tab: "machine", ...asked(address, start) };
  let reader;
  let byRules;
  let run = [];
  let halted = false;
  let key = "";

  const machine = () => machines.find(m => m.name === state.machine) ?? machines[0];
  const set = change => {
    Object.assign(state, change);
    show();
  };
  const names = choice(
    machines.map(m => m.name),
    machine().name,
    () =>
      set({
        machine: names.value,
        input: machines.find(m => m.name === names.value).input,
        step: "0",
      }),
  );
  const by = choice(Object.keys(machines[0].transformers), state.by, () => set({ by: by.value }));
  const input = element("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 24,
  });
  input.addEventListener("input", () => set({ input: input.value, step: "0" }));
  const move = (label, change) =>
    element(
      "button",
      {
        type: "button",
        onclick: () => set({ step: String(Math.max(0, Number(state.step) + change)) }),
      },
      label,
    );
  const back = move("one step back", -1);
  const on = move("one step", 1);
  const further = move(`${MANY} steps`, MANY);
  const again = element(
    "button",
    { type: "button", onclick: () => set({ step: "0" }) },
    "to the start",
  );
  const answer = element("output", { class: "answer", "aria-live": "polite" });
  const pictures = element("div", { class: "pictures" });

  /** Computes what is missing of the run to step `last`; what was computed stays. */
  function compute(m, last) {
    const asks = JSON.stringify([m.name, state.by, state.input]);
    if (asks !== key) {
      key = asks;
      run = [];
      halted = false;
      reader = computed(m, m.transformers[state.by], state.input);
      byRules = ruled(m, state.input);
    }
    while (run.length <= last && !halted) {
      const next = reader.next();
      const expected = byRules.next();
      if (next.done) {
        halted = true;
        break;
      }
      run.push({
        ...next.value,
        agrees: !expected.done && plain(expected.value) === plain(next.value),
      });
    }
  }

  function show() {
    const m = machine();
    state.machine = m.name;
    if (!(state.by in m.transformers)) state.by = Object.keys(m.transformers)[0];
    state.input = [...(state.input ?? m.input)]
      .filter(a => m.alphabet.includes(a))
      .slice(0, 24)
      .join("");
    const wanted = Math.min(5000, Math.max(0, Math.floor(Number(state.step)) || 0));
    compute(m, wanted + 1); // one more, to know whether this is the last
    const step = Math.min(wanted, run.length - 1);
    const now = run[step];
    const applies = rule(m, now);
    const last = halted && step === run.length - 1;
    state.step = String(step);
    names.value = state.machine;
    by.value = state.by;
    if (input.value !== state.input) input.value = state.input;
    input.disabled = m.alphabet.length === 0;
    back.disabled = again.disabled = step === 0;
    on.disabled = further.disabled = last;
    const right = run.slice(0, step + 1).every(({ agrees }) => agrees);
    const accepted = last && m.accept.includes(now.state);
    answer.replaceChildren(
      `step ${step}, y${subscript(now.between.at(-1).t)}: state ${now.state}${last ? `, halted: ${accepted ? "accepted" : "not accepted"}` : ""}`,
      element("br"),
      applies
        ? `next, by the rules: write ${applies[2]}, move ${applies[3]}, go to ${applies[4]}`
        : "no rule applies here",
      element("br"),
      "every configuration so far is that of the rules: ",
      element("strong", { class: right ? "right" : "wrong" }, right ? "right" : "wrong"),
    );
    pictures.innerHTML = tape(m, now) + stacks(now) + thought(m, now, step) + lines(step);
    const band = pictures.querySelector(".tape");
    const head = pictures.querySelector(".head");
    band.scrollLeft = head.offsetLeft - band.clientWidth / 2;
    remember(state);
    return now;
  }

  const escaped = symbol => symbol.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
  function tape(m, { left, right }) {
    const cells = [m.blank, ...left, ...(right || m.blank), m.blank];
    const head = left.length + 1;
    const row = cells
      .map(
        (a, i) =>
          `<td${i === head ? ' class="head" aria-current="true"' : ""} style="--share:${m.symbols.indexOf(a) ? 0.5 : 0}">${a === m.blank ? "·" : escaped(a)}</td>`,
      )
      .join("");
    return `<h3>Tape</h3><p class="caption">The head is in the outlined cell; a dot is a blank.</p><div class="scroll tape" tabindex="0" role="region" aria-label="tape"><table><tbody><tr>${row}</tr></tbody></table></div>`;
  }
  const stacks = ({ stacks: [one, two] }) =>
    `<p class="stacks">Ψ₁ (from the head on) = ${text(one)}<br>Ψ₂ (left of the head) = ${text(two)}</p>`;
  function thought(m, { between }, step) {
    const space = m.transformers[state.by].space;
    const row = ({ t, y }) =>
      `<tr><th scope="row">y${subscript(t)}</th><td>${space
        .map((name, j) => [name, y[j]])
        .filter(([, v]) => v[0] !== 0n)
        .map(([name, v]) => escaped(name) + (v[0] === 1n && v[1] === 1n ? "" : ` = ${text(v)}`))
        .join(", ")}</td></tr>`;
    return (
      `<h3>What the decoder says</h3><p class="caption">${step ? "The four outputs of this step" : "From the first output to the first configuration"}: coordinates other than 0, and their value unless it is 1.</p>` +
      `<div class="scroll words" tabindex="0" role="region" aria-label="outputs"><table><tbody>${between.map(row).join("")}</tbody></table></div>`
    );
  }
  const lines = step =>
    `<h3>Configurations</h3><ol class="run" start="${Math.max(0, step - LINES + 1)}">${run
      .slice(Math.max(0, step - LINES + 1), step + 1)
      .map(c => `<li>${escaped(plain(c))}</li>`)
      .join("")}</ol>`;

  root.style.setProperty("--language", "#0072B2");
  root.replaceChildren(
    element(
      "form",
      {
        class: "controls",
        "aria-label": "which machine runs",
        onsubmit: event => event.preventDefault(),
      },
      labelled("machine", names),
      labelled("built with", by),
      labelled("input", input),
      linkButton(address),
    ),
    element(
      "div",
      { class: "steps", role: "group", "aria-label": "steps" },
      again,
      back,
      on,
      further,
    ),
    answer,
    pictures,
  );
  return show;
}
