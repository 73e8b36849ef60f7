// Turing machines as text, and the transformers that run them: chapters.common.turing.machines, .compilation
// and .simulate, for machines that are edited in the page.

import { Form, constantly, coordinate, formsJSON, quoted, sumOf, visible } from "./forms.mjs";
import { rational } from "./numbers.mjs";

// ---- a machine, as chapters.common.turing.machines.Machine reads it ----

const [BEGIN, END] = ["#", "$"];
const MOVES = ["L", "N", "R"];
const SPACE = /\s+/u;
const LINE = /\r\n|\r|\n/;

/** What is wrong with a machine, and the line of its rules, from 1, in which it is, if in one. */
export class Wrong extends Error {
  constructor(message, line = null) {
    super(message);
    this.line = line;
  }
}

/** The words of a text, split where Python's str.split does. */
export const words = text => text.split(SPACE).filter(Boolean);

const distinct = items => [...new Set(items)];
const written = ([state, read, write, move, to]) => `${state} ${read} -> ${write} ${move} ${to}`;

/** A machine's rules as text, one a line, states as wide as the widest of usual width. */
export function printed({ rules }) {
  const width = Math.max(0, ...rules.map(([state]) => state.length).filter(n => n <= 16));
  return rules.map(([state, ...rest]) => written([state.padEnd(width), ...rest])).join("\n");
}

function checkSymbol(symbol, where, line) {
  const isCharacter = [...symbol].length === 1;
  if (!isCharacter || symbol === BEGIN || symbol === END || SPACE.test(symbol))
    throw new Wrong(
      `${where}: a symbol is one visible character other than ${BEGIN} and ${END}, not ${quoted(symbol)}`,
      line,
    );
}

function readRules(text) {
  const rules = [];
  const lines = [];
  text.split(LINE).forEach((line, i) => {
    const found = words(line.split(";")[0]);
    if (!found.length) return;
    if (found.length !== 6 || found[2] !== "->") {
      throw new Wrong(
        `line ${i + 1}, ${quoted(line.trim())}, is no rule: 'state read -> write move state' is expected`,
        i + 1,
      );
    }
    rules.push(found.filter((_, place) => place !== 2));
    lines.push(i + 1);
  });
  return { rules, lines };
}

/**
 * Machine.parse: a machine as in the page's data, and the lines in which its rules stand. `start`
 * null: the state of the first rule; `alphabet` null: all that rules read or write but the blank.
 * Throws Wrong with the words of Python's parser.
 */
export function parse(
  text,
  { accept = ["accept"], start = null, blank = "_", alphabet = null, reject = [], name } = {},
) {
  const { rules, lines } = readRules(text);
  if (!rules.length) throw new Wrong("a machine needs at least one rule");
  const symbols = rules.flatMap(([, read, write]) => [read, write]);
  const input = alphabet ?? distinct(symbols).filter(a => a !== blank);
  const first = start ?? rules[0][0];
  const active = new Set(rules.map(([state]) => state));
  const states = distinct([first, ...active, ...reject, ...accept]);
  checkRules(rules, lines, active, [...accept, ...reject]);
  if (!active.has(first) && !reject.includes(first))
    throw new Wrong(
      `no rule leaves the first state, ${quoted(first)}; the states are ${states.join(", ")}`,
    );
  checkSymbol(blank, "the blank");
  for (const symbol of input) checkSymbol(symbol, "an input symbol");
  if (input.includes(blank))
    throw new Wrong(`the blank ${quoted(blank)} cannot be an input symbol`);
  const tape = distinct([blank, ...input, ...symbols]);
  const machine = {
    name: name ?? "a machine",
    blank,
    symbols: tape,
    alphabet: input,
    base: 2 ** (32 - Math.clz32(2 * tape.length - 1)),
    states,
    start: first,
    accept,
    reject,
    rules,
  };
  return { machine, lines };
}

function checkRules(rules, lines, active, halting) {
  const halts = new Set(halting);
  const first = new Map();
  rules.forEach((rule, i) => {
    const [state, read, write, move, to] = rule;
    const where = `rule ${i + 1} (${written(rule)})`;
    const wrong = message => {
      throw new Wrong(`${where} ${message}`, lines[i]);
    };
    for (const symbol of [read, write]) checkSymbol(symbol, where, lines[i]);
    if (!MOVES.includes(move)) wrong(`moves ${quoted(move)}: L, N or R is expected`);
    if (halts.has(state)) wrong(`leaves ${quoted(state)}, in which the machine halts`);
    if (!active.has(to) && !halts.has(to))
      wrong(
        `goes to ${quoted(to)}, which no rule leaves: name it in accept or reject, or correct it`,
      );
    const key = `${state} ${read}`;
    if (first.has(key))
      wrong(
        `makes the machine nondeterministic: rule ${first.get(key)} reads ${quoted(read)} in ${quoted(state)} too`,
      );
    first.set(key, i + 1);
  });
}

/** What is wrong with an input, in the words of lib.checks.check_string, or "". */
export function wrongInput(w, alphabet, longest) {
  const symbols = [...w];
  const i = symbols.findIndex(a => !alphabet.includes(a));
  if (i >= 0)
    return `symbol ${quoted(symbols[i])} at position ${i + 1} is not in the alphabet {${alphabet.join(", ")}}`;
  if (symbols.length > longest)
    return `${symbols.length} symbols are too many for the page: at most ${longest}`;
  return "";
}

// ---- forms ----

const sum = (...parts) =>
  sumOf(parts.map(part => (typeof part === "number" ? constantly(rational(part)) : part)));
const times = (factor, form) => form.times(rational(factor));
const minus = form => form.negative;
const total = names => sumOf(names.map(coordinate));

// ---- chapters.common.turing.recurrent: a recurrent network, four of its steps a step of the machine ----

const STACKS = ["Ψ₁", "Ψ₂"];
const q = state => `q=${state}`;
const atLeast = (stack, j) => `${stack}≥${j}`;
const applies = ([state, read]) => `${state},${read}`;

/**
 * The RNN of Theorem B.1: the names of its inputs, f_b of each symbol, its hidden units as rows and
 * those that halt it. Throws Wrong where two units would have one name.
 */
function stackRnn(machine) {
  const { alphabet, states, accept, symbols } = machine;
  const table = new Map(machine.rules.map(rule => [applies(rule), rule]));
  const situations = states
    .filter(state => !accept.includes(state))
    .flatMap(state => symbols.map(a => [state, a]));
  const m = {
    ...machine,
    x: alphabet.map(a => `x=${a}`),
    number: new Map(symbols.map((a, i) => [a, i])),
    thresholds: symbols.slice(1).map((_, i) => i + 1),
    situations,
    rules: situations.map(key => table.get(applies(key))).filter(Boolean), // as they may apply
    stuck: situations.filter(key => !table.has(applies(key))),
  };
  const move = moving(m);
  const units = new Map();
  for (const group of [merging(m, move), loading(m), reading(m), choosing(m), move])
    for (const [name, form] of group) {
      if (units.has(name))
        throw new Wrong(`two units of the network would be called ${quoted(name)}: rename a state`);
      units.set(name, form);
    }
  return {
    inputs: m.x.length ? m.x : ["x"],
    embedding: new Map(alphabet.map(a => [a, coordinate(`x=${a}`)])),
    units,
    halts: [...accept.map(q), "stuck"].filter(name => units.has(name)),
  };
}

function loading({ x, alphabet, number, base }) {
  const [on, place] = ["on", "place"].map(coordinate);
  const symbol = total(x);
  const digit = a => sum(times(2 * number.get(a), place), coordinate(`x=${a}`), -1);
  const loaded = total(["load", ...alphabet.map(a => `digit=${a}`)]);
  return [
    ["on", sum(1)],
    ["reading", sum(minus(on), 1, symbol)],
    ["place", times(1 / base, sum(times(-2, on), 1, symbol, place))],
    ...alphabet.map(a => [`digit=${a}`, digit(a)]),
    ["load", sum(loaded, symbol, -1)],
    ["start", sum(coordinate("reading"), minus(symbol))],
    ["tape", sum(loaded, minus(symbol))],
  ];
}

const reading = ({ states, base, thresholds }) => [
  ...[...states.map(q), ...STACKS].map(name => [`${name}′`, coordinate(name)]),
  ...STACKS.flatMap(stack =>
    thresholds.map(j => [atLeast(stack, j), sum(times(base, coordinate(stack)), -(2 * j - 1))]),
  ),
];

function choosing({ symbols, situations, number, thresholds }) {
  const top = j => (j === 0 ? 1 : j === symbols.length ? 0 : coordinate(atLeast("Ψ₁", j)));
  const negative = part => (typeof part === "number" ? -part : minus(part));
  const reads = symbols.map((_, j) => sum(top(j), negative(top(j + 1))));
  const tops = STACKS.flatMap(stack => thresholds.map(j => atLeast(stack, j)));
  return [
    ...situations.map(([state, a]) => [
      applies([state, a]),
      sum(coordinate(`${q(state)}′`), reads[number.get(a)], -1),
    ]),
    ...tops.map(name => [`${name}′`, coordinate(name)]),
    ...STACKS.map(stack => [`${stack}″`, coordinate(`${stack}′`)]),
  ];
}

function moving(m) {
  const entering = new Map(m.states.map(state => [state, []]));
  for (const rule of m.rules) entering.get(rule[4]).push(applies(rule));
  const units = [...entering].map(([state, names]) => [`${q(state)}″`, total(names)]);
  if (m.stuck.length) units.push(["stuck″", total(m.stuck.map(applies))]);
  for (const direction of MOVES) {
    const rules = m.rules.filter(rule => rule[3] === direction);
    if (!rules.length) continue;
    const moves = total(rules.map(applies));
    const digits = rules.map(rule => times(2 * m.number.get(rule[2]), coordinate(applies(rule))));
    shifted(m, direction, sum(...digits)).forEach((stack, i) =>
      units.push([`${STACKS[i]} ${direction}`, sum(stack, moves, -1)]),
    );
  }
  return units;
}

/** Ψ₁ and Ψ₂ when the digit at the head is `written` over and the head moves. */
function shifted({ base, thresholds }, direction, written) {
  const top = stack => times(2, total(thresholds.map(j => `${atLeast(stack, j)}′`)));
  const popped = stack => sum(times(base, coordinate(`${stack}″`)), minus(top(stack)));
  const pushed = (digit, stack) => times(1 / base, sum(digit, stack));
  const [one, two] = STACKS;
  const here = pushed(written, popped(one));
  if (direction === "R") return [popped(one), pushed(written, coordinate(`${two}″`))];
  if (direction === "L") return [pushed(top(two), here), popped(two)];
  return [here, coordinate(`${two}″`)];
}

function merging({ states, start, stuck }, move) {
  const from = stack => move.map(([name]) => name).filter(name => name.startsWith(`${stack} `));
  return [
    ...states.map(state => [
      q(state),
      total([`${q(state)}″`, ...(state === start ? ["start"] : [])]),
    ]),
    ...(stuck.length ? [["stuck", coordinate("stuck″")]] : []),
    ["Ψ₁", total([...from("Ψ₁"), "tape"])],
    ["Ψ₂", total(from("Ψ₂"))],
  ];
}

// ---- chapters.common.turing.architecture: transformers, as plain data ----

const same = names => names.map(name => [name, coordinate(name)]);
const carried = names => names.map(name => [`+${name}`, coordinate(name)]);
const erased = names => names.map(name => [name, minus(coordinate(`+${name}`))]);
const change = (name, now, before) => [name, sum(coordinate(now), minus(coordinate(before)))];
const tokens = rnn => [[BEGIN, new Form()], ...rnn.embedding, [END, new Form()]];

const sublayer = (head = null, ffn = null) => ({ residual: true, head, ffn });
const attending = ({ q: query, k: key, v }) =>
  sublayer({ q: query.map(form => form.json), k: key.map(form => form.json), v: formsJSON(v) });
const feeding = (hidden, out) =>
  sublayer(null, { hidden: [formsJSON(hidden)], out: formsJSON(out) });

/** The O of Lemmas C.4 and D.4. */
function forgetting({ units }, also) {
  const h = [...units.keys()];
  const g = [...units].map(([name, form]) => [`g ${name}`, form]);
  const next = h.map(name => change(name, `g ${name}`, `+${name}`));
  return feeding([...g, ...carried([...h, ...also])], [...next, ...erased(also)]);
}

/** The transformer of Theorem 4.1/C.2, with position encodings. */
function vanilla(rnn) {
  const h = [...rnn.units.keys()];
  const s = rnn.inputs;
  const [x1, x2] = ["x₁", "x₂"].map(coordinate);
  const read = attending({ q: [x1, x2], k: [minus(x2), x1], v: same(s) });
  return {
    encoder: [[sublayer(), sublayer()]],
    decoder: [[sublayer(), read, forgetting(rnn, s)]],
    space: [...h, ...s, ...h.map(name => `h₂ ${name}`), "x₁", "x₂"],
    embedding: formsJSON(tokens(rnn)),
    F: formsJSON(same(h)),
    seed: {},
    position: [
      ["index", x1.json],
      ["one", x2.json],
    ],
    masked: false,
    halts: rnn.halts,
  };
}

/** The transformer of Theorem 4.2/D.1, with masking alone. */
function directional(rnn) {
  const h = [...rnn.units.keys()];
  const s = rnn.inputs;
  const embedding = tokens(rnn);
  const Σ = embedding.map(([a]) => a);
  const [first, second, third, fourth] = [..."₁₂₃₄"].map(i => Σ.map(a => `⟦${a}⟧${i}`));
  const symbols = first.map(coordinate);
  const counts = third.map((name, i) => [name, symbols[i]]);
  const read = attending({ q: symbols, k: symbols, v: [...same(s), ...counts] });
  return {
    encoder: [[sublayer(), sublayer()]],
    decoder: [
      [sublayer(), read, difference(s, Σ, first, third, fourth)],
      [sublayer(), read, forgetting(rnn, [...s, ...first, ...third])],
    ],
    space: [
      ...h,
      ...h.map(name => `h₂ ${name}`),
      ...s,
      ...first,
      "x₁",
      ...second,
      ...third,
      ...fourth,
    ],
    embedding: formsJSON(embedding.map(([a, form], i) => [a, sum(form, symbols[i])])),
    F: null,
    seed: coordinate("x₁").json,
    position: [],
    masked: true,
    halts: rnn.halts,
  };
}

/** The O of Lemma D.2. */
function difference(s, Σ, first, third, fourth) {
  const more = Σ.slice(0, -1).map((a, i) => change(`Δ${a}`, third[i], fourth[i]));
  const half = ["half", times(1 / 2, coordinate("x₁"))];
  const δ = [...more.map(([name]) => name), "half"];
  return feeding(
    [...carried([...s, ...third, ...fourth]), ...more, half],
    [
      ...erased([...s, ...third]),
      ...first.map((name, i) => [name, coordinate(δ[i])]),
      ["x₁", minus(coordinate("half"))],
      ...fourth.map((name, i) => change(name, `+${third[i]}`, `+${name}`)),
    ],
  );
}

const BUILT = { "position encodings": vanilla, "masking alone": directional };

/** What a transformer can be built with. */
export const WAYS = Object.keys(BUILT);

/** The transformer that runs a machine, built in one of WAYS; Wrong where names of units clash. */
export const compiled = (machine, way) => BUILT[way](stackRnn(machine));
