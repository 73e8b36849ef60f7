// Counting formulas, what they mean, and transformers compiled from them: lib.formulas, in the
// browser. A formula is a tree of objects, each with the text that Python prints for it.

import { constructionJSON } from "./format.mjs";
import { Form, constantly, coordinate, cut, joined, quoted, sumOf } from "./forms.mjs";
import { DEEPEST, FORMULA, MADE } from "./limits.mjs";
import { ONE, RELATIONS, ZERO, negative } from "./numbers.mjs";

const OPEN = 250; // brackets, calls and signs at once
const KEYWORDS = new Set(["and", "or", "not", "if", "else"]);
export const NAMES =
  "Q count total once never always previous min max mod position True False".split(" ");

/** What is no formula. */
export class FormulaError extends Error {
  constructor(message) {
    super(message);
    this.name = "FormulaError";
  }
}

// ---- formulas and terms: lib.formulas.syntax ----

const absolute = n => (n < 0n ? -n : n);

const bracketed = ({ kind, text }) => (["and", "or", "not"].includes(kind) ? `(${text})` : text);

const Q = symbol => ({ kind: "Q", symbol, text: `Q(${quoted(symbol)})` });
const truthOf = value => ({ kind: "truth", value, text: value ? "True" : "False" });
const mod = (period, remainder) => ({
  kind: "mod",
  period,
  remainder,
  text: `mod(${period}, ${remainder})`,
});
const not = part => ({ kind: "not", part, text: `not ${bracketed(part)}` });
const previous = part => ({ kind: "previous", part, text: `previous(${part.text})` });
const and = parts => ({ kind: "and", parts, text: parts.map(bracketed).join(" and ") });
const or = parts => ({ kind: "or", parts, text: parts.map(bracketed).join(" or ") });
const comparison = (left, sign, right) => ({
  kind: "compare",
  left,
  sign,
  right,
  text: `${left.text} ${sign} ${right.text}`,
});

/** A whole number at each position: a combination of atoms. */
class Term {
  constructor(terms = [], constant = 0n) {
    const merged = new Map();
    for (const [atom, c] of terms)
      merged.set(atom.text, [atom, (merged.get(atom.text)?.[1] ?? 0n) + c]);
    this.terms = [...merged.values()].filter(([, c]) => c);
    this.constant = constant;
  }
  plus(other) {
    return new Term([...this.terms, ...other.terms], this.constant + other.constant);
  }
  times(n) {
    return new Term(
      this.terms.map(([atom, c]) => [atom, c * n]),
      this.constant * n,
    );
  }
  minus(other) {
    return this.plus(other.times(-1n));
  }
  get text() {
    return (this.written ??= this.print());
  }
  print() {
    const pieces = this.terms.map(([atom, c]) => [
      c,
      absolute(c) === 1n ? atom.text : `${absolute(c)}*${atom.text}`,
    ]);
    if (this.constant || !pieces.length) pieces.push([this.constant, absolute(this.constant)]);
    return joined(pieces);
  }
}

const number = n => new Term([], n);
const alone = atom => new Term([[atom, 1n]]);
const POSITION = { kind: "position", text: "position" };
const counter = (kind, formula) => alone({ kind, formula, text: `${kind}(${formula.text})` });
const conditional = (condition, then, otherwise) =>
  alone({
    kind: "conditional",
    condition,
    then,
    otherwise,
    text: `(${then.text} if ${condition.text} else ${otherwise.text})`,
  });
const OF_FORMULAS = new Map([
  ["once", inside => comparison(counter("count", inside), ">=", number(1n))],
  ["never", inside => comparison(counter("count", inside), "==", number(0n))],
  ["always", inside => comparison(counter("count", not(inside)), "==", number(0n))],
  ["previous", previous],
]);
const OF_TERMS = new Map([
  ["min", (left, right) => conditional(comparison(left, "<=", right), left, right)],
  ["max", (left, right) => conditional(comparison(left, ">=", right), left, right)],
]);

/** What a formula, a term or an atom is made of, one step down. */
function partsOf(thing) {
  if (thing instanceof Term) return thing.terms.map(([atom]) => atom);
  switch (thing.kind) {
    case "not":
    case "previous":
      return [thing.part];
    case "and":
    case "or":
      return thing.parts;
    case "compare":
      return [thing.left, thing.right];
    case "count":
    case "total":
      return [thing.formula];
    case "conditional":
      return [thing.condition, thing.then, thing.otherwise];
  }
  return [];
}

// ---- reading: lib.formulas.text, in Python's grammar but for how numbers and symbols may be spelled ----

const TOKEN =
  /(?<space>\s+)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<number>(?:0+|[1-9][0-9]*)(?![0-9_]))|(?<name>[A-Za-z_]\w*)|(?<sign>[=!<>]=|[-+*()<>,])/suy;
const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|(.))/gsu;
const ESCAPED = { "\\": "\\", "'": "'", '"': '"', n: "\n", r: "\r", t: "\t" };

/** The formula that a text spells, over the symbols of an alphabet; FormulaError where it is none. */
export function parseFormula(text, alphabet) {
  if (text.length > FORMULA)
    throw new FormulaError(
      `a formula of at most ${FORMULA} characters is expected, not of ${text.length}`,
    );
  const found = new Reader(text, checkedAlphabet(alphabet)).formula(new Parser(text).whole());
  new Parser(found.text).whole(); // what is read can be printed, and read again
  return found;
}

/**
 * How large a formula is, as lib.proofs.smallest counts: a symbol, a number, the position, a
 * comparison and each word, sign or call are a part each; Q("1") and mod(2, 1) are one.
 */
export function partsIn(text) {
  const tokens = tokenized(text);
  const isPart = ({ kind, text: word }) =>
    kind !== "string" && !["(", ")", ",", "else"].includes(word);
  return tokens.filter(isPart).length - 2 * tokens.filter(one => one.text === "mod").length;
}

function checkedAlphabet(alphabet) {
  const symbols = [...alphabet];
  if (!symbols.length) throw new FormulaError("an alphabet of at least one symbol is expected");
  const twice = symbols.find((symbol, i) => symbols.indexOf(symbol) < i);
  if (twice) throw new FormulaError(`the symbol ${quoted(twice)} stands twice in the alphabet`);
  return symbols;
}

/** Throws a FormulaError for the place in a text. */
function refuse(source, place, reason) {
  const column = [...source.slice(0, place)].length + 1;
  throw new FormulaError(`${reason}, at column ${column} of '${source}'`);
}

/** The tokens of a text. */
function tokenized(source) {
  const found = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.length;) {
    const place = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) refuse(source, place, `no formula: ${source[place]} has no place in it`);
    const { space, ...rest } = match.groups;
    if (space) continue;
    const [[kind, text]] = Object.entries(rest).filter(([, value]) => value !== undefined);
    found.push({ kind, text, place });
  }
  return found;
}

/** Python's syntax tree of a text: nodes with their `kind`, `place`, `end` and `levels`. */
class Parser {
  constructor(source) {
    this.source = source;
    this.tokens = tokenized(source);
    this.at = 0;
    this.open = 0;
  }

  get token() {
    return this.tokens[this.at] ?? { kind: "end", text: "", place: this.source.length };
  }

  is(text) {
    return this.token.text === text && this.token.kind !== "string";
  }

  take(text) {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  expect(text) {
    if (!this.take(text)) this.refuse(`no formula: ${text} is expected`);
  }

  /** Takes the bracket that closes the one at a place. */
  close(place) {
    if (this.token.kind === "end")
      refuse(this.source, place, "no formula: this bracket is never closed");
    this.expect(")");
  }

  refuse(reason) {
    refuse(this.source, this.token.place, reason);
  }

  node(kind, place, fields, children) {
    const levels = 1 + Math.max(0, ...children.map(child => child.levels));
    if (levels > DEEPEST) refuse(this.source, place, "a formula nested too deep");
    const last = this.tokens[this.at - 1];
    return { kind, place, end: last.place + last.text.length, levels, ...fields };
  }

  /** What stands deeper, which ends before the stack does. */
  deeper(read) {
    if (++this.open > OPEN) this.refuse("a formula nested too deep");
    const found = read();
    this.open--;
    return found;
  }

  whole() {
    const tree = this.expression();
    if (this.is(")")) this.refuse("no formula: this bracket was never opened");
    if (this.token.kind !== "end") this.refuse(`no formula: ${cut(this.token.text)} is too much`);
    return tree;
  }

  expression() {
    const { place } = this.token;
    const then = this.several("or", () => this.several("and", () => this.inversion()));
    if (!this.take("if")) return then;
    const condition = this.several("or", () => this.several("and", () => this.inversion()));
    this.expect("else");
    const otherwise = this.deeper(() => this.expression());
    const fields = { condition, then, otherwise };
    return this.node("if", place, fields, Object.values(fields));
  }

  several(kind, read) {
    const { place } = this.token;
    const parts = [read()];
    while (this.take(kind)) parts.push(read());
    return parts.length === 1 ? parts[0] : this.node(kind, place, { parts }, parts);
  }

  inversion() {
    const { place } = this.token;
    if (!this.take("not")) return this.comparison();
    const part = this.deeper(() => this.inversion());
    return this.node("not", place, { part }, [part]);
  }

  comparison() {
    const { place } = this.token;
    const sides = [this.sum()];
    const signs = [];
    while (this.token.kind === "sign" && this.token.text in RELATIONS) {
      signs.push(this.token.text);
      this.at++;
      sides.push(this.sum());
    }
    if (!signs.length) return sides[0];
    return this.node("compare", place, { sides, signs }, sides);
  }

  sum() {
    return this.chain(["+", "-"], () => this.chain(["*"], () => this.factor()));
  }

  chain(signs, read) {
    const { place } = this.token;
    let left = read();
    for (;;) {
      const sign = signs.find(one => this.take(one));
      if (!sign) return left;
      const right = read();
      left = this.node(sign, place, { left, right }, [left, right]);
    }
  }

  factor() {
    const { place } = this.token;
    if (!this.take("-")) return this.call();
    const part = this.deeper(() => this.factor());
    return this.node("minus", place, { part }, [part]);
  }

  call() {
    const { place } = this.token;
    let found = this.atom();
    for (let opened = this.token.place; this.take("("); opened = this.token.place) {
      const inside = [];
      while (!this.take(")")) {
        inside.push(this.deeper(() => this.expression()));
        if (!this.take(",") && !this.is(")")) this.close(opened);
      }
      const fields = { of: found, name: null, inside };
      found = this.node("call", place, fields, [found, ...inside]);
    }
    return found;
  }

  atom() {
    const { kind, text, place } = this.token;
    if (this.take("(")) {
      const inside = this.deeper(() => this.expression());
      this.close(place);
      return inside;
    }
    if (!["string", "number", "name"].includes(kind) || (kind === "name" && KEYWORDS.has(text)))
      this.refuse(`no formula: ${text ? cut(text) : "its end"} is not expected`);
    const value = kind === "string" ? this.symbol(text) : kind === "number" && BigInt(text);
    this.at++;
    if (kind !== "name") return this.node(kind, place, { value }, []);
    if (text === "True" || text === "False")
      return this.node("truth", place, { value: text === "True" }, []);
    return this.node("name", place, { name: text }, []);
  }

  /** What a string means. */
  symbol(text) {
    return text.slice(1, -1).replace(ESCAPE, (all, x, u, U, other) => {
      const code = x ?? u ?? U;
      const found = code ? String.fromCodePoint(parseInt(code, 16)) : ESCAPED[other];
      return found ?? this.refuse(`no formula: ${all} stands for no character`);
    });
  }
}

/** A syntax tree turned into a formula. */
class Reader {
  constructor(source, alphabet) {
    this.source = source;
    this.alphabet = alphabet;
  }

  refuse(tree, reason) {
    refuse(this.source, tree.place, reason);
  }

  written(tree) {
    return cut(this.source.slice(tree.place, tree.end));
  }

  /** Refuses what means nothing here. */
  strange(tree, expected) {
    const { name } = tree.kind === "call" ? tree.of : tree;
    if (name && !NAMES.includes(name))
      this.refuse(tree, `unknown name '${cut(name)}' (known are ${NAMES.join(", ")})`);
    this.refuse(tree, `${expected} is expected, not ${this.written(tree)}`);
  }

  /** What was read, if it is of bearable size: `if`, min and a < b < c say twice what they decide by. */
  sized(found) {
    const atoms = found instanceof Term ? found.terms.map(([atom]) => atom) : [found];
    if (atoms.some(({ text }) => text.length > FORMULA))
      throw new FormulaError(`a formula too long when written out: ${cut(this.source)}`);
    return found;
  }

  formula(tree) {
    return this.sized(this.newFormula(tree));
  }

  newFormula(tree) {
    switch (tree.kind) {
      case "and":
        return and(tree.parts.map(part => this.formula(part)));
      case "or":
        return or(tree.parts.map(part => this.formula(part)));
      case "not":
        return not(this.formula(tree.part));
      case "truth":
        return truthOf(tree.value);
      case "compare":
        return this.comparison(tree);
      case "if": {
        const chosen = this.formula(tree.condition);
        const then = and([chosen, this.formula(tree.then)]);
        return or([then, and([not(chosen), this.formula(tree.otherwise)])]);
      }
      case "call":
        return this.called(tree);
    }
    return this.strange(tree, "a formula");
  }

  called(tree) {
    const { name } = tree.of;
    const { inside } = tree;
    if (name === "Q" && inside.length === 1 && inside[0].kind === "string") {
      const symbol = inside[0].value;
      if (!this.alphabet.includes(symbol))
        this.refuse(
          tree,
          `unknown symbol '${cut(symbol)}' (the alphabet is ${this.alphabet.join(", ")})`,
        );
      return Q(symbol);
    }
    if (name === "mod" && inside.length === 2) {
      const [period, remainder] = inside.map(one => this.whole(one));
      if (remainder >= period)
        this.refuse(tree, `a remainder from 0 to ${period - 1n} is expected, not ${remainder}`);
      return mod(period, remainder);
    }
    if (OF_FORMULAS.has(name) && inside.length === 1)
      return OF_FORMULAS.get(name)(this.formula(inside[0]));
    return this.strange(tree, "a formula");
  }

  whole(tree) {
    if (tree.kind === "number") return tree.value;
    return this.refuse(tree, `a whole number is expected, not ${this.written(tree)}`);
  }

  comparison({ sides, signs }) {
    const terms = sides.map(side => this.term(side));
    const pairs = signs.map((sign, place) => comparison(terms[place], sign, terms[place + 1]));
    return pairs.length === 1 ? pairs[0] : and(pairs);
  }

  term(tree) {
    return this.sized(this.newTerm(tree));
  }

  newTerm(tree) {
    const { kind, left, right, inside } = tree;
    switch (kind) {
      case "number":
        return number(tree.value);
      case "name":
        if (tree.name === "position") return alone(POSITION);
        break;
      case "+":
        return this.term(left).plus(this.term(right));
      case "-":
        return this.term(left).minus(this.term(right));
      case "*":
        return this.product(tree, this.term(left), this.term(right));
      case "minus":
        return this.term(tree.part).times(-1n);
      case "if":
        return conditional(
          this.formula(tree.condition),
          this.term(tree.then),
          this.term(tree.otherwise),
        );
      case "call": {
        const { name } = tree.of;
        if (["count", "total"].includes(name) && inside.length === 1)
          return counter(name, this.formula(inside[0]));
        if (OF_TERMS.has(name) && inside.length > 1)
          return inside
            .map(one => this.term(one))
            .reduce((a, b) => this.sized(OF_TERMS.get(name)(a, b)));
      }
    }
    return this.strange(tree, "a count or a number");
  }

  product(tree, left, right) {
    if (left.terms.length && right.terms.length) this.refuse(tree, "a product of two counts");
    return left.terms.length ? left.times(right.constant) : right.times(left.constant);
  }
}

// ---- what a formula means: lib.formulas.syntax ----

/** Whether a formula holds at the last position of `w`, which is CLS where `w` is empty. */
export const holds = (tree, w) => truth(tree, [null, ...w]).at(-1);

/** Whether it holds at each token: CLS, which is null and not counted, and the symbols. */
function truth(tree, tokens) {
  switch (tree.kind) {
    case "Q":
      return tokens.map(token => token === tree.symbol);
    case "truth":
      return tokens.map(() => tree.value);
    case "mod":
      return tokens.map((_, i) => BigInt(i) % tree.period === tree.remainder);
    case "not":
      return truth(tree.part, tokens).map(value => !value);
    case "previous": // CLS and position 1 see no symbol
      return truth(tree.part, tokens).map((_, i, inside) => i > 1 && inside[i - 1]);
    case "and":
    case "or": {
      const parts = tree.parts.map(part => truth(part, tokens));
      const enough = tree.kind === "and" ? "every" : "some";
      return tokens.map((_, i) => parts[enough](values => values[i]));
    }
  }
  const [left, right] = [numbers(tree.left, tokens), numbers(tree.right, tokens)];
  return left.map((x, i) => RELATIONS[tree.sign](x, right[i]));
}

/** The value of a term at each token. */
function numbers(term, tokens) {
  const sums = Array(tokens.length).fill(term.constant);
  for (const [atom, c] of term.terms)
    valuesOf(atom, tokens).forEach((x, i) => (sums[i] += c === 1n ? x : c * x));
  return sums;
}

function valuesOf(atom, tokens) {
  if (atom.kind === "position") return tokens.map((_, i) => BigInt(i));
  if (atom.kind === "conditional") {
    const [then, otherwise] = [numbers(atom.then, tokens), numbers(atom.otherwise, tokens)];
    return truth(atom.condition, tokens).map((chosen, i) => (chosen ? then[i] : otherwise[i]));
  }
  let sum = 0n;
  const counts = truth(atom.formula, tokens).map((value, i) => (value && i ? ++sum : sum));
  return atom.kind === "count" ? counts : counts.fill(sum);
}

// ---- what the compiler asks of a formula: lib.formulas.compilation ----

const negated = tree => (tree.kind === "not" ? tree.part : not(tree));

/** The parts of a conjunction, those of conjunctions in it among them. */
function conjuncts(tree) {
  if (tree.kind === "and") return tree.parts.flatMap(conjuncts);
  if (tree.kind !== "not") return [tree];
  const { part } = tree;
  if (part.kind === "or") return part.parts.flatMap(one => conjuncts(negated(one)));
  return part.kind === "not" ? conjuncts(part.part) : [tree];
}

/** The tokens at which a formula that asks for nothing but the symbol holds; null for others. */
function symbolSet(tree, tokens) {
  if (tree.kind === "Q") return [tree.symbol];
  if (tree.kind === "truth") return tree.value ? tokens : [];
  if (tree.kind === "not") {
    const inside = symbolSet(tree.part, tokens);
    return inside && tokens.filter(token => !inside.includes(token));
  }
  if (tree.kind !== "and" && tree.kind !== "or") return null;
  const sets = tree.parts.map(part => symbolSet(part, tokens));
  if (sets.includes(null)) return null;
  const isAnd = tree.kind === "and";
  return tokens.filter(token =>
    isAnd ? sets.every(set => set.includes(token)) : sets.some(set => set.includes(token)),
  );
}

/** Whether it holds at CLS, where counts are 0; null where that depends on totals. */
function atCLS(tree) {
  switch (tree.kind) {
    case "Q":
    case "previous":
      return false;
    case "truth":
      return tree.value;
    case "mod":
      return tree.remainder === 0n;
    case "not":
      return opposite(atCLS(tree.part));
    case "and":
      return all(tree.parts.map(atCLS));
    case "or":
      return opposite(all(tree.parts.map(part => opposite(atCLS(part)))));
  }
  return asksFor("total", tree)
    ? null
    : RELATIONS[tree.sign](constant(tree.left.minus(tree.right)), 0n);
}

const opposite = value => (value === null ? null : !value);
const all = values => (values.includes(false) ? false : values.includes(null) ? null : true);

/** A term where counts and the position are 0. */
const constant = term =>
  term.terms.reduce((sum, [atom, c]) => {
    if (atom.kind !== "conditional") return sum;
    return sum + c * constant(atCLS(atom.condition) ? atom.then : atom.otherwise);
  }, term.constant);

/** Whether something of that kind stands in it. */
const asksFor = (kind, thing) =>
  thing.kind === kind || partsOf(thing).some(part => asksFor(kind, part));

/** Whether a combination of counts is at least 0 whatever the counts are. */
const isCertain = g =>
  g.constant >= 0n && g.terms.every(([atom, c]) => c >= 0n && atom.kind !== "conditional");

/** A comparison without conditionals as it is; else the two between which the first one decides. */
export function linear(compare) {
  const g = compare.left.minus(compare.right);
  const found = g.terms.find(([atom]) => atom.kind === "conditional");
  if (!found) return compare;
  const [{ condition, then, otherwise }, c] = found;
  const rest = g.minus(new Term([found]));
  const branch = term => comparison(rest.plus(term.times(c)), compare.sign, new Term());
  return or([and([condition, branch(then)]), and([negated(condition), branch(otherwise)])]);
}

/** What the atoms of a term are divided by: "(i+1)" for counts up to a position, "n" for totals. */
function scale(term) {
  const kinds = new Set(term.terms.map(([atom]) => atom.kind).filter(kind => kind !== "position"));
  if (kinds.size > 1)
    throw new FormulaError(
      `${cut(term.text)}: a count, which attention divides by i + 1, and a total, which it ` +
        "divides by n, cannot be compared",
    );
  return kinds.has("total") ? "n" : "(i+1)";
}

// ---- compiling: lib.formulas.compilation ----

const whole = n => [BigInt(n), 1n];
const HALF = [1n, 2n];

/** The same for equal forms. */
const keyOf = ({ json }) =>
  JSON.stringify(Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A layer while it is being made; `means` holds, for each mask, what one head averages. */
class Draft {
  means = new Map();
  heads = [];
  hidden = new Map(); // form by key
  out = new Map();
  rewrites = [];

  mean(mask, name, value) {
    if (!this.means.has(mask)) this.means.set(mask, new Map());
    this.means.get(mask).set(name, value);
  }

  /** Writes sum c max(0, form) into a coordinate. */
  units(name, ...units) {
    if (!this.out.has(name)) this.out.set(name, new Map());
    const row = this.out.get(name);
    for (const [c, form] of units) {
      const key = keyOf(form);
      if (!this.hidden.has(key)) this.hidden.set(key, form);
      row.set(key, (row.get(key) ?? 0) + c);
    }
  }

  layer() {
    const averaging = [...this.means].map(([mask, v]) => ({ v, mask }));
    const keys = [...this.hidden.keys()];
    const rows = [...this.out].map(([name, row]) => [
      name,
      keys.map(key => (row.has(key) ? whole(row.get(key)) : ZERO)),
    ]);
    return {
      heads: [...averaging, ...this.heads],
      ffn: keys.length ? { hidden: [...this.hidden.values()], out: new Map(rows) } : null,
      rewrites: this.rewrites,
    };
  }
}

/** A form, and the sublayer from which on it can be read: attention l is 2l - 1, feed-forward 2l. */
const partOf = (form, ready = 0) => ({ form, ready });
const gathered = (form, parts) => partOf(form, Math.max(0, ...parts.map(part => part.ready)));
const attentionOf = ready => Math.floor((ready + 1) / 2) + 1; // the first layer that can read it
const feedForwardOf = ready => Math.floor(ready / 2) + 1;
const unitOf = atom => (atom.kind === "position" ? "i" : atom.text);

const MASKS = { "(i+1)": "future", n: null };

class Compiler {
  names = new Set();
  position = new Map();
  drafts = new Map();
  made = new Map(); // by what they stand for

  constructor(alphabet) {
    this.alphabet = alphabet;
    this.tokens = [...alphabet, "CLS"];
    this.symbols = new Map(this.tokens.map(token => [token, this.coordinate(token)]));
  }

  coordinate(name) {
    this.names.add(name);
    return coordinate(name);
  }

  draft(layer) {
    if (!this.drafts.has(layer)) this.drafts.set(layer, new Draft());
    return this.drafts.get(layer);
  }

  encoding(formula) {
    const form = this.coordinate(formula.length > 1 ? formula : `position ${formula}`);
    if (!this.position.has(formula)) this.position.set(formula, form);
    return form;
  }

  /** What stands for a name, made once. */
  once(name, make) {
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name);
  }

  /** The form with its constant as a multiple of all tokens: attention has no bias. */
  withoutConstant(form) {
    const tokens = sumOf(this.tokens.map(token => this.symbol(token)));
    return new Form(form.terms).plus(tokens.times(form.constant));
  }

  construction(tree, name) {
    const output = this.logit(tree);
    this.finish();
    const layers = Array.from({ length: Math.max(0, ...this.drafts.keys()) }, (_, place) =>
      this.draft(place + 1).layer(),
    );
    const space = [...this.names];
    const word = this.embeddings();
    return { name, space, word, position: this.position, layers, output, readout: "last" };
  }

  logit(tree) {
    if (tree.kind === "not") return this.logit(tree.part).negative;
    if (tree.kind === "or") return this.logit(and(tree.parts.map(negated))).negative;
    const forms = conjuncts(tree).map(part => this.boolean(part).form);
    return sumOf(forms).minus(this.one.times([2n * BigInt(forms.length) - 1n, 2n]));
  }

  /** The form that is `one` where the formula holds and 0 elsewhere. */
  boolean(tree) {
    if (this.made.size > MADE)
      throw new FormulaError(`a formula too large to compile: at most ${MADE} parts are made`);
    return this.once(tree.text, () => this.newBoolean(tree));
  }

  newBoolean(tree) {
    const members = symbolSet(tree, this.tokens);
    if (members?.length === this.tokens.length) return partOf(this.one);
    if (members) return partOf(sumOf(members.map(token => this.symbol(token))));
    switch (tree.kind) {
      case "not": {
        const { form, ready } = this.boolean(tree.part);
        return partOf(this.one.minus(form), ready);
      }
      case "and": {
        const parts = conjuncts(tree).map(part => this.boolean(part));
        return this.conjunction(`[${tree.text}]`, parts);
      }
      case "or":
        return this.boolean(not(and(tree.parts.map(negated))));
      case "mod":
        return partOf(this.periodic(tree));
      case "previous":
        return this.before(`[${tree.text}]`, this.value(tree.part));
    }
    return this.comparison(tree);
  }

  comparison(tree) {
    const lifted = linear(tree);
    if (lifted.kind !== "compare") return this.boolean(lifted);
    const { left, sign, right } = lifted;
    const g = left.minus(right);
    const [less, more] = [g.times(-1n), number(-1n)];
    switch (sign) {
      case "==": {
        const both = [this.atLeast(g), this.atLeast(less)];
        return gathered(sumOf(both.map(({ form }) => form)).minus(this.one), both);
      }
      case "!=":
        return this.boolean(not(comparison(left, "==", right)));
      case ">=":
        return this.atLeast(g);
      case "<=":
        return this.atLeast(less);
      case ">":
        return this.atLeast(g.plus(more));
    }
    return this.atLeast(less.plus(more));
  }

  /** 1 where g >= 0; what counts cannot change needs no head. */
  atLeast(g) {
    if (isCertain(g)) return partOf(this.one);
    if (isCertain(number(-1n).minus(g))) return partOf(new Form());
    const key = `[${g.text} >= 0]`;
    return this.once(key, () => this.threshold(key, g));
  }

  /** What a head averages so that the mean is the atom over the number of positions, and its layer. */
  counted(atom) {
    return this.value(atom.formula ?? truthOf(true));
  }

  /** What a head reads, `one` where the formula holds but 0 at CLS, and the layer in which it can. */
  value(formula) {
    if (atCLS(formula) === null) formula = and([formula, or(this.alphabet.map(Q))]);
    const { form, ready } = this.boolean(formula);
    const value = atCLS(formula) ? form.minus(this.symbol("CLS")) : form;
    return { value: this.withoutConstant(value), layer: attentionOf(ready) };
  }
}

// ---- hardmax, softmax and layer normalization: lib.formulas.compilation ----

/** Without layer normalization: a Boolean is 0 or 1. */
class Plain extends Compiler {
  one = constantly(ONE);

  symbol(token) {
    return this.symbols.get(token);
  }

  embeddings() {
    return this.symbols;
  }

  periodic({ period, remainder }) {
    return this.encoding(`[i mod ${period}=${remainder}]`);
  }

  conjunction(name, parts) {
    const { form, ready } = gathered(sumOf(parts.map(part => part.form)), parts);
    const layer = feedForwardOf(ready);
    this.draft(layer).units(name, [1, form.plus(constantly(whole(1 - parts.length)))]);
    return partOf(this.coordinate(name), 2 * layer);
  }

  finish() {}

  mean(name, divisor, { value, layer }) {
    this.draft(layer).mean(MASKS[divisor], name, value);
    return partOf(this.coordinate(name), 2 * layer - 1);
  }

  atom(atom, divisor) {
    if (atom.kind === "position" && divisor === "n") return partOf(this.encoding("i/n"));
    const name = `${unitOf(atom)}/${divisor}`;
    return this.once(name, () => this.mean(name, divisor, this.counted(atom)));
  }

  /** (2g + 1) over the divisor. */
  doubled(g, divisor) {
    const name = `1/${divisor}`;
    const share = { value: this.symbol("CLS"), layer: 1 };
    const unit = this.once(name, () => this.mean(name, divisor, share));
    const atoms = g.terms.map(([atom, c]) => [this.atom(atom, divisor), c]);
    const counts = sumOf(atoms.map(([{ form }, c]) => form.times([2n * c, 1n])));
    const form = counts.plus(unit.form.times([2n * g.constant + 1n, 1n]));
    return gathered(form, [unit, ...atoms.map(([part]) => part)]);
  }

  /** A head with logit j at each position j before its own. */
  lookingBack(name, value) {
    const [query, key] = [this.withoutConstant(this.one), this.encoding("i")];
    return { v: new Map([[name, value]]), q: [query], k: [key], mask: "strict future" };
  }

  /** 1 at a position that sees no token but CLS. */
  alone(divisor) {
    return divisor === "n" ? this.encoding("[n=1]") : this.symbol("CLS");
  }
}

class Hardmax extends Plain {
  threshold(name, g) {
    const divisor = scale(g);
    const { form: query, ready } = this.doubled(g, divisor);
    const layer = attentionOf(ready);
    const cls = this.symbol("CLS");
    const head = { v: new Map([[name, cls]]), q: [query], k: [cls], mask: MASKS[divisor] };
    this.draft(layer).heads.push(head);
    const form = this.coordinate(name);
    const corrected = g.constant < 0n ? form.minus(this.alone(divisor)) : form;
    return partOf(corrected, 2 * layer - 1);
  }

  before(name, { value, layer }) {
    this.draft(layer).heads.push(this.lookingBack(name, value));
    return partOf(this.coordinate(name), 2 * layer - 1);
  }
}

// A clip of this slope lies within a mean's least distance from the middle, and within what the share of
// the previous position leaves: lib.formulas.compilation proves both of these two numbers.
const [BASE, SLOPE] = [16, 2].map(whole);

class Softmax extends Plain {
  threshold(name, g) {
    const divisor = scale(g);
    const { form: query, ready } = this.doubled(g, divisor);
    const layer = attentionOf(ready);
    const j = this.encoding("i");
    const middle = (divisor === "n" ? this.encoding("n-1") : j).times(HALF);
    const mean = `mean j for ${name}`;
    const head = { v: new Map([[mean, j]]), q: [query], k: [j], mask: MASKS[divisor] };
    this.draft(layer).heads.push({ ...head, base: BASE });
    const decided = this.alone(divisor).times(whole(g.constant >= 0n ? 1 : -1));
    const off = this.coordinate(mean).minus(middle).times(SLOPE).plus(decided);
    return this.clipped(name, off, layer);
  }

  before(name, { value, layer }) {
    const nearly = `nearly ${name}`;
    this.draft(layer).heads.push({ ...this.lookingBack(nearly, value), base: BASE });
    const off = this.coordinate(nearly).minus(constantly(HALF)).times(SLOPE);
    return this.clipped(name, off, layer);
  }

  /** 1 where the form is 1/2 or more, 0 where it is -1/2 or less, a line between. */
  clipped(name, off, layer) {
    const half = constantly(HALF);
    this.draft(layer).units(name, [1, off.plus(half)], [-1, off.minus(half)]);
    return partOf(this.coordinate(name), 2 * layer);
  }
}

/** By layer normalization with eps = 0: a Boolean is 1 or -1 in a unit that a position shares. */
class Normalized extends Compiler {
  constructor(alphabet) {
    super(alphabet);
    this.one = this.coordinate("one");
    this.written = new Map([...this.names].map(name => [name, 0])); // since which layer
    this.signs = new Map(); // what each layer takes the sign of
  }

  symbol(token) {
    return this.isPositive(this.symbols.get(token));
  }

  embeddings() {
    const signed = own =>
      this.tokens.map(token => coordinate(token).times(whole(token === own ? 1 : -1)));
    return new Map(this.tokens.map(token => [token, this.one.plus(sumOf(signed(token)))]));
  }

  periodic({ period, remainder }) {
    const form = this.encoding(`2*[i mod ${period}=${remainder}]-1`);
    this.written.set(form.terms[0][0], 0);
    return this.isPositive(form);
  }

  conjunction(name, parts) {
    const { form, ready } = gathered(sumOf(parts.map(part => part.form)), parts);
    const h = form.times(whole(2)).minus(this.one.times(whole(2 * parts.length - 1)));
    return this.sign(feedForwardOf(ready), name, h);
  }

  threshold(name, g) {
    const divisor = scale(g);
    if (divisor === "n" && g.terms.some(([atom]) => atom.kind === "position"))
      throw new FormulaError(
        `${cut(name)}: under layer normalization the position is not compared with totals; ` +
          "compile for hardmax or softmax",
      );
    const counts = g.terms.map(([atom, c]) => ({ atom, c, ...this.counted(atom) }));
    const layer = Math.max(1, ...counts.map(count => count.layer));
    const mean = (what, value) => {
      this.draft(layer).mean(MASKS[divisor], `${what}/${divisor}`, value);
      return this.coordinate(`${what}/${divisor}`);
    };
    let h = mean("1", this.symbol("CLS")).times([2n * g.constant + 1n, 1n]);
    for (const { atom, value, c } of counts)
      h = h.plus(mean(unitOf(atom), value).times([2n * c, 1n]));
    return this.sign(layer, name, h);
  }

  before(name) {
    throw new FormulaError(
      `${cut(name)}: under layer normalization all coordinates of a position have one size, and ` +
        "none tells the previous position from others; compile for hardmax or softmax",
    );
  }

  construction(tree, name) {
    return mirrored(super.construction(tree, name));
  }

  finish() {
    for (const [layer, signs] of this.signs) this.clip(this.draft(layer), layer, signs);
  }

  isPositive(form) {
    return form.plus(this.one).times(HALF);
  }

  /** A coordinate for the sign of h, which is at least the smallest unit in size. */
  sign(layer, name, h) {
    if (!this.signs.has(layer)) this.signs.set(layer, []);
    this.signs.get(layer).push([name, h]);
    this.written.set(name, layer);
    return partOf(this.isPositive(this.coordinate(name)), 2 * layer);
  }

  /** Writes each sign in the smallest unit, and takes all else to that size, and counts to 0. */
  clip(draft, layer, signs) {
    const small = [...draft.means.values()].flatMap(means => [...means.keys()]);
    const unit = ["1/n", "1/(i+1)"].find(name => small.includes(name));
    const w = unit ? this.coordinate(unit) : this.one;
    const sign = h => {
      const twice = h.times(whole(2));
      return [
        [1, twice.plus(w)],
        [-1, twice.minus(w)],
        [-1, w],
      ];
    };
    for (const [name, h] of signs) draft.units(name, ...sign(h));
    if (!small.length) return;
    const old = [...this.written].filter(([, since]) => since < layer).map(([name]) => name);
    for (const name of old) {
      const x = coordinate(name);
      draft.units(name, ...sign(x), [-1, x], [1, x.negative]);
    }
    for (const name of small) draft.units(name, [-1, coordinate(name)]);
    draft.rewrites = [...old, ...small];
  }
}

/** Every coordinate x doubled by -x: lib.constructions.normalization.mirror. */
function mirrored({ name, space, word, position, layers, output, readout }) {
  const doubled = (rows, negative) => [
    ...rows,
    ...rows.map(([x, row]) => [`-${x}`, negative(row)]),
  ];
  const both = (rows, negative) => new Map(doubled([...rows], negative));
  const embedding = ([key, form]) => [key, new Form(doubled(form.terms, negative))];
  return {
    name: `mirrored ${name}`,
    space: [...space, ...space.map(x => `-${x}`)],
    word: new Map([...word].map(embedding)),
    position: new Map([...position].map(embedding)),
    layers: layers.map(({ heads, ffn, rewrites }) => ({
      heads: heads.map(head => ({ ...head, v: both(head.v, form => form.negative) })),
      ffn: ffn && { hidden: ffn.hidden, out: both(ffn.out, row => row.map(negative)) },
      rewrites: [...rewrites, ...rewrites.map(x => `-${x}`)],
    })),
    output,
    readout,
  };
}

const KINDS = {
  hardmax: [Hardmax, { attention: "hardmax", eps: null, log_n: false }],
  softmax: [Softmax, { attention: "softmax", eps: null, log_n: false }],
  "layer norm": [Normalized, { attention: "softmax", eps: "0", log_n: false }],
};

/**
 * A transformer that recognizes the strings over `alphabet` at whose last position a formula holds:
 * its JSON, which says how it must be read, and the formula. Its margins prove every length.
 * FormulaError for what is no formula, or cannot be compiled so.
 */
export function compiled(text, alphabet, attention = "hardmax") {
  const formula = parseFormula(text, alphabet);
  const [Kind, reading] = KINDS[attention];
  const construction = new Kind([...alphabet]).construction(formula, formula.text);
  return { json: { ...constructionJSON(construction), reading }, formula };
}
