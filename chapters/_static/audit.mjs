// A trained network, dropped on the page, held against a language on every string to a length. Nothing
// is sent anywhere: the file is read, and the network run, where the page is (trained.mjs).
//
// Networks to try come from networks/index.json beside this file: a list of { name, file, ... }, a file's
// name in that folder, and beside it any of the answers in DEFAULTS below, which fill the form.

import { automaton } from "./regular.mjs";
import { watch } from "./boxes.mjs";
import { choice, element, fold, inAddress, number, remember, row, table, textBox } from "./dom.mjs";
import { LANGUAGES, SYMBOLS } from "./languages.mjs";
import {
  ACTIVATIONS,
  audit,
  check,
  guessed,
  isGpt2,
  isTurned,
  judged,
  network,
  ofGpt2,
  saysLayerNorm,
  sentences,
  tensors,
} from "./trained.mjs";

const CHUNK = 40; // milliseconds of work between two looks at the page
const PARTS = ["encoder", "word", "position", "last", "output"];
const JUDGE = "judge every string";
const EXPECTED = "one .safetensors file (of GPT-2 its config.json too)";
const isConfig = ({ name }) => name.endsWith(".json") && !name.startsWith("generation_");
const CHOOSE = { "": "choose" };
const NAMED = Object.fromEntries(Object.keys(LANGUAGES).map(name => [name, name]));

// What is asked: of each answer a name, and its choices if it has any.
const OF_NETWORK = {
  heads: ["heads"],
  activation: [
    "activation",
    { ...CHOOSE, relu: "ReLU", gelu: "GELU (erf)", gelu_new: "GELU (tanh)" },
  ],
  norm: [
    "kind of all norms",
    { ...CHOOSE, layer: "layer normalization", rms: "RMS normalization" },
  ],
  norms: ["place of norms", { ...CHOOSE, after: "after a sublayer", before: "before it" }],
  eps: ["ε of norms"],
  mask: ["mask", { ...CHOOSE, none: "none", causal: "causal" }],
};
const OF_UNSEEN = {
  noPosition: ["positions, which no tensor holds", { ...CHOOSE, none: "none", some: "some" }],
  noLast: ["last norm, which no tensor holds", { ...CHOOSE, none: "none", some: "one" }],
  joined: [
    "order of queries, keys and values, which no tensor says",
    { ...CHOOSE, none: "one after the other (nanoGPT)", some: "head by head (GPT-BigCode)" },
  ],
};
const OF_PARTS = Object.fromEntries(PARTS.map(name => [name, [name]]));
const OF_STRINGS = {
  symbols: ["symbols"],
  tokens: ["their tokens"],
  before: ["tokens before"],
  after: ["tokens after"],
  offset: ["first position"],
  readAt: ["read at", { last: "last token", first: "first token", mean: "mean" }],
  decides: [
    "it accepts if",
    {
      positive: "an output is above 0",
      largest: "an output is above another",
      next: "no: outputs above 0 say what may come next",
    },
  ],
  which: ["number of that output"],
};
const OF_LANGUAGE = {
  language: ["language", { "": "a regular expression", ...NAMED }],
  expression: ["expression"],
  longest: ["up to length"],
};
const FIELDS = { ...OF_NETWORK, ...OF_UNSEEN, ...OF_PARTS, ...OF_STRINGS, ...OF_LANGUAGE };
const blank = fields => Object.fromEntries(Object.keys(fields).map(name => [name, ""]));
const PLAIN = {
  ...blank({ network: "", ...OF_NETWORK, ...OF_UNSEEN, ...OF_STRINGS, ...OF_LANGUAGE }),
  ...{ symbols: "01", tokens: "0 1", offset: "0", readAt: "last", decides: "positive" },
  ...{ expression: "(0|1)*1", longest: "10" },
};
const DEFAULTS = { ...PLAIN, ...blank(OF_PARTS) };
const OF_WHICH = { largest: "numbers of both outputs", next: "number of the end's output" };

/** Whole numbers in a text, in order. */
function numbers(text, what) {
  const found = text.split(/[\s,]+/).filter(Boolean);
  if (found.every(one => /^\d+$/.test(one))) return found.map(Number);
  throw new Error(`${what}: whole numbers are expected, not ${text}`);
}

function only(text, what) {
  const found = numbers(text, what);
  check(found.length === 1, `${what}: one whole number is expected, not "${text}"`);
  return found[0];
}

/** The language that is named, or that an expression says, over these symbols. */
export function language({ language: name, expression }, symbols) {
  check(name || expression.trim(), "an expression is expected; () is the empty string");
  if (!name) return automaton(expression, symbols);
  const alphabet = SYMBOLS[name] ?? "01";
  if ([...symbols].sort().join("") === alphabet) return { has: LANGUAGES[name] };
  const list = [...alphabet].join(", ");
  throw new Error(`a language over ${symbols.join(", ")} is expected, not ${name} over ${list}`);
}

const TORCH = { F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16" };
// Of GPT-2's config.json: what is read, or changes no output, beside what is expected below.
const OTHER_KEYS = `model_type architectures _name_or_path name_or_path torch_dtype dtype use_cache
transformers_version initializer_range bos_token_id eos_token_id pad_token_id id2label label2id
num_labels problem_type output_attentions output_hidden_states return_dict tie_word_embeddings
attn_pdrop embd_pdrop resid_pdrop n_ctx reorder_and_upcast_attn summary_activation summary_type
summary_first_dropout summary_proj_to_labels summary_use_proj task_specific_params n_head
gradient_checkpointing activation_function layer_norm_epsilon`;

/** The tensors and the config.json among files; Error for more of them, which may say other things. */
export function dropped(files) {
  const [config, another] = files.filter(isConfig);
  const [weights, ...others] = files.filter(one => !isConfig(one));
  const names = files.map(({ name }) => name).join(", ");
  check(!another && !others.length, `${EXPECTED} is expected, not ${names}`);
  return [weights, config];
}

/** What the text of a config.json of Hugging Face's says of these tensors, which it must fit. */
export function configured(text, state) {
  let config;
  try {
    config = JSON.parse(text) ?? {};
  } catch {
    throw new Error("a config.json is expected beside the tensors: this is no JSON");
  }
  const must = (isRight, name, what) =>
    check(isRight, `${name} must be ${what} in config.json, not ${JSON.stringify(config[name])}`);
  must(config.model_type === "gpt2", "model_type", '"gpt2"');
  check(state && isGpt2(state), "tensors of GPT-2 are expected before its config.json, or with it");
  const plain = ofGpt2(state);
  const word = plain.get("wte.weight");
  check(word, "a tensor 'wte.weight' is expected");
  const [vocab_size, n_embd] = word.shape;
  const [n_positions] = plain.get("wpe.weight")?.shape ?? [];
  const n_layer = [...plain.keys()].filter(name => /^h\.\d+\.ln_1\.weight$/.test(name)).length;
  const n_inner = config.n_inner && plain.get("h.0.mlp.c_fc.bias")?.shape[0];
  const entries = word.read();
  const head = plain.get("lm_head.weight")?.read() ?? entries;
  const { n_head, activation_function, layer_norm_epsilon } = config;
  must(
    Number.isInteger(n_head) && n_head > 0 && n_embd % n_head === 0,
    "n_head",
    `a divisor of ${n_embd}`,
  );
  const expected = {
    ...{ scale_attn_weights: true, scale_attn_by_inverse_layer_idx: false },
    ...{ add_cross_attention: false, is_causal: true },
    ...{ n_layer, n_embd, vocab_size, n_positions, n_inner, num_attention_heads: n_head },
    ...{ num_hidden_layers: n_layer, hidden_size: n_embd, max_position_embeddings: n_positions },
  };
  for (const [name, is] of Object.entries(expected))
    must(!Object.hasOwn(config, name) || config[name] === is, name, is);
  const isTied = head.length === entries.length && head.every((x, i) => x === entries[i]);
  must((config.tie_word_embeddings ?? true) === isTied, "tie_word_embeddings", isTied);
  const known = Object.keys(ACTIVATIONS);
  must(known.includes(activation_function), "activation_function", known.join(" or "));
  must(
    Number.isFinite(layer_norm_epsilon) && layer_norm_epsilon > 0,
    "layer_norm_epsilon",
    "above 0",
  );
  const every = [...state.values()].map(({ dtype }) => TORCH[dtype] ?? dtype);
  const types = new Set(every.filter(type => type.includes("float")));
  check(types.size === 1, `tensors of one type are expected, not of ${[...types].join(" and ")}`);
  for (const name of ["dtype", "torch_dtype"])
    must(types.has(config[name] ?? [...types][0]), name, [...types].join(" or "));
  const keys = new Set([...OTHER_KEYS.split(/\s+/), ...Object.keys(expected)]);
  const strange = Object.keys(config).find(key => config[key] !== null && !keys.has(key));
  check(
    strange === undefined,
    `config.json has the key '${strange}', which may make another network: take it out if it does not`,
  );
  check(!plain.has("lm_head.bias"), "no tensor 'lm_head.bias' is expected beside a config.json");
  check(saysLayerNorm(plain, "ln_f"), "a bias of every norm is expected beside a config.json");
  const shape = { heads: `${n_head}`, activation: activation_function, mask: "causal" };
  return { ...shape, eps: `${layer_norm_epsilon}` };
}

/** Which questions are left by parts that no tensor is named for. */
const unseen = (state, { position, last }) => {
  if (isGpt2(state)) return isTurned(state) ? ["joined"] : [];
  return [position ? [] : ["noPosition"], last ? [] : ["noLast"]].flat();
};

/** The steps of the audit that the answers ask for, of tensors; Error with what is amiss. */
export function asks(state, answers) {
  const said = isGpt2(state) ? ["norms", "word", "output"] : [];
  const without = unseen(state, answers);
  const norm = answers.norm || (saysLayerNorm(state, answers.last) ? "layer" : "");
  const needs = [...Object.keys(OF_NETWORK), ...without, "word", "output", "readAt", "decides"];
  const missing = needs
    .filter(name => !(said.includes(name) || { ...answers, norm }[name]))
    .map(name => FIELDS[name][0]);
  check(!missing.length, `please choose what the tensors do not say: ${missing.join(", ")}`);
  for (const name of without)
    check(answers[name] === "none", `this page cannot read the file so: ${FIELDS[name][0]}`);
  const number = name => only(answers[name], FIELDS[name][0]);
  const several = name => numbers(answers[name], FIELDS[name][0]);
  const read = network(state, {
    heads: number("heads"),
    activation: answers.activation,
    norm,
    preNorm: answers.norms === "before",
    causal: answers.mask === "causal",
    eps: Number(answers.eps),
    names: Object.fromEntries(PARTS.map(name => [name, answers[name]])),
  });
  const symbols = [...answers.symbols];
  const [tokens, before, after, which] = ["tokens", "before", "after", "which"].map(several);
  const { readAt, decides } = answers;
  const strings = { symbols, tokens, before, after, which, readAt, decides };
  const held = judged(read, { ...strings, offset: number("offset") });
  return audit(held, language(answers, symbols), number("longest"));
}

/** What is known of each length, as a table. */
function lengths(byLength) {
  const rows = byLength.map(counts => {
    const [length, ...others] = counts.map(number);
    return row(length, others);
  });
  const heads = ["length", "strings", "wrong", "undecided"];
  return table({ "aria-label": "what is decided, by length" }, heads, rows);
}

/** Answers, those that the address has in their place; a language that is not there is asked for. */
function filled(answers) {
  const all = Object.entries({ ...answers, ...inAddress() });
  const found = Object.fromEntries(all.filter(([name]) => Object.hasOwn(answers, name)));
  const isThere = !found.language || Object.hasOwn(LANGUAGES, found.language);
  return isThere ? found : { ...found, language: "", expression: "" };
}

/** The fields of the form, and what they stand in; `on` says what is done when. */
function layout(examples, linkButton, on) {
  const [inputs, labels] = [{}, {}];
  for (const [name, [text, choices]] of Object.entries(FIELDS)) {
    inputs[name] = choices ? choice(Object.entries(choices)) : textBox();
    labels[name] = element("label", {}, element("span", {}, text), inputs[name]);
  }
  const group = all =>
    element("div", { class: "fields" }, ...Object.keys(all).map(name => labels[name]));
  const parts = fold({}, "names of its tensors", group(OF_PARTS));
  const title = element("p", { role: "status" });
  const said = element("div", { role: "status" });
  const amiss = element("p", { class: "amiss", role: "alert" });
  const bar = element("progress", { "aria-label": "strings of this length", hidden: "" });
  const found = element("div", { class: "pairs" });
  const button = element("button", { type: "submit" }, JUDGE);
  const form = element(
    "form",
    { hidden: "", onsubmit: on.judge, oninput: on.changed },
    ...[group({ ...OF_NETWORK, ...OF_UNSEEN }), parts, group(OF_STRINGS), group(OF_LANGUAGE)],
    element("div", { class: "steps" }, button, bar, linkButton),
  );
  const onchange = () => on.given(file.files);
  const accept = ".safetensors,.json";
  const file = element("input", { type: "file", multiple: "", accept, onchange });
  const all = examples.map(({ name }, i) => [i, name]);
  const menu = choice([["", "a file of your own"], ...all], "", () =>
    on.example(examples[menu.value]),
  );
  const chosen = element("label", {}, "network", menu);
  chosen.hidden = !examples.length;
  const whole = element(
    "div",
    {
      ondragover: event => event.preventDefault(),
      ondrop: event => {
        event.preventDefault();
        file.files = event.dataTransfer.files;
        onchange();
      },
    },
    chosen,
    element("label", {}, `drop ${EXPECTED} here, or choose it`, file),
    ...[title, form, amiss, said, found],
  );
  return { inputs, labels, parts, title, said, amiss, bar, found, button, form, file, menu, whole };
}

/** What a page shows in `<div class="live" data-live="audit">`. */
export async function widget() {
  const folder = new URL("networks/", import.meta.url);
  const examples = await listed(folder);
  const answers = filled(DEFAULTS);
  let state = null; // the tensors
  let isRunning = false; // or was stopped by a person
  const boxes = watch(() => {
    view.said.replaceChildren();
    view.found.replaceChildren();
    view.amiss.textContent = "";
    finish();
  });
  const view = layout(examples, boxes.linkButton(), { judge, changed, given, example });
  const { inputs, labels } = view;

  /** Fills the form, and shows what these answers leave to be asked. */
  function fill(more) {
    Object.assign(answers, more);
    for (const [name, input] of Object.entries(inputs)) input.value = answers[name];
    changed();
  }
  function changed() {
    for (const [name, input] of Object.entries(inputs)) answers[name] = input.value;
    for (const name of Object.keys(OF_UNSEEN))
      labels[name].hidden = state !== null && !unseen(state, answers).includes(name);
    labels.norms.hidden = view.parts.hidden = state !== null && isGpt2(state);
    labels.norm.hidden =
      state !== null && saysLayerNorm(state, answers.last) && answers.norm !== "rms";
    labels.expression.hidden = Boolean(answers.language);
    labels.which.firstChild.textContent = OF_WHICH[answers.decides] ?? FIELDS.which[0];
    boxes.changed(() => remember(answers));
  }
  /** No network is held, and none is named by the chooser that was not used. */
  function forget(other) {
    if (state) Object.assign(answers, blank(OF_UNSEEN)); // which is asked of each network
    state = null;
    other.value = "";
    view.form.hidden = true;
    view.title.textContent = "";
  }
  /** Takes a state of tensors. */
  function take(read, name, more) {
    state = read;
    const [names, whose] = isGpt2(state) ? [{}, "GPT-2's"] : [guessed(state), "PyTorch's"];
    const isThere = start => start && [...state.keys()].some(one => one.startsWith(start));
    for (const part of PARTS) if (isThere(answers[part])) names[part] = answers[part]; // of a link
    view.form.hidden = false;
    fill({ ...names, ...more });
    view.title.textContent = `${name}: ${state.size} tensors of ${whose} names. It stays on this page.`;
  }
  /** Does what may fail, until something else is asked; what is amiss is said. */
  async function tried(action) {
    const signal = boxes.drop();
    try {
      await action(signal);
    } catch (error) {
      if (signal.aborted) return;
      finish();
      view.amiss.textContent = `${error.message}.`;
    }
  }
  function given(files) {
    return tried(async signal => {
      if (files.length !== 1 || !isConfig(files[0])) forget(view.menu);
      const [weights, config] = dropped([...files]);
      const read = weights && tensors(await weights.arrayBuffer());
      const configuration = config && configured(await config.text(), read ?? state);
      if (signal.aborted) return;
      if (weights) take(read, weights.name, { ...configuration, network: "" });
      else if (configuration) fill(configuration);
    });
  }
  function example(one, isLinked) {
    return tried(async signal => {
      forget(view.file);
      if (!one) return;
      const { name, file: part, ...rest } = one;
      const answer = await fetch(new URL(part, folder), { signal });
      if (!answer.ok) throw new Error(`${part} is not there`);
      const more = { ...PLAIN, ...rest, network: name };
      take(tensors(await answer.arrayBuffer()), name, isLinked ? filled(more) : more);
    });
  }

  function finish() {
    isRunning = false;
    view.bar.hidden = true;
    view.button.textContent = JUDGE;
  }
  function judge(event) {
    event.preventDefault();
    if (isRunning) return finish();
    return tried(async signal => {
      const steps = asks(state, answers);
      isRunning = true;
      view.button.textContent = "stop";
      view.bar.hidden = false;
      const known = await walked(steps, () => isRunning && !signal.aborted, view.found);
      if (signal.aborted) return;
      view.said.replaceChildren(...told(known, !isRunning, answers.decides === "next"));
      finish();
    });
  }

  const linked = examples.find(({ name }) => name === answers.network);
  view.menu.value = linked ? examples.indexOf(linked) : "";
  if (linked) await example(linked, true);
  return [view.whole];
}

async function listed(folder) {
  const index = await fetch(new URL("index.json", folder));
  return index.ok ? index.json() : [];
}

/** What steps find while they go on; each new length is shown. */
async function walked(steps, goesOn, found) {
  let [step, shown, known] = [steps.next(), 0, null];
  while (goesOn() && !step.done) {
    for (const until = performance.now() + CHUNK; !step.done && performance.now() < until;)
      [known, step] = [step.value, steps.next()];
    if (known.byLength.length > shown) found.replaceChildren(lengths(known.byLength));
    shown = known.byLength.length;
    await new Promise(resolve => setTimeout(resolve));
  }
  known = step.value ?? known;
  if (goesOn()) found.replaceChildren(lengths(known.byLength));
  return known;
}

/** What is known, in sentences. */
function told(known, isStopped, isNext) {
  const lines = sentences(known);
  if (isStopped) lines.unshift("Stopped.");
  if (known.isCut) lines.push("The network has no positions for longer strings.");
  if (isNext)
    lines.push(
      "A next token counts as allowed where its output is above 0, which cross entropy does not train.",
    );
  if (known.byLength.some(row => row[3]))
    lines.push(
      "For an undecided string the bound in float64 is too wide; lib.trained continues with more digits.",
    );
  return lines.map(line => element("p", {}, line));
}
