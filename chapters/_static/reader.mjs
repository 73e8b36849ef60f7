// The reader of constructions in the browser: `run` computes every number of it in float64, for
// pictures; `decide` proves the sign of the logit, as lib.transformer.exact does. A construction is what
// lib.transformer.construction.to_json gives, all of its heads read alike; its `reading` says how.

import {
  FLOATS,
  ONE,
  Undefined,
  ZERO,
  abs,
  add,
  compare,
  exactly,
  float,
  fractionText,
  lowest,
  rational,
  short,
  times,
} from "./numbers.mjs";
import { column, dependsOnLength, position } from "./positions.mjs";

const named = data => Object.entries(data).filter(([name]) => name);

// ---- in float64, all of it ----

const number = text => float(rational(text));
const form = data => ({
  terms: named(data).map(([name, c]) => [name, number(c)]),
  constant: number(data[""] ?? 0),
});
const rows = data => Object.entries(data).map(([name, f]) => [name, form(f)]);

/** How all of a construction is read: by plain softmax, where it says nothing. */
function readingOf({ layers, reading }) {
  const own = layers.flatMap(({ heads, ffn }) => [...heads.map(h => h.attention), ffn?.eps]);
  const read = { attention: "softmax", eps: null, log_n: false, ...reading };
  if (own.some(x => x != null) || !Object.hasOwn(ATTENTIONS, read.attention))
    throw Error("one reading, by softmax or hardmax, is expected: others are read in Python alone");
  return read;
}

/** A construction in which c multiplies the gain of some heads, each a [layer, head], or of all. */
export function withGain(json, c, heads = null) {
  const changed = structuredClone(json);
  changed.layers.forEach((layer, l) =>
    layer.heads.forEach((head, h) => {
      if (heads && !heads.some(([x, y]) => x === l && y === h)) return;
      head.gain = fractionText(times(rational(head.gain), rational(c)));
    }),
  );
  return changed;
}

/** A construction's fractions turned into numbers, once; the JSON stays with it. */
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
    json,
    word: Object.fromEntries(rows(json.word)),
    position: rows(json.position),
    layers,
    output: form(json.output),
    accepts: s => (json.activation === "indicator" ? s === 0 : s > 0),
  };
}

const value = (f, stream, i) =>
  f.terms.reduce((sum, [name, c]) => sum + c * (stream[name]?.[i] ?? 0), f.constant);
const values = (f, stream, n) => Float64Array.from({ length: n }, (_, i) => value(f, stream, i));
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

/** Coordinates by name: an object that inherits no name. */
const streamOf = (coordinates = {}) => Object.assign(Object.create(null), coordinates);

function normalize(stream, space, n, eps) {
  if (eps === null) return stream;
  const result = streamOf(Object.fromEntries(space.map(name => [name, new Float64Array(n)])));
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
 * Runs a parsed construction on w in float64. Gives the logit, the residual stream after every
 * sublayer and all attention weights, 0 where a mask hides a position.
 */
export function run({ json, word, position: places, layers, output }, w) {
  const { attention: kind, eps: added, log_n: logN } = readingOf(json);
  const eps = added === null ? null : number(added);
  const tokens = ["CLS", ...w, ...(word.EOS ? ["EOS"] : [])];
  const n = tokens.length; // as Construction.tokens
  const write = (stream, name, at) => {
    const before = stream[name];
    stream[name] = Float64Array.from(tokens, (_, i) => (before?.[i] ?? 0) + at(i));
  };
  let stream = streamOf();
  for (const [name] of Object.values(word).flatMap(({ terms }) => terms))
    stream[name] ??= new Float64Array(n);
  tokens.forEach((token, i) => {
    for (const [name, c] of word[token].terms) stream[name][i] = c;
  });
  for (const [f, carried] of places) {
    const x = column(f, n);
    for (const [name, c] of carried.terms) write(stream, name, i => c * x[i]);
  }
  const stages = [{ title: "embedding", stream }];
  const attention = [];
  layers.forEach((layer, l) => {
    const heard = streamOf(stream);
    layer.heads.forEach((head, h) => {
      const gain = head.gain * (logN ? Math.log(n) : 1);
      const q = head.q.map(f => values(f, stream, n));
      const k = head.k.map(f => values(f, stream, n));
      const logit = (i, j) => gain * q.reduce((sum, row, r) => sum + row[i] * k[r][j], 0);
      const weights = tokens.map((_, i) => {
        const seen = tokens.slice(0, MASKS[head.mask](i, n));
        return ATTENTIONS[kind](seen.map((_, j) => logit(i, j)));
      });
      for (const [name, f] of head.v) {
        const v = values(f, stream, n);
        write(heard, name, i => weights[i].reduce((sum, a, j) => sum + a * v[j], 0));
      }
      const whole = weights.map(row => tokens.map((_, j) => row[j] ?? 0));
      attention.push({ layer: l + 1, head: h + 1, weights: whole });
    });
    const between = normalize(heard, json.space, n, eps);
    if (layer.heads.length) stages.push({ title: `attention ${l + 1}`, stream: between });
    stream = streamOf(between);
    if (layer.ffn) {
      const hidden = layer.ffn.hidden.map(f => values(f, between, n).map(x => Math.max(0, x)));
      const added = streamOf();
      for (const [name, row] of layer.ffn.out)
        row.forEach((c, u) => write(added, name, i => c * hidden[u][i]));
      for (const [name, b] of layer.ffn.bias) write(added, name, () => b);
      for (const [name, more] of Object.entries(added)) write(stream, name, i => more[i]);
    }
    stream = normalize(stream, json.space, n, eps);
    if (layer.ffn || !layer.heads.length) stages.push({ title: `feed-forward ${l + 1}`, stream });
  });
  const read = READOUTS[json.readout](n);
  return { tokens, logit: value(output, stream, read), stages, attention };
}

// ---- with proof ----

/** The symbols that a string may hold: the single characters among the words. */
export const alphabetOf = json => Object.keys(json.word).filter(word => [...word].length === 1);

/** Keys and values of the positions that a head has seen; of a uniform head, running sums. */
function memory(head, { attention, log_n: logN }, places, A, form) {
  const q = head.q.map(f => form(f, rational(head.gain)));
  const k = head.k.map(f => form(f));
  const uniform = !q.some((f, r) => f.terms.length && k[r].terms.length);
  const [query, key, read] = [q, k, Object.values(head.v).map(f => form(f))].map(A.affine);
  const base = head.base ? [rational(head.base)] : [];
  const logarithms = [];
  const logarithm = n => {
    const place = logN ? n : 0;
    logarithms[place] ??= A.logarithm(logN ? [...base, [BigInt(n), 1n]] : base);
    return logarithms[place];
  };
  const written = Object.keys(head.v).map(places);
  let keys = [];
  let seen = [];

  const put = x => {
    const found = read(x);
    seen.push(uniform && seen.length ? A.total(seen.at(-1), found) : found);
    keys.push(uniform ? null : key(x));
  };
  const heard = (x, n) =>
    uniform
      ? A.mean(seen.at(-1), seen.length)
      : A.attend(attention, logarithm(n), query(x), keys, seen);
  return {
    mask: head.mask,
    keep(count) {
      keys.length = seen.length = Math.min(count, seen.length);
    },
    put,
    /** x, to which what the head gives to a position that holds `from` is added. */
    write: (x, from, n) => A.plus(x, written, heard(from, n)),
    /** The same for the next position that a masked head sees, which it then remembers. */
    step(x, from, n, attends) {
      const strict = head.mask === "strict future";
      if (!strict) put(from);
      const result = attends && seen.length ? A.plus(x, written, heard(from, n)) : x;
      if (strict) put(from);
      return result;
    },
  };
}

/**
 * x + W2 max(0, W1 x + b1) + b2: the affine map of the region that x lies in, in which what cancels
 * is gone before anything is rounded; units whose sign is not proved are added one by one.
 */
function feedForward(ffn, places, A, form) {
  const hidden = ffn.hidden.map(f => form(f));
  const units = A.affine(hidden);
  const names = [...new Set([...Object.keys(ffn.out), ...Object.keys(ffn.bias)])];
  const written = names.map(places);
  const out = names.map(name => (ffn.out[name] ?? []).map(rational));
  const bias = names.map(name => rational(ffn.bias[name] ?? 0));
  const regions = new Map();

  function region(signs) {
    const rows = names.map((_, r) => {
      const terms = new Map([[written[r], ONE]]);
      let constant = bias[r];
      out[r].forEach((c, u) => {
        if (signs[u] !== 1) return;
        constant = add(constant, times(c, hidden[u].constant));
        for (const [place, k] of hidden[u].terms)
          terms.set(place, add(terms.get(place) ?? ZERO, times(c, k)));
      });
      return { terms: [...terms].filter(([, c]) => c[0] !== 0n), constant };
    });
    const open = signs.flatMap((sign, u) => (sign === null ? [u] : []));
    const rest = out.map(row => ({
      terms: open.filter(u => row[u] && row[u][0] !== 0n).map(u => [u, row[u]]),
      constant: ZERO,
    }));
    return [A.affine(rows), open.length ? A.affine(rest) : null];
  }
  return x => {
    const h = units(x);
    const signs = A.signs(h);
    const name = signs.join();
    if (!regions.has(name)) regions.set(name, region(signs));
    const [proved, open] = regions.get(name);
    const result = A.put(x, written, proved(x));
    return open ? A.plus(result, written, open(A.relu(h))) : result;
  };
}

/** The function from a coordinate's name to its place in a space. */
export function placesIn(space) {
  const index = new Map(space.map((name, j) => [name, j]));
  return name => index.get(name);
}

/** The function from a form as data, times a factor, to its terms by place and its constant. */
export function formsIn(space) {
  const places = placesIn(space);
  return (data, factor = ONE) => ({
    terms: named(data)
      .map(([name, c]) => [places(name), times(rational(c), factor)])
      .filter(([, c]) => c[0] !== 0n),
    constant: times(rational(data[""] ?? 0), factor),
  });
}

/**
 * A construction made ready in an arithmetic of numbers.mjs: gives the function from a string to its
 * logit, a tuple. Where nobody looks ahead and the last token is read, what a string has in common
 * with the one before is not read again.
 */
export function network(json, A) {
  const reading = readingOf(json);
  const { eps, log_n: logN } = reading;
  const places = placesIn(json.space);
  const form = formsIn(json.space);
  const layers = json.layers.map(layer => ({
    heads: layer.heads.map(head => memory(head, reading, places, A, form)),
    feed: layer.ffn ? feedForward(layer.ffn, places, A, form) : x => x,
  }));
  const last = layers.findLastIndex(({ heads }) => heads.length);
  const output = A.affine([form(json.output)]);
  const constant = eps === null ? null : A.number(rational(eps));
  const normalize = x => (constant ? A.standardized(x, constant) : x);
  const words = new Map(Object.entries(json.word).map(([token, f]) => [token, form(f).terms]));
  const carried = Object.entries(json.position).map(([f, at]) => [position(f), form(at).terms]);
  const asksLength = Object.keys(json.position).some(dependsOnLength);
  const embedded = new Map();
  const end = words.has("EOS") ? ["EOS"] : [];
  const shares =
    json.readout === "last" &&
    !logN &&
    !asksLength &&
    layers.every(({ heads }) => heads.every(({ mask }) => mask));
  let path = [];

  function embed(token, i, n) {
    const at = asksLength ? n : 0;
    const key = `${token} ${i} ${at}`;
    if (!embedded.has(key)) {
      const x = json.space.map(() => ZERO);
      const put = (terms, factor) => {
        for (const [place, c] of terms) x[place] = add(x[place], times(c, factor));
      };
      put(words.get(token), ONE);
      for (const [f, terms] of carried) put(terms, f(i, n));
      embedded.set(key, A.vector(x));
    }
    return embedded.get(key);
  }

  /** The vector at the last position, after those before it; only it is read beyond attention. */
  function push(token, i, isRead) {
    let x = embed(token, i, i + 1);
    for (let l = 0; l < layers.length; l++) {
      const { heads, feed } = layers[l];
      const attends = isRead || l < last;
      let attended = x;
      for (const head of heads) attended = head.step(attended, x, 0, attends);
      if (!attends && l === last) return x;
      x = normalize(feed(normalize(attended)));
    }
    return x;
  }
  function shared(all) {
    let common = 0;
    while (common < Math.min(path.length, all.length - 1) && path[common] === all[common]) common++;
    for (const { heads } of layers) for (const head of heads) head.keep(common);
    let x;
    for (let i = common; i < all.length; i++) x = push(all[i], i, i === all.length - 1);
    path = all;
    return x;
  }
  function whole(all) {
    const n = all.length;
    const read = READOUTS[json.readout](n);
    let stream = all.map((token, i) => embed(token, i, n));
    layers.forEach(({ heads, feed }, l) => {
      const isRead = i => l < last || i === read;
      const attended = [...stream];
      for (const head of heads) {
        head.keep(0);
        if (!head.mask) stream.forEach(head.put);
        stream.forEach((x, i) => {
          if (head.mask) attended[i] = head.step(attended[i], x, n, isRead(i));
          else if (isRead(i)) attended[i] = head.write(attended[i], x, n);
        });
      }
      stream = attended.map((x, i) => (isRead(i) ? normalize(feed(normalize(x))) : x));
    });
    return stream[read];
  }
  return w => {
    try {
      return output((shares ? shared : whole)(["CLS", ...w, ...end]));
    } catch (error) {
      path = []; // what a head remembers may be half of a position
      for (const { heads } of layers) for (const head of heads) head.keep(0);
      throw error;
    }
  };
}

const BITS = [128, 512, 2048, 4096];
const prepared = new WeakMap();

/** A network, made once for each construction and number of bits. */
function ready(json, bits) {
  if (!prepared.has(json)) prepared.set(json, {});
  return (prepared.get(json)[bits] ??= network(json, exactly(bits)));
}

/** Whether a string is accepted for the sign of its logit; null where that is not known. */
export const judged = (json, sign) =>
  sign === null ? null : sign === (json.activation === "indicator" ? 0 : 1);

/** The logit in float64, an enclosure; null where it may be 0/0. */
export function logits(json) {
  const read = network(json, FLOATS);
  return w => {
    try {
      return read(w)[0];
    } catch (error) {
      if (error instanceof Undefined) return null;
      throw error;
    }
  };
}

/** The sign of such a logit, 1, 0 or -1, where it is proved, else null. */
export const signOf = logit => logit && FLOATS.sign(logit);

const MILLION = [1000000n, 1n];

/** The middle of an enclosure, with its radius where that reaches the sixth digit. */
const approximately = ([middle, radius]) =>
  compare(times(radius, MILLION), [abs(middle[0]), middle[1]]) < 0
    ? short(middle)
    : `${short(middle)} ± ${short(radius)}`;

/**
 * The proved sign of the logit of w, null if undecided; whether w is accepted; and the logit, as
 * [middle, radius] (the radius is 0 where rational arithmetic gives it), or null where there is none.
 */
export function decide(json, w) {
  for (const bits of BITS) {
    let logit = null;
    try {
      [logit] = ready(json, bits)(w);
    } catch (error) {
      if (!(error instanceof Undefined)) throw error;
      if (error.message) return { sign: null, accepts: null, value: null, text: "0/0" };
    }
    const sign = logit && exactly(bits).sign(logit);
    if (sign === null && bits !== BITS.at(-1)) continue;
    const accepts = judged(json, sign);
    if (Array.isArray(logit)) return { sign, accepts, value: [logit, ZERO], text: short(logit) };
    const value = logit && [logit.m, logit.r].map(part => lowest(part, 1n << BigInt(bits)));
    const text = sign === null ? `not decided with ${bits} bits` : approximately(value);
    return { sign, accepts, value, text };
  }
}
