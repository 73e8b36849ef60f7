// Regular expressions and their least automata. The states are derivatives (Brzozowski 1964).

import { EXPRESSION, NODES, ROUNDS } from "./limits.mjs";

/** What is no expression. */
export class ExpressionError extends Error {
  constructor(reason, place) {
    super(`${reason}, at place ${place}`);
    this.name = "ExpressionError";
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

const PLUS = "+ may be meant as or, or as one or more: write a|b, or (a+)b";
const TIMES = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };

function parsed(text, alphabet) {
  const signs = [...text];
  let at = 0;
  const fail = (reason, place = at) => {
    throw new ExpressionError(reason, place + 1);
  };
  const look = () => {
    while (signs[at] === " " && !alphabet.includes(" ")) at++;
    return signs[at] ?? "";
  };
  const take = what => look() === what && ++at;
  let pluses; // of a bracket: where a + may be meant as |, null where not
  function union() {
    const [parts, outer] = [[], pluses];
    pluses = [];
    do {
      let found = null;
      while (look() && !"|)".includes(look())) found = joined(found ?? EMPTY, times());
      if (!found && (parts.length || look() === "|")) fail("nothing stands beside |");
      parts.push(found ?? EMPTY);
    } while (take("|"));
    if (pluses.length && !pluses.includes(null) && !/[|?[]/.test(text)) fail(PLUS, pluses[0]);
    pluses = outer;
    return either(parts);
  }
  function times() {
    let part = one();
    for (let isRepeated = false; ; isRepeated = true) {
      const next = TIMES[look()];
      const from = at;
      // Python would match as little, or as much, as it can: a+? is a+ there.
      if (isRepeated && (look() === "?" || look() === "+"))
        fail(`${look()} stands behind another sign of repetition: write brackets between them`);
      if (next) {
        at++;
        part = repeated(part, ...next);
        if (signs[from] !== "+") continue;
        const isInfix = look() && !"|)*+?{".includes(look());
        if (isInfix && signs[from - 1] === " ") fail(PLUS, from);
        pluses.push(isInfix ? from : null);
      } else if (take("{")) {
        const found = /^(\d{0,3})(?:(,)(\d{0,3}))?\}/.exec(signs.slice(at).join(""));
        const least = Number(found?.[1]);
        const most = found?.[2] ? Number(found[3] || Infinity) : least;
        if (!found) fail("{2,3} is expected, from 2 to 3 times", from);
        if (!most || most < least || found[0] === ",}")
          fail(`{${found[0]} is no number of times, or no range`, from);
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
      if (/^\^.|.-.|\\./su.test(signs.slice(at, end).join("")))
        fail("[ab] names each symbol: [^a] and [a-c] are read in Python alone", from);
      const inside = [];
      while (at < end) inside.push(symbol());
      at++;
      return inside.length ? sign(inside) : fail("[] holds no symbol", from);
    }
    return sign([symbol()]);
  }
  function symbol() {
    if (!alphabet.includes(signs[at]))
      fail(
        `${signs[at]} is neither a symbol (${alphabet.join(", ")}) nor one of | * + ? . ( ) [ ] { }`,
      );
    return signs[at++];
  }
  if (signs.length > EXPRESSION)
    fail(`an expression of at most ${EXPRESSION} signs is expected`, EXPRESSION);
  const outside = [...text.replace(/\[[^\]]*\]/gu, inside => " ".repeat([...inside].length))];
  const signsToo = `|&^*+?.\\${/^(?!.*\(\)).*(\)[*+?{]|\|)/.test(text) ? "" : "()"}`;
  const both = outside.findIndex(sign => alphabet.includes(sign) && signsToo.includes(sign));
  if (both >= 0) fail(`${signs[both]} is a symbol, written [${signs[both]}], and a sign`, both);
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

/** The states of an automaton from which one that accepts is reached. */
export function living(rows) {
  const found = new Set([...rows.keys()].filter(q => rows[q].accepts));
  for (const to of found) rows.forEach(({ next }, q) => next.includes(to) && found.add(q));
  return found;
}

/** The coarsest classes of nodes that say the same and lead, by each symbol, to the same classes. */
export function classes(nodes) {
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
