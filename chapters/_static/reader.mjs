// The reader of constructions in the browser: `run` computes every number of it in float64, for
// pictures; `decide` proves the sign of the logit, as lib.transformer.exact does.

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

/** Here all heads are read alike, and no layer normalizes by itself: an error names what does not fit. */
export function refuseOwnKinds({ layers }) {
  for (const { heads, ffn } of layers) {
    for (const { attention } of heads)
      if (attention) throw new Error(`a head of ${attention} of its own is not read on this page`);
    if (ffn?.eps != null)
      throw new Error("a norm of some coordinates alone is not read on this page");
  }
}

/**
 * How a construction is read: as its JSON says, or, where that says nothing, by the options; an
 * option that contradicts it is an error, as in lib.transformer.construction.
 */
function readWith({ name, reading }, { attention, eps, logN }) {
  if (!reading) return { attention: attention ?? "softmax", eps: eps ?? null, logN: logN ?? false };
  const own = { attention: reading.attention, eps: reading.eps ?? null, logN: reading.log_n };
  const isOther = {
    attention: attention !== own.attention,
    eps: own.eps === null || compare(rational(own.eps), rational(eps ?? 0)) !== 0,
    logN: logN !== own.logN,
  };
  for (const [option, given] of Object.entries({ attention, eps, logN }))
    if (given != null && isOther[option])
      throw new Error(`${name} must be read with ${option} = ${own[option]}, not ${given}`);
  return own;
}

/**
 * A construction from its JSON (lib.transformer.construction.to_json), fractions turned into numbers
 * once; the JSON stays with it.
 */
export function parse(json) {
  refuseOwnKinds(json);
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
    space: json.space,
    word: Object.fromEntries(rows(json.word)),
    position: rows(json.position),
    layers,
    output: form(json.output),
    readout: json.readout,
    accepts: s => (json.activation === "indicator" ? s === 0 : s > 0),
  };
}

const value = (f, stream, i) =>
  f.terms.reduce((sum, [name, c]) => sum + c * (stream[name]?.[i] ?? 0), f.constant);
const values = (f, stream, n) => Float64Array.from({ length: n }, (_, i) => value(f, stream, i));
const write = (stream, name, added) => {
  stream[name] = stream[name] ? stream[name].map((x, i) => x + added[i]) : Float64Array.from(added);
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
 * Runs a parsed construction on w in float64. `scaled(layer, head)`, or a list of such pairs, says
 * whether c multiplies that head's gain. Gives the logit, the residual stream after every sublayer
 * and all attention weights, 0 where a mask hides a position.
 */
export function run(construction, w, options = {}) {
  const { c = 1, scaled } = options;
  const reading = readWith(construction.json, options);
  const { attention: kind, logN } = reading;
  const eps = reading.eps === null ? null : number(reading.eps);
  const tokens = ["CLS", ...w, ...(construction.word.EOS ? ["EOS"] : [])];
  const n = tokens.length; // as Construction.tokens
  let stream = streamOf();
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
  for (const [f, carried] of construction.position) {
    const places = column(f, n);
    for (const [name, k] of carried.terms)
      write(
        stream,
        name,
        places.map(x => k * x),
      );
  }
  const stages = [{ title: "embedding", stream }];
  const attention = [];
  construction.layers.forEach((layer, l) => {
    const heard = streamOf(stream);
    layer.heads.forEach((head, h) => {
      const gain = head.gain * (isScaled(scaled, l, h) ? c : 1) * (logN ? Math.log(n) : 1);
      const q = head.q.map(f => values(f, stream, n));
      const k = head.k.map(f => values(f, stream, n));
      const logit = (i, j) => gain * q.reduce((sum, row, r) => sum + row[i] * k[r][j], 0);
      const weights = tokens.map((_, i) => {
        const seen = tokens.slice(0, MASKS[head.mask](i, n));
        return ATTENTIONS[kind](seen.map((_, j) => logit(i, j)));
      });
      for (const [name, f] of head.v) {
        const v = values(f, stream, n);
        write(
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
    stream = streamOf(between);
    if (layer.ffn) {
      const hidden = layer.ffn.hidden.map(f => values(f, between, n).map(x => Math.max(0, x)));
      const added = streamOf();
      for (const [name, row] of layer.ffn.out)
        row.forEach((k, u) =>
          write(
            added,
            name,
            hidden[u].map(x => k * x),
          ),
        );
      for (const [name, b] of layer.ffn.bias) write(added, name, new Float64Array(n).fill(b));
      for (const [name, more] of Object.entries(added)) write(stream, name, more);
    }
    stream = normalize(stream, construction.space, n, eps);
    if (layer.ffn || !layer.heads.length) stages.push({ title: `feed-forward ${l + 1}`, stream });
  });
  const read = READOUTS[construction.readout](n);
  return { tokens, logit: value(construction.output, stream, read), stages, attention };
}

const isScaled = (scaled, l, h) =>
  typeof scaled === "function"
    ? scaled(l, h)
    : !scaled || scaled.some(([x, y]) => x === l && y === h);

// ---- with proof ----

/** The symbols that a string may hold: the single characters among the words. */
export const alphabetOf = json => Object.keys(json.word).filter(word => [...word].length === 1);

/** Keys and values of the positions that a head has seen; of a uniform head, running sums. */
function memory(head, layer, h, places, options, A, form) {
  const { c = 1, attention, logN, scaled } = options;
  const gain = isScaled(scaled, layer, h)
    ? times(rational(head.gain), rational(c))
    : rational(head.gain);
  const q = head.q.map(f => form(f, gain));
  const k = head.k.map(f => form(f));
  const uniform = !q.some((f, r) => f.terms.length && k[r].terms.length);
  const [query, key, read] = [q, k, Object.values(head.v).map(f => form(f))].map(A.affine);
  const base = head.base === null || head.base === undefined ? [] : [rational(head.base)];
  if (base.length && base[0][0] <= 0n)
    throw new Error(`a head's base must be above 0, not ${head.base}`);
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
    mask: head.mask ?? null,
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
  return name => {
    if (!index.has(name)) throw new Error(`no coordinate "${name}" among ${space.join(", ")}`);
    return index.get(name);
  };
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
export function network(json, options, A) {
  const read = readWith(json, options);
  const { eps, logN } = read;
  refuseOwnKinds(json);
  const places = placesIn(json.space);
  const form = formsIn(json.space);
  const layers = json.layers.map((layer, l) => ({
    heads: layer.heads.map((head, h) =>
      memory(head, l, h, places, { ...options, ...read }, A, form),
    ),
    feed: layer.ffn ? feedForward(layer.ffn, places, A, form) : x => x,
  }));
  const last = layers.findLastIndex(({ heads }) => heads.length);
  const output = A.affine([form(json.output)]);
  const constant = eps === null ? null : A.number(rational(eps));
  const normalize = x => (constant ? A.standardized(x, constant) : x);
  const embedding = Object.entries(json.word).map(([token, f]) => [token, form(f).terms]);
  const words = new Map(embedding);
  const carried = Object.entries(json.position).map(([f, at]) => [position(f), form(at).terms]);
  const asksLength = Object.keys(json.position).some(dependsOnLength);
  const alphabet = alphabetOf(json);
  const embedded = new Map();
  const end = words.has("EOS") ? ["EOS"] : [];
  const shares =
    json.readout === "last" &&
    !logN &&
    !asksLength &&
    layers.every(({ heads }) => heads.every(({ mask }) => mask));
  let path = [];

  function tokens(w) {
    for (const a of w)
      if (!alphabet.includes(a))
        throw new Error(`symbol "${a}" is not in the alphabet ${alphabet.join(", ")}`);
    return ["CLS", ...w, ...end];
  }
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
    const read = READOUTS[json.readout ?? "CLS"](n);
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
      return output((shares ? shared : whole)(tokens(w)));
    } catch (error) {
      path = []; // what a head remembers may be half of a position
      for (const { heads } of layers) for (const head of heads) head.keep(0);
      throw error;
    }
  };
}

const BITS = [128, 512, 2048, 4096];
const prepared = new WeakMap();

/** A network, made once for each construction, options and arithmetic. */
function ready(json, options, A, name) {
  if (!prepared.has(json)) prepared.set(json, new Map());
  const { scaled, bits: _, ...rest } = options;
  const heads = json.layers.map(({ heads: all }, l) => all.map((_, h) => isScaled(scaled, l, h)));
  const key = JSON.stringify([name, rest, heads]);
  const of = prepared.get(json);
  if (!of.has(key)) of.set(key, network(json, options, A));
  return of.get(key);
}

/** Whether a string is accepted for the sign of its logit; null where that is not known. */
export const judged = (json, sign) =>
  sign === null ? null : sign === (json.activation === "indicator" ? 0 : 1);

/** The logit in float64, as its middle and how far it may be off; null where it may be 0/0. */
export function logits(json, options = {}) {
  const read = network(json, options, FLOATS);
  return w => {
    try {
      return read(w);
    } catch (error) {
      if (error instanceof Undefined) return null;
      throw error;
    }
  };
}

/** The sign of such a logit, 1, 0 or -1, where it is proved, else null. */
export const signOf = logit => logit && FLOATS.signs(logit)[0];

const MILLION = [1000000n, 1n];

/** The middle of an enclosure, with its radius where that reaches the sixth digit. */
const approximately = ([middle, radius]) =>
  compare(times(radius, MILLION), [abs(middle[0]), middle[1]]) < 0
    ? short(middle)
    : `${short(middle)} ± ${short(radius)}`;

/**
 * The proved sign of the logit of w, null if undecided; whether w is accepted; and the logit: a
 * rational [n, d] where it is one by rational arithmetic (`exact`), else [middle, radius], rationals
 * too, or null where there is none. The options are those of `run`, and the most `bits` that are
 * tried; a number among them stands for what it stores, a text for what it spells.
 */
export function decide(construction, w, options = {}) {
  const json = construction.json ?? construction;
  const steps = BITS.filter(bits => bits === BITS[0] || bits <= (options.bits ?? Infinity));
  const most = steps.at(-1);
  for (const bits of steps) {
    const A = exactly(bits);
    let [logit] = [null];
    try {
      [logit] = ready(json, options, A, bits)(w);
    } catch (error) {
      if (!(error instanceof Undefined)) throw error;
      if (error.message)
        return { sign: null, accepts: null, exact: true, value: null, text: "0/0" };
      if (bits < most) continue;
    }
    const sign = logit && A.sign(logit);
    if (sign === null && bits < most) continue;
    const accepts = judged(json, sign);
    if (Array.isArray(logit))
      return { sign, accepts, exact: true, value: logit, text: short(logit) };
    const value = logit && [logit.m, logit.r].map(part => lowest(part, 1n << BigInt(bits)));
    const text = sign === null ? `not decided with ${bits} bits` : approximately(value);
    return { sign, accepts, exact: false, value, text };
  }
}
