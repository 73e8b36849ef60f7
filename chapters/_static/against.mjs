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

import { cut } from "./forms.mjs";
import { FormulaError, holds, linear, parseFormula } from "./formulas.mjs";
import { BRANCHES, LARGEST, NODES, PAIRS } from "./limits.mjs";
import { automaton, classes, living } from "./regular.mjs";

/** The letter of a number: A to Z, then A1 and so on. */
const letter = i => String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));

// ---- formulas as machines: lib.proofs.machine ----

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
    if (kind === "total" && !isOutermost)
      throw new FormulaError("a total inside a count looks at symbols that are still to come");
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

export const isFormula = text => /\b(?:Q|mod)\s*\(|\b(?:True|False|position)\b/.test(text);

/**
 * Holds a formula against a regular expression, or another formula, over an alphabet. `kind` is
 * "proved" for every length, "wrong" or "unknown"; all strings to `length` were tried, by so many
 * `states`. A shortest `counterexample` comes with what the two say of it, `accepts`. `pairs` are as
 * they were found: a first string, what the formula remembers, the place in the expression, if it
 * is one, by a letter in the order of the pairs, both answers, and by symbol the pair that it leads
 * to. With `implied`, which is of an expression, the formula may accept more than that. FormulaError
 * or ExpressionError for what is none.
 */
export function against(
  text,
  other,
  symbols,
  { ofFormula = isFormula(other), implied = false } = {},
) {
  const alphabet = [...symbols];
  const trees = [parseFormula(text, alphabet)];
  let dfa = { rows: [{ next: alphabet.map(() => 0) }], start: 0 };
  if (ofFormula) trees.push(parseFormula(other, alphabet));
  else dfa = automaton(other, alphabet);
  const parts = (formula, expression) => formula !== expression && !(implied && formula);
  const machine = new Machine(trees, alphabet);
  const name = merging(machine);
  const alive = implied ? living(dfa.rows) : null; // nothing goes wrong where nothing is accepted
  const seen = new Map();
  const pairs = [];
  const places = new Map();
  const add = (string, state, q) => {
    const named = name(state);
    const key = alive?.has(q) === false ? "dead" : `${named.name} ${q}`;
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
  const parted = ({ formula, expression }) => parts(formula, expression);
  add("", machine.start, dfa.start);
  if (parted(pairs[0])) return wrong(pairs[0]);
  for (const pair of pairs) {
    if (pairs.length > PAIRS) return result("unknown", { length: [...pair.string].length });
    for (const [k, symbol] of alphabet.entries()) {
      const after = machine.step(pair.state, symbol);
      pair.next[symbol] = add(pair.string + symbol, after, dfa.rows[pair.q].next[k]);
      if (parted(pairs[pair.next[symbol]])) return wrong(pairs[pair.next[symbol]]);
    }
  }
  return result("proved");
}
