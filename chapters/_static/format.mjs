// A construction as text that a person types and reads, one statement a line; also as Python code.

import { Form, cut, dictionary, formsJSON, joined } from "./forms.mjs";
import { ONE, ZERO, add, fractionText, negative, rational, times } from "./numbers.mjs";
import { position as readPosition } from "./positions.mjs";

const NEAR = 100; // characters of a name for which a likeness is looked for
const UNNAMED = "a construction";
const CHOICES = { read: ["CLS", "last"], accept: ["output > 0", "output = 0"] };
const WRITERS = { word: "a word", position: "a position" };

const NUMBER = String.raw`[0-9]+(?:/0*[1-9][0-9]*|\.[0-9]+)?`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const BARE = String.raw`[^ \t",+-](?:[^ \t",]*[^ \t",:])?`;
const NAME = `${QUOTED}|${BARE}`;
const whole = pattern => new RegExp(`^(?:${pattern})$`, "s");
const IS_NUMBER = whole(NUMBER);
const TERM = new RegExp(
  String.raw`\((${NUMBER})?\)|(?:(${NUMBER})(?:[ \t]*[·*][ \t]*|[ \t]+))?(${NAME})`,
  "sy",
);
const SIGN = /[ \t]+([+-])[ \t]+/y;
const LIST = whole(String.raw`(?:${NAME})(?:[ \t]*,[ \t]*(?:${NAME}))*`);
const COMMENT = /("(?:[^"\\]|\\.)*(?:"|\\?$))|[ \t]#.*/gs;
const STATEMENTS = Object.entries({
  write: String.raw`(${NAME})[ \t]+<-(.*)`,
  unit: String.raw`h([0-9]+)[ \t]*=(.*)`,
  embed: String.raw`(word|position)[ \t]+(${QUOTED}[ \t]*|[^ \t":][^":]*):(.*)`,
  head: String.raw`head((?:[ \t].*)?)`,
  block: "(layer|feed-forward)",
  row: String.raw`(q|k)[ \t]*:(.*)`,
  rewrites: String.raw`rewrites[ \t]*:(.*)`,
  field: String.raw`(name|coordinates|output|read|accept)[ \t]*:(.*)`,
}).map(([kind, pattern]) => [kind, whole(pattern)]);
export const BEGINNINGS =
  "name: coordinates: word position layer rewrites: head q: k: feed-forward output: read: accept:".split(
    " ",
  );
const OPTION = new RegExp(
  String.raw`[ \t]+(?:(gain|base)[ \t]+(-?${NUMBER})|mask[ \t]+(strict[ \t]+future|future))(?![^ \t])`,
  "y",
);
// What needs no quotes: visible characters, and nothing that would be read otherwise.
const PLAIN = whole(
  String.raw`(?![+-]|#|<-|\((?:${NUMBER})?\)|${NUMBER}[·*])[!#-+\--9;-~¡-῿⁰-⿿]+`,
);
const KEY = whole("[!$-9;-~¡-῿⁰-⿿]+(?: [!$-9;-~¡-῿⁰-⿿]+)*"); // of a row
const TITLE = whole("[!$-~¡-῿⁰-⿿]+(?: [!$-~¡-῿⁰-⿿]+)*"); // a construction's name

/** What is wrong with a text, and in which line, counted from 1. */
export class RowError extends Error {
  constructor(reason, line) {
    super(`line ${line}: ${reason}`);
    this.line = line;
  }
}

class Wrong extends Error {}

// ---- constructions as data ----

const headJSON = ({ v, q = [], k = [], gain = ONE, base = null, mask = null }) => ({
  v: formsJSON(v),
  q: q.map(form => form.json),
  k: k.map(form => form.json),
  gain: fractionText(gain),
  base: base && fractionText(base),
  mask,
  attention: null,
});

const ffnJSON = ({ hidden, out, bias = new Map() }) => ({
  hidden: hidden.map(form => form.json),
  out: dictionary([...out].map(([name, row]) => [name, row.map(fractionText)])),
  bias: dictionary([...bias].map(([name, b]) => [name, fractionText(b)])),
  eps: null,
});

/** A construction as lib.transformer.construction.to_json has it, from forms in maps and rationals. */
export const constructionJSON = ({
  word,
  position,
  layers,
  output,
  activation,
  readout,
  ...rest
}) => ({
  ...rest,
  word: formsJSON(word),
  position: formsJSON(position),
  layers: layers.map(({ heads, ffn, rewrites }) => ({
    heads: heads.map(headJSON),
    ffn: ffn && ffnJSON(ffn),
    rewrites: [...rewrites],
  })),
  output: output.json,
  activation: activation ?? "sigmoid",
  readout: readout ?? "CLS",
  reading: null,
});

// ---- names, numbers and sums ----

function unquoted(text) {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Wrong(`one text in double quotes is expected, not ${cut(text)}`);
  }
}

function nameOf(text) {
  if (text === '""') throw new Wrong("a coordinate's name is empty");
  return unquoted(text);
}

function names(text) {
  const list = text.trim();
  if (!LIST.test(list))
    throw new Wrong(`names with commas between them are expected, not ${cut(list)}`);
  const found = new Set();
  for (const [written] of list.matchAll(new RegExp(NAME, "gs"))) {
    const name = nameOf(written);
    if (found.has(name)) throw new Wrong(`${cut(name)} is listed twice`);
    found.add(name);
  }
  return [...found];
}

/**
 * A term: a factor times what `name` names, times 1 where that is null, times nothing where it is
 * empty; `number` is the value of a name that reads as a number and stands alone.
 */
function term(sign, [, number, factor, written]) {
  const signed = x => (sign === "-" ? negative(x) : x);
  if (written === undefined)
    return { factor: signed(rational(number ?? "0")), name: number ? null : "", number: null };
  if (factor || !IS_NUMBER.test(written))
    return { factor: signed(factor ? rational(factor) : ONE), name: nameOf(written), number: null };
  return { factor: signed(ONE), name: written, number: rational(written) };
}

function terms(sum) {
  const text = sum.trim();
  const found = [];
  let [begun, sign] = /^(-?)[ \t]*/.exec(text);
  for (let place = begun.length; ;) {
    TERM.lastIndex = place;
    const match = TERM.exec(text);
    if (!match)
      throw new Wrong(`a coordinate or a number is expected, not ${cut(text.slice(place))}`);
    found.push(term(sign, match));
    place = SIGN.lastIndex = TERM.lastIndex;
    if (place === text.length) return found;
    const joined = SIGN.exec(text);
    if (!joined)
      throw new Wrong(`+ or - between spaces is expected, not ${cut(text.slice(place))}`);
    place = SIGN.lastIndex;
    sign = joined[1];
  }
}

const quoted = (text, plain = PLAIN) => (plain.test(text) ? text : JSON.stringify(text));
const quotedInSum = text => (IS_NUMBER.test(text) ? `"${text}"` : quoted(text));
const size = number => number.replace("-", "");
const withFactor = (number, text) => (size(number) === "1" ? text : `${size(number)}·${text}`);

/** How many characters two texts share at their beginnings and ends. */
function shared(one, other) {
  const [a, b] = [[...one.toLowerCase()], [...other.toLowerCase()]];
  const least = Math.min(a.length, b.length);
  let [begun, ended] = [0, 0];
  while (begun < least && a[begun] === b[begun]) begun++;
  while (ended < least && a.at(-1 - ended) === b.at(-1 - ended)) ended++;
  return Math.min(begun + ended, least);
}

/** The one of some names that is most like a text, if half of it is. */
export function nearest(text, known) {
  let [close, most] = ["", 0];
  for (const other of [...text].length > NEAR ? [] : known) {
    const both = shared(text, other);
    if (both > most) [close, most] = [other, both];
  }
  return most && 2 * most >= Math.max([...text].length, [...close].length) ? close : null;
}

// ---- reading ----

function statement(text) {
  for (const [kind, pattern] of STATEMENTS) {
    const found = pattern.exec(text);
    if (found) return { kind, parts: found.slice(1) };
  }
  const close = nearest(/^[^ \t:]*/.exec(text)[0], BEGINNINGS);
  const reason = text.includes("<-")
    ? "one name stands before <-, in double quotes if it has a space in it"
    : close
      ? `did you mean ${close}?`
      : `a line begins with ${BEGINNINGS.join(", ")}, h1 = or x <-`;
  throw new Wrong(`no statement: ${cut(text)}; ${reason}`);
}

function at(line, action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof Wrong) throw new RowError(error.message, line);
    throw error;
  }
}

/** Goes through the lines twice: which coordinates there are, then what is said of them. */
class Reader {
  constructor(lines) {
    this.last = lines.length;
    this.statements = [];
    lines.forEach((line, place) => {
      const text = ` ${line}`.replace(COMMENT, (_, kept) => kept ?? "").trim();
      if (text) this.statements.push({ line: place + 1, ...at(place + 1, () => statement(text)) });
    });
    this.fields = new Map();
    this.embeddings = { word: new Map(), position: new Map() };
    this.layers = [];
    this.open = null; // what the next row belongs to
    this.writers = new Map(); // the sublayer that wrote a coordinate last
  }

  json() {
    this.names = this.coordinates();
    for (const { line, kind, parts } of this.statements) {
      at(line, () => this[kind](...parts, line));
    }
    for (const head of this.layers.flatMap(x => x.heads)) at(head.line, () => checkHead(head));
    at(this.last, () => this.checkWhole());
    return constructionJSON({
      name: this.fields.get("name") ?? UNNAMED,
      space: [...this.names],
      ...this.embeddings,
      layers: this.layers,
      output: this.fields.get("output"),
      activation: this.fields.get("accept") === "output = 0" ? "indicator" : "sigmoid",
      readout: this.fields.get("read"),
    });
  }

  /** Those that the text lists, or else those that it writes, in order. */
  coordinates() {
    const written = new Set();
    for (const { line, kind, parts } of this.statements) {
      if (kind === "field" && parts[0] === "coordinates")
        return new Set(at(line, () => names(parts[1])));
      if (kind === "embed")
        for (const { name } of at(line, () => terms(parts[2]))) if (name) written.add(name);
      if (kind === "write") written.add(at(line, () => nameOf(parts[0])));
    }
    return written;
  }

  checkWhole() {
    const { word, position } = this.embeddings;
    if (!word.has("CLS"))
      throw new Wrong("the word embedding of CLS is missing, such as word CLS: CLS");
    if (![...word.values(), ...position.values()].some(form => form.terms.length))
      throw new Wrong("the embeddings write no coordinate");
    if (!this.fields.has("output")) throw new Wrong("the output is missing, such as output: s");
  }

  field(kind, written) {
    const text = written.trim();
    this.open = null;
    if (this.fields.has(kind)) throw new Wrong(`${kind}: stands there twice`);
    if (kind === "output") this.fields.set(kind, this.form(text, true));
    else if (kind === "coordinates") this.fields.set(kind, names(text));
    else if (kind === "name") this.fields.set(kind, unquoted(text));
    else if (!CHOICES[kind].includes(text))
      throw new Wrong(`${kind}: ${CHOICES[kind].join(" or ")} is expected, not ${cut(text)}`);
    else this.fields.set(kind, text);
  }

  embed(kind, written, text) {
    const key = unquoted(written.trim());
    const rows = this.embeddings[kind];
    if (rows.has(key)) throw new Wrong(`${kind} ${cut(key)} stands there twice`);
    if (this.layers.length) throw new Wrong("words and positions stand before the first layer");
    if (kind === "position") this.formula(key);
    else if ([...key].length !== 1 && key !== "CLS" && key !== "EOS")
      throw new Wrong(`a symbol is one character, CLS or EOS, not ${cut(key)}`);
    rows.set(key, this.form(text));
    this.open = null;
    for (const [name] of rows.get(key).terms) this.claim(name, WRITERS[kind]);
  }

  formula(formula) {
    try {
      readPosition(formula);
    } catch (error) {
      throw new Wrong(error.message);
    }
  }

  block(kind) {
    if (kind === "layer") {
      this.open = { kind, rewrites: new Set(), heads: [], ffn: null };
      this.layers.push(this.open);
    } else {
      const layer = this.openLayer();
      this.open = layer.ffn = { kind, hidden: [], out: new Map(), bias: new Map() };
    }
  }

  openLayer() {
    if (!this.open || this.layers.at(-1).ffn)
      throw new Wrong("a layer holds heads, then one feed-forward network: write layer first");
    return this.layers.at(-1);
  }

  head(text, line) {
    const layer = this.openLayer();
    const options = {};
    let place = 0;
    for (;;) {
      OPTION.lastIndex = place;
      const [, kind = "mask", number, mask] = OPTION.exec(text) ?? [];
      if (options[kind] || !(number ?? mask)) break;
      options[kind] = number ? rational(number) : mask.replace(/[ \t]+/, " ");
      place = OPTION.lastIndex;
    }
    if (place < text.length)
      throw new Wrong(
        "after head may come gain 2, base 2, mask future or mask strict future, each once, " +
          `not ${cut(text.slice(place).trim())}`,
      );
    this.open = { kind: "head", line, ...options, q: [], k: [], v: new Map() };
    layer.heads.push(this.open);
  }

  row(kind, text) {
    if (this.open?.kind !== "head") throw new Wrong(`${kind}: stands in no head`);
    this.open[kind].push(this.form(text));
  }

  rewrites(text) {
    if (this.open?.kind !== "layer" || this.open.rewrites.size)
      throw new Wrong("rewrites: stands once, directly below layer");
    this.open.rewrites = new Set(names(text).map(name => this.known(name)));
  }

  unit(number, text) {
    const ffn = this.open;
    if (ffn?.kind !== "feed-forward" || ffn.out.size || ffn.bias.size)
      throw new Wrong("hidden units stand in a feed-forward network, above what it writes");
    const expected = String(ffn.hidden.length + 1);
    if (number !== expected)
      throw new Wrong(`hidden units are numbered in order: h${expected} is expected`);
    ffn.hidden.push(this.form(text, true));
  }

  write(target, text) {
    const name = this.known(nameOf(target));
    const { kind, v, out, bias } = this.open ?? {};
    if (kind === "head") {
      this.claim(name, `attention ${this.layers.length}`);
      store(v, name, this.form(text));
    } else if (kind === "feed-forward") {
      this.claim(name, `feed-forward ${this.layers.length}`);
      const written = this.output(text);
      if (written.row) store(out, name, written.row);
      if (written.bias) store(bias, name, written.bias);
    } else throw new Wrong(`${cut(name)} <- stands in no head and in no feed-forward network`);
  }

  /** What is written: coefficients of hidden units, and a bias; null for what is not there. */
  output(text) {
    const units = this.open.hidden.length;
    let [row, bias] = [null, null];
    for (const { factor, name, number } of terms(text)) {
      const unit = /^h([1-9][0-9]{0,6})$/.exec(name ?? "")?.[1];
      if (name === null || number)
        bias = add(bias ?? ZERO, number ? times(factor, number) : factor);
      else if (name !== "" && !(unit <= units))
        throw new Wrong(`a hidden unit above this line is expected, not ${cut(name)}`);
      else {
        row ??= Array(units).fill(ZERO);
        if (unit) row[unit - 1] = add(row[unit - 1], factor);
      }
    }
    return { row, bias };
  }

  claim(name, writer) {
    const before = this.writers.get(name) ?? writer;
    if (before !== writer && !this.layers.at(-1)?.rewrites.has(name))
      throw new Wrong(`coordinate ${cut(name)} is written by ${before} and again by ${writer}`);
    this.writers.set(name, writer);
  }

  known(name) {
    if (this.names.has(name)) return name;
    const close = nearest(name, this.names);
    const all = [...this.names]
      .slice(0, 20)
      .map(name => cut(name))
      .join(", ");
    const reason = close ? `did you mean ${cut(close)}?` : `there are ${all}`;
    const spaces = /.[+-]/s.test(name) ? "; a sign has spaces around it" : "";
    throw new Wrong(`no coordinate ${cut(name)}: ${reason}${spaces}`);
  }

  form(text, isAffine = false) {
    const found = [];
    let constant = ZERO;
    for (const { factor, name, number } of terms(text)) {
      if (name === null) constant = add(constant, factor);
      else if (isAffine && number) {
        if (this.names.has(name))
          throw new Wrong(`is ${name} the coordinate "${name}" or the number (${name})?`);
        constant = add(constant, times(factor, number));
      } else if (name) found.push([this.known(name), factor]);
    }
    if (constant[0] && !isAffine)
      throw new Wrong("a number stands in hidden units and in the output alone");
    return new Form(found, constant);
  }
}

function store(rows, name, row) {
  if (rows.has(name)) throw new Wrong(`coordinate ${cut(name)} is written twice in one place`);
  rows.set(name, row);
}

function checkHead({ base, q, k }) {
  if (base && base[0] <= 0n)
    throw new Wrong(`a head's base must be above 0, not ${fractionText(base)}`);
  if (q.length !== k.length)
    throw new Wrong(`a head needs as many query rows as key rows, not ${q.length} and ${k.length}`);
}

/**
 * The JSON of the construction that a text spells, as lib.transformer.construction.to_json gives it;
 * RowError where it spells none.
 */
export const fromRows = text => new Reader(text.split(/\r\n|\r|\n/)).json();

// ---- writing ----

/** The terms of a form in the order of a space, but a positive one first. */
export function inOrder(form, space) {
  const found = Object.entries(form)
    .filter(([name]) => name)
    .sort(([a], [b]) => space.indexOf(a) - space.indexOf(b));
  const first = found.findIndex(([, c]) => !c.startsWith("-"));
  if (first > 0) found.unshift(...found.splice(first, 1));
  return found;
}

function* lines({ name: title, space, word, position, layers, output, readout, activation }) {
  const { entries, keys, values, hasOwn } = Object;
  const sum = (form, spelled = quoted) => {
    const pieces = inOrder(form, space).map(([name, c]) => [c, withFactor(c, spelled(name))]);
    const constant = form[""] && size(form[""]);
    if (constant) pieces.push([form[""], space.includes(constant) ? `(${constant})` : constant]);
    return joined(pieces);
  };
  const writes = ffn => keys({ ...ffn?.out, ...ffn?.bias });
  const embedded = [...values(word), ...values(position)].flatMap(form => inOrder(form, space));
  const written = [
    ...embedded.map(([name]) => name),
    ...layers.flatMap(({ heads, ffn }) => [...heads.flatMap(({ v }) => keys(v)), ...writes(ffn)]),
  ];
  const list = names => names.map(name => quoted(name)).join(", ");

  if (title !== UNNAMED) yield `name: ${quoted(title, TITLE)}`;
  if (JSON.stringify([...new Set(written)]) !== JSON.stringify(space))
    yield `coordinates: ${list(space)}`;
  yield "";
  for (const [kind, rows] of entries({ word, position }))
    for (const [key, form] of entries(rows)) yield `${kind} ${quoted(key, KEY)}: ${sum(form)}`;
  for (const { heads, ffn, rewrites } of layers) {
    yield* ["", "layer"];
    if (rewrites.length) yield `rewrites: ${list(rewrites)}`;
    for (const { q, k, v, gain, base, mask } of heads) {
      const options = [
        gain !== "1" && `gain ${gain}`,
        base && `base ${base}`,
        mask && `mask ${mask}`,
      ];
      yield ["head", ...options.filter(Boolean)].join(" ");
      for (const form of q) yield `  q: ${sum(form)}`;
      for (const form of k) yield `  k: ${sum(form)}`;
      for (const [name, form] of entries(v)) yield `  ${quoted(name)} <- ${sum(form)}`;
    }
    if (!ffn) continue;
    yield "feed-forward";
    for (const [place, form] of ffn.hidden.entries())
      yield `  h${place + 1} = ${sum(form, quotedInSum)}`;
    for (const name of writes(ffn)) {
      const row = hasOwn(ffn.out, name) ? ffn.out[name] : [];
      const units = row.map((c, place) => [c, withFactor(c, `h${place + 1}`)]);
      const pieces = units.filter(([c]) => c !== "0");
      if (hasOwn(ffn.out, name) && !pieces.length) pieces.push(["0", "()"]);
      if (hasOwn(ffn.bias, name)) pieces.push([ffn.bias[name], size(ffn.bias[name])]);
      yield `  ${quoted(name)} <- ${joined(pieces)}`;
    }
  }
  yield* ["", `output: ${sum(output, quotedInSum)}`];
  if (readout !== "CLS") yield `read: ${readout}`;
  if (activation === "indicator") yield "accept: output = 0";
}

/**
 * The text of a construction from its JSON, from which `fromRows` makes the same JSON, but for how
 * it must be read: that is said beside the rows.
 */
export const toRows = json => [...lines(json)].map(line => `${line}\n`).join("");
