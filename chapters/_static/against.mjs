// Whether a formula accepts just the strings that a regular expression, or another formula, accepts,
// at every length: a search over pairs of what each remembers of a string, as in lib.proofs.search.
//
// Why pairs may be merged. A formula remembers the values of `forms`, combinations of counts that it
// compares with numbers; what held at the symbol before; and the position's remainder. A form that
// only grows says the same of all numbers from its largest bound on, and is counted no further. The
// others may take any value. Their *cells*, the ranges between two neighbouring bounds, make a finite
// graph with a node for everything that is remembered, but of these forms the cell alone, and an arrow
// for each step that some value of the cell could take: so it has the step of every string. Nodes are
// of one class if they answer alike and their arrows lead to the same classes. Two strings are one if
// (1) no arrow that can be reached from their nodes leaves open to which class a symbol leads, and both
//     are of one class: by induction each longer string is answered alike; or
// (2) they are at one node and agree in the values of all forms that matter there. A form matters where
//     a symbol's arrows part and its cell differs among them, and where it matters further on. Each
//     symbol leads both to one node, or one class as in (1): where the arrows part, every cell that
//     differs is told by equal values, in the order of depth; and equal values then grow alike.
// An expression remembers the state of its least automaton. Pairs are found by length, so the first
// string on which the two part is a shortest one; if no new pair comes, they part on none.

import { element } from "./dom.mjs";
import { FormulaError, holds, linear, parseFormula } from "./formulas.mjs";

const PAIRS = 4_000; // looked at
const NODES = 3_000; // of a graph
const BRANCHES = 60_000; // arrows that are tried
const ROUNDS = 300; // in which classes part
const STRINGS = 4_096; // tried where nothing better is known
const LARGEST = 1e9; // number in a formula
const LONGEST = 300; // signs of an expression

const list = alphabet => alphabet.join(", ");
/** The letter of a number: A to Z, then A1 and so on. */
const letter = i => String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));

// ---- regular expressions: the states are derivatives (Brzozowski 1964) ----

/** What is no expression; `place`, counted from 1, is where. */
export class ExpressionError extends Error {
  constructor(reason, place) {
    super(`${reason}, at place ${place}`);
    this.name = "ExpressionError";
    this.place = place;
  }
}

const NONE = { kind: "none", key: "∅", empty: false };
const EMPTY = { kind: "empty", key: "", empty: true };
const sign = symbols => {
  const key = `[${symbols.map(symbol => symbol.codePointAt(0))}]`;
  return { kind: "sign", symbols, key, empty: false };
};

function joined(left, right) {
  if (left === NONE || right === NONE) return NONE;
  if (left === EMPTY || right === EMPTY) return left === EMPTY ? right : left;
  return {
    kind: "join",
    left,
    right,
    key: left.key + right.key,
    empty: left.empty && right.empty,
  };
}

function either(several) {
  const flat = several.flatMap(one => (one.kind === "either" ? one.parts : [one]));
  const known = new Map(flat.filter(one => one !== NONE).map(one => [one.key, one]));
  const parts = [...known.keys()].sort().map(key => known.get(key));
  if (parts.length < 2) return parts[0] ?? NONE;
  const key = `(${parts.map(one => one.key).join("|")})`;
  return { kind: "either", parts, key, empty: parts.some(one => one.empty) };
}

function repeated(part, least, most) {
  if (most === 0 || part === EMPTY) return EMPTY;
  const key = `(${part.key}){${least},${most}}`;
  return { kind: "repeat", part, least, most, key, empty: !least || part.empty };
}

/** What may follow the symbol. */
function derivative(of, symbol) {
  switch (of.kind) {
    case "sign":
      return of.symbols.includes(symbol) ? EMPTY : NONE;
    case "either":
      return either(of.parts.map(part => derivative(part, symbol)));
    case "join": {
      const first = joined(derivative(of.left, symbol), of.right);
      return of.left.empty ? either([first, derivative(of.right, symbol)]) : first;
    }
    case "repeat": {
      const left = repeated(of.part, Math.max(0, of.least - 1), of.most - 1);
      return joined(derivative(of.part, symbol), left);
    }
  }
  return NONE;
}

const TIMES = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };

function parsed(text, alphabet) {
  const signs = [...text];
  let at = 0;
  const fail = (reason, place = at) => {
    throw new ExpressionError(reason, place + 1);
  };
  const look = () => {
    while (signs[at] === " ") at++;
    return signs[at] ?? "";
  };
  const take = what => look() === what && ++at;
  function union() {
    const parts = [];
    do {
      let found = null;
      while (look() && !"|)".includes(look())) found = joined(found ?? EMPTY, times());
      if (!found && (parts.length || look() === "|")) fail("nothing stands beside |");
      parts.push(found ?? EMPTY);
    } while (take("|"));
    return either(parts);
  }
  function times() {
    let part = one();
    for (;;) {
      const next = TIMES[look()];
      const from = at;
      if (next) {
        at++;
        part = repeated(part, ...next);
      } else if (take("{")) {
        const found = /^(\d{0,3})(?:(,)(\d{0,3}))?\}/.exec(signs.slice(at).join(""));
        const least = Number(found?.[1]);
        const most = found?.[2] ? Number(found[3] || Infinity) : least;
        if (!found || most < least || found[0].search(/\d/) < 0)
          fail("{2,3} is expected, from 2 to 3 times", from);
        at += found[0].length;
        part = repeated(part, least, most);
      } else return part;
    }
  }
  function one() {
    if ("*+?{".includes(look())) fail(`nothing stands before ${look()}`);
    const from = at;
    if (take("(")) {
      const found = union();
      if (!take(")")) fail("this bracket is never closed", from);
      return found;
    }
    if (take(".")) return sign(alphabet);
    if (take("[")) {
      const end = signs.indexOf("]", at);
      if (end < 0) fail("this bracket is never closed", from);
      const inside = [];
      while (at < end) inside.push(symbol());
      at++;
      return inside.length ? sign(inside) : fail("[] holds no symbol", from);
    }
    return sign([symbol()]);
  }
  function symbol() {
    if (!alphabet.includes(signs[at]))
      fail(`${signs[at]} is neither a symbol (${list(alphabet)}) nor one of | * + ? . ( ) [ ] { }`);
    return signs[at++];
  }
  if (signs.length > LONGEST)
    fail(`an expression of at most ${LONGEST} signs is expected`, LONGEST);
  const found = union();
  if (look()) fail("this bracket was never opened");
  return found;
}

/** The least automaton of an expression: which states accept, and where each symbol leads. */
export function automaton(text, alphabet) {
  const made = [parsed(text, alphabet)];
  const index = new Map([[made[0].key, 0]]);
  const nodes = [];
  for (const of of made) {
    const next = alphabet.map(symbol => {
      const after = derivative(of, symbol);
      if (!index.has(after.key)) index.set(after.key, made.push(after) - 1);
      return [index.get(after.key)];
    });
    nodes.push({ says: String(of.empty), next });
    if (made.length > NODES) throw new ExpressionError(`more than ${NODES} states are needed`, 1);
  }
  const of = classes(nodes);
  const rows = [];
  nodes.forEach(({ says, next }, i) => {
    rows[of[i]] = { accepts: says === "true", next: next.map(([j]) => of[j]) };
  });
  return { rows, start: of[0] };
}

/** The coarsest classes of nodes that say the same and lead, by each symbol, to the same classes. */
function classes(nodes) {
  let of = nodes.map(({ says }) => says);
  for (let [count, round] = [0, 0]; round < ROUNDS; round++) {
    const names = new Map();
    const leads = next => [...new Set(next.map(j => of[j]))].sort().join();
    const finer = nodes.map(({ next }, i) => {
      const name = [of[i], ...next.map(leads)].join("|");
      return names.get(name) ?? (names.set(name, names.size), names.size - 1);
    });
    of = finer;
    if (names.size === count) return of;
    count = names.size;
  }
  return nodes.map((_, i) => i); // each node alone: finer than need be
}

// ---- formulas as machines: lib.proofs.machine ----

class TotalError extends Error {}

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const small = number => {
  if (number > LARGEST || number < -LARGEST)
    throw new FormulaError(`numbers up to ${LARGEST.toLocaleString("en")} are compared here`);
  return Number(number);
};
const cellOf = ({ bounds }, value) => bounds.filter(bound => value >= bound).length;
const OPPOSITE = { ">": "<=", "<": ">=", "!=": "==" };

export class Machine {
  forms = []; // each a sum of counts with their factors, and the numbers that it is compared with
  counts = [];
  before = []; // what `previous` asks for
  period = 1;
  places = new Map();
  made = 0;

  /** The machine of formulas that share their counts. */
  constructor(trees, alphabet) {
    this.alphabet = alphabet;
    this.roots = trees.map(tree => this.simple(tree, true));
    for (const form of this.forms) {
      form.bounds.sort((a, b) => a - b);
      form.grows = form.terms.every(([, c]) => c > 0);
      form.cap = Math.max(0, ...form.bounds);
    }
    const nothing = { bits: this.before.map(() => false), clock: 0 };
    const says = trees.map(tree => Number(holds(tree, ""))).join("");
    this.start = { values: this.forms.map(() => 0), ...nothing, says };
  }

  /** The place in a list of what has this name, made if it is not there yet. */
  place(array, name, make) {
    const key = `${array} ${name}`;
    if (!this.places.has(key)) {
      const made = make();
      this.places.set(key, this[array].push(made) - 1);
    }
    return this.places.get(key);
  }

  simple(tree, isOutermost) {
    if (++this.made > 5_000) throw new FormulaError("this formula is too large to be decided here");
    const part = inner => this.simple(inner, isOutermost);
    switch (tree.kind) {
      case "not":
        return { kind: "not", part: part(tree.part) };
      case "and":
      case "or":
        return { kind: tree.kind, parts: tree.parts.map(part) };
      case "mod": {
        const [period, remainder] = [small(tree.period), small(tree.remainder)];
        this.period = small(this.period * (period / gcd(this.period, period)));
        return { kind: "mod", period, remainder };
      }
      case "previous": {
        const make = () => ({ text: tree.part.text, part: this.simple(tree.part, false) });
        return { kind: "previous", bit: this.place("before", tree.part.text, make) };
      }
      case "compare": {
        const plain = linear(tree);
        return plain.kind === "compare" ? this.compared(plain, isOutermost) : part(plain);
      }
    }
    return tree;
  }

  /** A comparison as one, or two, of a form with a number. */
  compared({ left, sign, right }, isOutermost) {
    const g = left.minus(right);
    const sums = new Map();
    for (const [atom, c] of g.terms)
      for (const count of this.counted(atom, isOutermost))
        sums.set(count, (sums.get(count) ?? 0) + small(c));
    const [terms, constant] = [[...sums].filter(([, c]) => c), small(g.constant)];
    const minus = terms.map(([count, c]) => [count, -c]);
    switch (sign) {
      case ">=":
        return this.atLeast(terms, constant);
      case "<=":
        return this.atLeast(minus, -constant);
      case "==": {
        const parts = [this.atLeast(terms, constant), this.atLeast(minus, -constant)];
        return { kind: "and", parts };
      }
    }
    return { kind: "not", part: this.compared({ left, sign: OPPOSITE[sign], right }, isOutermost) };
  }

  /** The counts of which an atom is the sum: a position is as many as there are symbols. */
  counted({ kind, formula }, isOutermost) {
    if (kind === "total" && !isOutermost) throw new TotalError();
    if (kind === "position" || (formula.kind === "truth" && formula.value))
      return this.alphabet.map(symbol => this.ofSymbol(symbol));
    if (formula.kind === "Q") return [this.ofSymbol(formula.symbol)];
    const make = () => ({ text: formula.text, part: this.simple(formula, false) });
    return [this.place("counts", formula.text, make)];
  }

  ofSymbol(symbol) {
    const text = `Q('${symbol}')`;
    return this.place("counts", text, () => ({ text, symbol, part: { kind: "Q", symbol } }));
  }

  /** The sum plus the constant is at least 0. */
  atLeast(sum, constant) {
    if (!sum.length) return { kind: "truth", value: constant >= 0 };
    sum.sort(([a], [b]) => a - b);
    const scale = sum.reduce((d, [, c]) => gcd(d, Math.abs(c)), 0) * Math.sign(sum[0][1]);
    const terms = sum.map(([count, c]) => [count, c / scale]);
    const form = this.place("forms", String(terms), () => ({ terms, bounds: [] }));
    const bound = scale > 0 ? Math.ceil(-constant / scale) : Math.floor(constant / -scale) + 1;
    const { bounds } = this.forms[form];
    if (!bounds.includes(bound)) bounds.push(bound);
    const found = { kind: "at least", form, bound };
    return scale > 0 ? found : { kind: "not", part: found };
  }

  /**
   * What is remembered after a symbol. With `pick`, which chooses one of neighbouring cells, forms
   * that do not only grow are cells; without it, they are numbers.
   */
  step(state, symbol, pick) {
    const clock = (state.clock + 1) % this.period;
    const [values, cells, seen] = [[], [], []];
    const isCounted = count => (seen[count] ??= isTrue(this.counts[count].part));
    const cell = i => {
      if (cells[i] !== undefined) return cells[i];
      const form = this.forms[i];
      const added = form.terms.reduce((sum, [count, c]) => sum + (isCounted(count) ? c : 0), 0);
      if (pick && !form.grows) {
        const [least, most] = range(form, state.values[i]);
        values[i] = pick(cellOf(form, least + added), cellOf(form, most + added));
        return (cells[i] = values[i]);
      }
      values[i] = Math.min(state.values[i] + added, form.grows ? form.cap : Infinity);
      return (cells[i] = cellOf(form, values[i]));
    };
    const isTrue = f => {
      switch (f.kind) {
        case "Q":
          return f.symbol === symbol;
        case "truth":
          return f.value;
        case "mod":
          return clock % f.period === f.remainder;
        case "not":
          return !isTrue(f.part);
        case "and":
          return f.parts.every(isTrue);
        case "or":
          return f.parts.some(isTrue);
        case "previous":
          return state.bits[f.bit];
      }
      return cell(f.form) > this.forms[f.form].bounds.indexOf(f.bound);
    };
    const says = this.roots.map(root => Number(isTrue(root))).join("");
    const bits = this.before.map(({ part }) => isTrue(part));
    this.forms.forEach((_, i) => cell(i));
    return { values, bits, clock, says };
  }

  /** What is remembered, but of forms that do not only grow the cells. */
  inCells(state) {
    const one = (x, i) => (this.forms[i].grows ? x : cellOf(this.forms[i], x));
    return { ...state, values: state.values.map(one) };
  }
}

const keyOf = ({ values, bits, clock, says }) => `${values};${bits};${clock};${says}`;
const range = ({ bounds }, cell) => [bounds[cell - 1] ?? -Infinity, (bounds[cell] ?? Infinity) - 1];

/** What a step can lead to, for all that `pick` may choose. */
function branches(step) {
  const [found, script] = [[], []];
  do {
    let at = 0;
    const pick = (first, last) => {
      if (at === script.length) script.push([first, last]);
      return script[at++][0];
    };
    found.push(step(pick));
    while (script.length && script.at(-1)[0] === script.at(-1)[1]) script.pop();
    if (script.length) script.at(-1)[0]++;
  } while (script.length && found.length <= BRANCHES);
  return found;
}

/** The nodes from which one of the seeds is reached, themselves among them. */
function leadingTo(seeds, before) {
  const found = new Set(seeds);
  for (const i of found) before[i].forEach(j => found.add(j));
  return found;
}

const isSame = says => new Set(says).size === 1;

/** A function that names what is remembered: equal names are one, for the reasons above. */
export function merging(machine) {
  const states = [machine.inCells(machine.start)];
  const index = new Map([[keyOf(states[0]), 0]]);
  const nodes = [];
  const isOne = machine.roots.length === 1;
  let tried = 0;
  for (const state of states) {
    const next = machine.alphabet.map(symbol => {
      const after = branches(pick => machine.step(state, symbol, pick));
      tried += after.length;
      for (const one of after)
        if (!index.has(keyOf(one))) index.set(keyOf(one), states.push(one) - 1);
      return [...new Set(after.map(one => index.get(keyOf(one))))];
    });
    nodes.push({ says: isOne ? state.says : isSame(state.says), next });
    if (states.length > NODES || tried > BRANCHES)
      return state => ({ name: keyOf(state), isOpen: true, isKept: () => true });
  }
  const of = classes(nodes);
  const before = nodes.map(() => []);
  nodes.forEach(({ next }, i) => next.flat().forEach(j => before[j].push(i)));
  const parts = ids => new Set(ids).size > 1;
  const all = [...nodes.keys()];
  const open = leadingTo(
    all.filter(i => nodes[i].next.some(after => parts(after.map(j => of[j])))),
    before,
  );
  const id = i => (open.has(i) ? `node ${i}` : `class ${of[i]}`);
  const matters = machine.forms.map((form, r) => {
    const differs = after => parts(after.map(id)) && parts(after.map(j => states[j].values[r]));
    return leadingTo(form.grows ? [] : all.filter(i => nodes[i].next.some(differs)), before);
  });
  return state => {
    const i = index.get(keyOf(machine.inCells(state)));
    const isForGood = !open.has(i) && nodes[i].next.flat().every(j => of[j] === of[i]);
    const isKept = (_, r) => open.has(i) && matters[r].has(i);
    return {
      name: `${id(i)}: ${state.values.filter(isKept)}`,
      isForGood,
      isOpen: open.has(i),
      isKept,
    };
  };
}

/** What is remembered, in words. */
function remembered(machine, state, { isForGood, isOpen, isKept }) {
  if (isForGood)
    return machine.roots.length > 1 ? "nothing: they agree for good" : "its answer, for good";
  const said = machine.forms.map((form, r) => {
    const value = state.values[r];
    const text = sumText(machine, form);
    if (form.grows) return form.cap && formed(machine, form, value, text);
    if (isOpen) return isKept(value, r) && `${text} = ${value}`;
    const [least, most] = range(form, cellOf(form, value));
    if (least === most) return `${text} = ${value}`;
    return most === Infinity ? `${text} ≥ ${least}` : `${text} ≤ ${most}`;
  });
  const held = ({ text }, i) => `the last symbol: ${state.bits[i] ? "" : "not "}${cut(text)}`;
  said.push(...machine.before.map(held));
  if (machine.period > 1) said.push(`mod(${machine.period}, ${state.clock})`);
  const tidy = text => text.replaceAll("-", "−").replace(/'([^'"\\])'/g, '"$1"');
  return said.filter(Boolean).map(tidy).join("; ") || "nothing";
}

/** How far a form that only grows has come. */
function formed({ counts }, { terms: [[count, c], ...others], cap }, value, text) {
  const { symbol, text: inside } = counts[count];
  if (cap > 1 || others.length || c > 1 || symbol)
    return `${text} ${value < cap ? "=" : "≥"} ${value}`;
  const opposite = /^not (?:\((.*)\)|(.*))$/.exec(inside);
  if (!value && opposite) return `always(${cut(opposite[1] ?? opposite[2])})`;
  return `${value ? "once" : "never"}(${cut(inside)})`;
}

const cut = text => (text.length > 44 ? `${text.slice(0, 42)} …` : text);

function sumText(machine, { terms }) {
  const isOfAll = machine.alphabet.length === terms.length && terms.every(([, c]) => c === 1);
  if (isOfAll && terms.every(([k]) => machine.counts[k].symbol)) return "position";
  const text = ([k, c], i) => {
    const factor = Math.abs(c) === 1 ? "" : `${Math.abs(c)}·`;
    return `${c < 0 ? " - " : i ? " + " : ""}${factor}count(${cut(machine.counts[k].text)})`;
  };
  return terms.map(text).join("");
}

// ---- the search: lib.proofs.search ----

const isFormula = text => /\b(?:Q|mod)\s*\(|\b(?:True|False|position)\b/.test(text);

/**
 * Holds a formula against a regular expression, or another formula, over an alphabet. `kind` is
 * "proved" for every length, "wrong" or "unknown"; all strings to `length` were tried, by so many
 * `states`. A shortest `counterexample` comes with what the two say of it, `accepts`. `pairs` are as
 * they were found: a first string, what the formula remembers, the place in the expression, if it
 * is one, by a letter in the order of the pairs, both answers, and by symbol the pair that it leads
 * to. FormulaError or ExpressionError for what is none.
 */
export function against(text, other, symbols, most = PAIRS) {
  const alphabet = [...symbols];
  const trees = [parseFormula(text, alphabet)];
  let dfa = { rows: [{ next: alphabet.map(() => 0) }], start: 0 };
  if (isFormula(other)) trees.push(parseFormula(other, alphabet));
  else dfa = automaton(other, alphabet);
  let machine;
  try {
    machine = new Machine(trees, alphabet);
  } catch (error) {
    if (error instanceof TotalError) return tried(trees, dfa, alphabet);
    throw error;
  }
  const name = merging(machine);
  const seen = new Map();
  const pairs = [];
  const places = new Map();
  const add = (string, state, q) => {
    const named = name(state);
    const key = `${named.name} ${q}`;
    if (seen.has(key)) return seen.get(key);
    seen.set(key, pairs.length);
    const answers = [...state.says].map(one => one === "1");
    if (answers.length < 2) answers.push(dfa.rows[q].accepts);
    const [formula, expression] = answers;
    pairs.push({ string, state, named, q, formula, expression, next: {} });
    return pairs.length - 1;
  };
  const result = (kind, more = {}) => ({
    kind,
    states: pairs.length,
    length: [...pairs.at(-1).string].length,
    counterexample: null,
    ...more,
    pairs: pairs.map(({ string, state, named, q, formula, expression, next }) => {
      const remembers = remembered(machine, state, named);
      if (!places.has(q)) places.set(q, letter(places.size));
      const place = trees.length < 2 ? places.get(q) : null;
      return { string, remembers, place, formula, expression, next };
    }),
  });
  const wrong = ({ string, formula, expression }) =>
    result("wrong", { counterexample: string, accepts: [formula, expression] });
  const parted = ({ formula, expression }) => formula !== expression;
  add("", machine.start, dfa.start);
  if (parted(pairs[0])) return wrong(pairs[0]);
  for (const pair of pairs) {
    if (pairs.length > most) return result("unknown", { length: [...pair.string].length });
    for (const [k, symbol] of alphabet.entries()) {
      const after = machine.step(pair.state, symbol);
      pair.next[symbol] = add(pair.string + symbol, after, dfa.rows[pair.q].next[k]);
      if (parted(pairs[pair.next[symbol]])) return wrong(pairs[pair.next[symbol]]);
    }
  }
  return result("proved");
}

/** Where a total looks at what comes: all strings to some length, read directly. */
function tried(trees, { rows, start }, alphabet) {
  let level = [["", start]];
  const found = { states: 0, length: -1, counterexample: null, pairs: [] };
  found.reason = "a total inside a count looks at symbols that are still to come";
  while (found.states + level.length <= STRINGS) {
    for (const [w, q] of level) {
      const accepts = trees.map(tree => holds(tree, w));
      if (accepts.length < 2) accepts.push(rows[q].accepts);
      if (accepts[0] !== accepts[1])
        return { ...found, kind: "wrong", length: [...w].length, counterexample: w, accepts };
    }
    found.states += level.length;
    found.length++;
    level = level.flatMap(([w, q]) => alphabet.map((a, k) => [w + a, rows[q].next[k]]));
  }
  return { ...found, kind: "unknown" };
}

// ---- the widget ----

const EXAMPLES = [
  ["exactly two 1s", 'count(Q("1")) == 2', "0*10*10*"],
  ["exactly two 1s, with a slip", 'count(Q("1")) == 2', "0*10*1"],
  [
    "(ab)*",
    'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)',
    "(ab)*",
  ],
  [
    "every 0 directly followed by a 1",
    'not Q("0") and never(Q("0") and previous(Q("0")))',
    "(1|01)*",
  ],
  ["at most fifteen 1s, with a slip", 'count(Q("1")) <= 15', "0*(10*){0,14}"],
  ["pairs without end", 'count(Q("a")) != count(Q("b")) or mod(2, 0)', "(a|b)*"],
];
const ROWS = 8; // of pairs that are shown
const PAUSE = 200; // milliseconds after the last key
const OF_FORMULAS = [
  [/[“”„]/g, '"'],
  [/\bQ\((\w)\)/g, 'Q("$1")'],
  [/\b(count|total|once|never|always|previous)\((["']?)(\w)\2\)/g, '$1(Q("$3"))'],
  [/(?<![=!<>])=(?!=)/g, "=="],
  [/≤/g, "<="],
  [/≥/g, ">="],
];
const OF_EXPRESSIONS = [
  [/^\^|\$$/g, ""],
  [/ε/g, "()"],
  [/\|\|/g, "|"],
];

/** The text with usual slips mended, if it can be read then; else null. */
function mended(text, slips, read) {
  const better = slips.reduce((found, [slip, mend]) => found.replace(slip, mend), text);
  for (const end of ["", ")", "))"])
    try {
      read(better + end);
      return better + end;
    } catch {
      // it is something else
    }
  return null;
}

/** The symbols that a formula asks for, if they are two; else those of the other text as well. */
function alphabetOf(text, other) {
  const asked = of =>
    [...of.matchAll(/Q\(\s*["']?([^"'])["']?\s*\)/gu)].map(([, symbol]) => symbol);
  const used = new Set(asked(text));
  const letters = of => of.replace(/\{[^}]*\}|ε/g, "").match(/[\p{L}\p{N}]/gu) ?? [];
  const more = isFormula(other) ? asked(other) : letters(other);
  if (used.size < 2 || isFormula(other)) for (const symbol of more) used.add(symbol);
  for (const symbol of "01") if (used.size < 2) used.add(symbol);
  return [...used].sort();
}

const number = n => n.toLocaleString("en");
const briefly = (w, most) => {
  const signs = [...w];
  if (signs.length <= most) return w;
  return `${signs.slice(0, most - 6).join("")}…${signs.slice(-5).join("")}`;
};
const named = w => (w === "" ? "the empty string" : briefly(w, 40));

/** The answer in a sentence, about a formula and another or an expression. */
export function sentence(found, alphabet, second = "expression") {
  const { kind, states, length, counterexample, accepts, reason } = found;
  if (kind === "proved") {
    const where =
      states === 1 ? "one pair, and in it" : `one of ${number(states)} pairs, and in each of them`;
    return `Proved for every length: all strings over ${list(alphabet)} lead to ${where} both say the same.`;
  }
  if (kind === "wrong") {
    const [one, none] = accepts[0] ? ["formula", second] : [second, "formula"];
    const signs = [...counterexample].length;
    const long = signs > 12 ? ` (${number(signs)} symbols)` : "";
    return `Wrong: ${named(counterexample)}${long} is the shortest string on which they part: the ${one} accepts it, the ${none} does not.`;
  }
  const why = reason ?? `after ${number(states - 1)} pairs new ones still come`;
  return `Not decided: all strings to length ${number(length)} agree, and ${why}.`;
}

function table({ pairs, kind }, alphabet) {
  const shown = [...pairs.entries()].slice(0, ROWS);
  if (kind === "wrong" && pairs.length > ROWS)
    shown.splice(-1, 1, [pairs.length - 1, pairs.at(-1)]);
  const cell = (tag, text, attributes = {}) => element(tag, attributes, text);
  const finger = pairs[0].place === null ? [] : ["finger"];
  const heads = ["pair", "first string", "the formula remembers", ...finger, "accepted by"];
  const by = ({ formula, expression }) =>
    formula === expression ? (formula ? "both" : "neither") : formula ? "formula" : "expression";
  const row = ([i, pair]) =>
    element(
      "tr",
      {},
      cell("th", String(i + 1), { scope: "row" }),
      cell("td", pair.string ? briefly(pair.string, 16) : element("i", {}, "empty")),
      cell("td", pair.remembers),
      ...finger.map(() => cell("td", pair.place)),
      cell("td", by(pair), pair.formula === pair.expression ? {} : { class: "wrong" }),
      ...alphabet.map(a => cell("td", a in pair.next ? String(pair.next[a] + 1) : "")),
    );
  const columns = [...heads, ...alphabet.map(a => `${a} →`)].map(text =>
    cell("th", text, { scope: "col" }),
  );
  const left = pairs.length - shown.length;
  return [
    element(
      "table",
      { "aria-label": "the pairs, and where each symbol leads" },
      element("thead", {}, element("tr", {}, ...columns)),
      element("tbody", {}, ...shown.map(row)),
    ),
    ...(left ? [element("p", {}, `and ${number(left)} more`)] : []),
  ];
}

/** What a page shows in `<div class="live" data-live="against">`. */
export function widget() {
  const fields = ["formula", "regular expression"].map(name => {
    const id = `against-${name.split(" ")[0]}`;
    const attributes = { type: "text", id, "aria-describedby": `${id}-amiss`, oninput: later };
    const input = element("input", {
      ...attributes,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
    });
    return {
      input,
      label: element("label", {}, name, input),
      amiss: element("p", { id: `${id}-amiss`, class: "amiss", role: "status" }),
    };
  });
  const [formula, expression] = fields;
  const said = element("p", { role: "status" });
  const pairs = element("div", { class: "pairs" });
  const examples = element(
    "select",
    { onchange: () => EXAMPLES[examples.value] && put(...EXAMPLES[examples.value].slice(1)) },
    element("option", { value: "" }, "of your own"),
    ...EXAMPLES.map(([name], i) => element("option", { value: i }, name)),
  );
  let timer = 0;
  function later() {
    examples.value = "";
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  }
  function put(text, other) {
    formula.input.value = text;
    expression.input.value = other;
    show();
  }
  /** Says under a field what is wrong in it, with a button that mends it; whether nothing is. */
  function check({ input, amiss }, slips, read) {
    amiss.replaceChildren();
    input.removeAttribute("aria-invalid");
    try {
      read(input.value);
      return true;
    } catch (error) {
      if (!(error instanceof FormulaError || error instanceof ExpressionError)) throw error;
      const better = mended(input.value, slips, read);
      const onclick = () => {
        input.value = better;
        input.focus();
        show();
      };
      amiss.append(`${error.message}. `);
      if (better !== null)
        amiss.append(element("button", { type: "button", onclick }, `write ${better}`));
      input.setAttribute("aria-invalid", "true");
      return false;
    }
  }
  function show() {
    clearTimeout(timer);
    const [text, other] = fields.map(({ input }) => input.value);
    const alphabet = alphabetOf(text, other);
    const readsFormula = one => parseFormula(one, alphabet);
    const isOther = isFormula(other);
    const isRead = [
      check(formula, OF_FORMULAS, readsFormula),
      check(
        expression,
        isOther ? OF_FORMULAS : OF_EXPRESSIONS,
        isOther ? readsFormula : one => automaton(one, alphabet),
      ),
    ].every(Boolean);
    said.textContent = "";
    pairs.replaceChildren();
    if (!isRead) return;
    try {
      const found = against(text, other, alphabet);
      said.textContent = sentence(found, alphabet, isOther ? "other formula" : "expression");
      if (found.pairs.length) pairs.append(...table(found, alphabet));
    } catch (error) {
      said.textContent = `Not decided: ${error.message}.`;
    }
  }
  examples.value = "0";
  put(...EXAMPLES[0].slice(1));
  const parts = fields.flatMap(({ label, amiss }) => [label, amiss]);
  return [element("label", {}, "example", examples), ...parts, said, pairs];
}
