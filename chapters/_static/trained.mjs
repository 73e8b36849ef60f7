// Networks that others trained, read by the names of their weights and held against a language on
// every string to a length: lib.trained in float64, with its bounds on the errors, which the record
// page of chapter 12 derives. A value is a token's coordinates x and a number e: the truth lies within
// e of them in the 2-norm. Where a bound does not decide, lib.trained goes on in balls; here a string
// stays undecided. An overflow makes a bound infinite or NaN, and decides nothing.

import { EXP, exp } from "./numbers.mjs";
import { living } from "./regular.mjs";

const U = 2 ** -53; // a rounding
const SAFE = 1 + 1e-9; // for the rounding of the bounds themselves: a few thousand operations
const WEIGHT = 1e-70; // the least size of a weight: its square, and that of its square, are held
const TINY = 1e-140; // for what underflows in a value
const SMALL = 1e-150; // for squares that underflow in a size
const SLOPE = 1.13; // no slope of either GELU is larger in size: tests/trained holds it by balls
const SQUARINGS = 6;
const SHOWN = 10; // counterexamples that are kept
const SAMPLES = 1000;
const MASK = /^(.*\.attn\.)(?:bias|mask|(masked_bias|IGNORE))$/; // in older files: it, what it puts in
const FAR = -9e3; // at most: so far below all logits that nothing is left

/** By how much k roundings, one after the other, change a number. */
const gamma = k => (SAFE * k * U) / (1 - k * U);

/** The 2-norm of some coordinates, or more. */
function size(x, from = 0, until = x.length) {
  let sum = 0;
  for (let i = from; i < until; i++) sum += x[i] * x[i];
  return root(sum) * SAFE + SMALL;
}

export function check(isRight, message) {
  if (!isRight) throw new Error(message);
}

// ---- the root, and activations, whose accuracy JavaScript does not promise either ----

export const ROOT = 4; // root(x) is within 4u of itself, or NaN
export const GELU = 6; // gelu(x) and geluNew(x) are within 6u |x|, u being 2^-53

/**
 * √x, if the square of what Math.sqrt says is within 6u x of x, and so the root within 4u; x is
 * above 1e-300, or whoever calls allows for 1e-150 more.
 */
export function root(x) {
  const s = Math.sqrt(x);
  return Math.abs(s * s - x) <= 5 * 2 ** -53 * x ? s : NaN;
}

/**
 * x (1 + tanh y) / 2 = x / (1 + e^t), t = -2y = -√(8/π) (x + 0.044715 x³), written for t <= 0. Nothing
 * cancels in t: it is within 8u of itself, which moves 1 / (1 + e^t) by 8u |t| e^t / (1 + e^t)² < 1.8u;
 * e^t's own error moves it by 3u/4 at most, and a sum, a quotient and a product by 3u.
 */
export function geluNew(x) {
  const a = Math.abs(x);
  const e = exp(-1.5957691216057308 * (a + 0.044715 * (a * a * a)));
  return x * ((x > 0 ? 1 : e) / (1 + e));
}

// Φ(c + h) = Φ(c) + h (b0 + h (b1/2 + h (b2/3 + ...))), with b the coefficients of the density φ at c,
// one of 0, 1/8, ..., 17/2. As φ' = -xφ, (k + 1) b[k+1] = -(c b[k] + b[k-1]). By Cramér's inequality
// |b[k]| < 0.44 / √k!, so that with |h| <= 1/16 ten terms leave 2e-18 = 0.02u. All are computed in
// integers, units of 2^-200; what is cut off there grows to 2^-120 at most, then they become floats.
const UNIT = 1n << 200n;
const DENSITY = 0x662114cf50d942343f2cf1402eae38bfd3829f30512706d8c0n; // 1 / √(2π)
const [DEGREE, NODES] = [10, 69];
let table;

function normal() {
  table = new Float64Array(NODES * (DEGREE + 1));
  for (let node = 0; node < NODES; node++) {
    const j = BigInt(node); // c = j / 8
    let power = 0n; // e^(c²/2)
    for (let [term, n] = [UNIT, 1n]; term; n++)
      [power, term] = [power + term, (term * j * j) / (128n * n)];
    let area = 0n; // c + c³/3 + c⁵/(3·5) + ..., of which φ(c) times is Φ(c) - 1/2
    for (let [term, n] = [(UNIT * j) / 8n, 3n]; term; n += 2n)
      [area, term] = [area + term, (term * j * j) / (64n * n)];
    let [before, b] = [0n, (DENSITY * UNIT) / power];
    const row = [UNIT / 2n + (b * area) / UNIT];
    for (let k = 1n; k <= DEGREE; k++) {
      row.push(b / k);
      [before, b] = [b, -(j * b + 8n * before) / (8n * k)];
    }
    row.forEach((x, k) => (table[node * (DEGREE + 1) + k] = Number(x) / Number(UNIT)));
  }
}

/**
 * x Φ(x) = x (1 + erf(x/√2)) / 2. Φ(c) and the last sum are wrong by u/2 each, as they are at most 1;
 * h, within 1/16, is exact; h times the rest, 0.025 in size, by less than u/4; 1 - Φ by u/2. With the
 * product's rounding less than 3u |x|; beyond 8.5 Φ is within 1e-17 of 0 or 1.
 */
export function gelu(x) {
  const a = Math.abs(x);
  if (a > 8.5) return x > 0 ? x : 0;
  if (!table) normal();
  const node = Math.round(8 * a);
  const h = a - node / 8;
  const from = node * (DEGREE + 1);
  let sum = table[from + DEGREE];
  for (let k = DEGREE - 1; k >= 0; k--) sum = sum * h + table[from + k];
  return x * (x > 0 ? sum : 1 - sum);
}

export const ACTIVATIONS = { relu: x => (x < 0 ? 0 : x), gelu, gelu_new: geluNew };

// ---- files ----

const bfloat = x => new Float32Array(Uint32Array.from(x, y => y << 16).buffer); // its upper half
const TYPES = {
  __proto__: null, // no other name is one
  F64: [8, buffer => new Float64Array(buffer)],
  F32: [4, buffer => new Float32Array(buffer)],
  F16: [2, buffer => new Float16Array(buffer)],
  BF16: [2, buffer => bfloat(new Uint16Array(buffer))],
};
const BYTES = [1, buffer => new Uint8Array(buffer)];
const OF_MASKS = { ...TYPES, BOOL: BYTES, U8: BYTES };

/** The tensors of a .safetensors file by name: each a shape, and a function that reads it. */
export function tensors(buffer) {
  const known = [];
  let end = 8;
  try {
    end += Number(new DataView(buffer).getBigUint64(0, true));
    const text = new TextDecoder().decode(new Uint8Array(buffer, 8, end - 8));
    const { __metadata__: _, ...header } = JSON.parse(text);
    for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
      const [from, to] = data_offsets.map(x => end + x);
      known.push({ name, dtype, shape, from, to });
    }
  } catch {
    throw new Error("a .safetensors file is expected: this does not begin like one");
  }
  // Else a number would be read twice, or a name that stands twice would hide one of its tensors.
  for (const { name, from, to } of known.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    check(from === end, `the tensor '${name}' must begin where the one before it ends`);
    check(to <= buffer.byteLength, `the file ends within the tensor '${name}'`);
    end = to;
  }
  check(end === buffer.byteLength, "the file is expected to end with its last tensor");
  const entries = known.map(({ name, dtype, shape, from, to }) => {
    const read = (types = TYPES) => {
      const [bytes, make] = types[dtype] ?? [];
      check(make, `the tensor '${name}' must be floats, not ${dtype}`);
      const isWhole = to - from === shape.reduce((a, b) => a * b, bytes);
      check(isWhole, `the tensor '${name}' must have as many numbers as its shape says`);
      return Float64Array.from(make(buffer.slice(from, to)));
    };
    return [name, { shape, dtype, read }];
  });
  return new Map(entries);
}

/** Tensors by name, each taken once. */
class Weights {
  constructor(state) {
    this.left = new Map(state);
    this.biased = {}; // of those of one flag: why a bias is expected, and one that is not there
    this.absent = new Set(); // biases that were read as 0
  }

  /** Takes the masks of layers that are there; they must hide later tokens alone, in all rows. */
  masks(causal, rows) {
    const all = [...this.left.keys()];
    for (const name of all) {
      const [, layer, isFill] = name.match(MASK) ?? [];
      if (!layer || !all.some(other => other.startsWith(layer) && !MASK.test(other))) continue;
      const { shape, read } = this.left.get(name);
      const [data, n] = [read(OF_MASKS), shape.at(-1)];
      const first = data.slice(0, SHOWN).join(", ");
      const isHidden = data.length === 1 && data[0] <= FAR;
      check(!isFill || isHidden, `the tensor '${name}' must be at most ${FAR}, not ${first}`);
      const isSquare = shape.length > 1 && n >= rows && shape.at(-2) === n;
      const isRight = data.every((x, k) => x === Number(k % n <= Math.floor(k / n) % n));
      check(
        isFill || (causal && isSquare && isRight),
        `the tensor '${name}', ${first}..., must hide later tokens alone, and so must the mask`,
      );
      this.left.delete(name);
    }
  }

  get names() {
    const all = [...this.left.keys()].sort((a, b) => a.length - b.length);
    return all.slice(0, 12).join(", ") + (all[12] ? " and others" : "") || "none";
  }

  /** A tensor of that shape, null standing for any number. */
  take(name, ...shape) {
    check(this.left.has(name), `a tensor '${name}' is expected among ${this.names}`);
    const found = this.left.get(name);
    this.left.delete(name);
    const isSo = found.shape.map((n, i) => n > 0 && n === (shape[i] ?? n));
    const sizes = shape.map(n => n ?? "any").join(", ");
    check(
      isSo.length === shape.length && isSo.every(Boolean),
      `the tensor '${name}' must be of shape (${sizes}), not (${found.shape.join(", ")})`,
    );
    const data = found.read();
    const isHeld = x => x === 0 || (Math.abs(x) > WEIGHT && Math.abs(x) < 1 / WEIGHT);
    check(
      data.every(isHeld),
      `the tensor '${name}' must hold 0 or numbers from 1e-70 to 1e70 in size`,
    );
    return { data, shape: found.shape };
  }

  /** A vector that is 0 if it is absent, as all are that were read since `biased` was set. */
  bias(name, n) {
    const has = this.left.has(name);
    this.biased[has] ??= has ? `there is '${name}'` : name;
    const { true: why, false: lost } = this.biased;
    const advice = "add zeros if there is none, or say that a norm is RMS's";
    check(!why || !lost, `a tensor '${lost}' is expected, as ${why}; ${advice}`);
    if (!has) this.absent.add(name);
    return has ? this.take(name, n).data : new Float64Array(n);
  }

  /**
   * Linear maps whose matrices stand side by side; most code stores these as (out, in), turned. Maps
   * have W of n rows and m columns, a bias, and what bounds need of both.
   */
  maps(name, isTurned, rows, columns, several = 1, dot = ".") {
    const sizes = isTurned ? [columns, rows] : [rows, columns];
    const { data, shape } = this.take(`${name}${dot}weight`, ...sizes);
    const [n, all] = isTurned ? [shape[1], shape[0]] : shape;
    const added = this.bias(`${name}${dot}bias`, all);
    const m = all / several;
    return Array.from({ length: several }, (_, part) => {
      const weight = new Float64Array(n * m);
      for (let i = 0; i < n; i++)
        for (let j = 0, k = part * m; j < m; j++, k++)
          weight[i * m + j] = data[isTurned ? k * n + i : i * all + k];
      const bias = added.slice(part * m, (part + 1) * m);
      return { weight, bias, n, m, frobenius: size(weight), added: size(bias) };
    });
  }

  norm(name, d, { eps, norm: kind }) {
    const isRms = kind === "rms";
    const gain = this.take(`${name}.weight`, d).data;
    const bias = isRms ? new Float64Array(d) : this.bias(`${name}.bias`, d);
    const most = gain.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    return { gain, bias, eps, isRms, most, added: size(bias) };
  }

  /** A layer: the names of its maps, of which a sign joins the first to "weight", and of its norms. */
  layer(name, parts, dot, isTurned, d, named, norm) {
    const map = (part, ...sizes) => this.maps(`${name}.${parts[part]}`, isTurned, ...sizes);
    const [q, k, v] = map(0, d, 3 * d, 3, dot);
    const [[o], [first]] = [map(1, d, d), map(2, d, null)];
    const [second] = map(3, first.m, d);
    const norms = named.map(part => this.norm(`${name}.${part}`, d, norm));
    return { q, k, v, o, first, second, norms };
  }

  /** What `read` makes of each layer whose name begins so. */
  layers(prefix, read) {
    const known = [...this.left.keys()].filter(name => name.startsWith(prefix));
    check(known.length, `tensors named ${prefix}0... are expected among ${this.names}`);
    const numbers = new Set(known.map(name => name.slice(prefix.length).split(".")[0]));
    return Array.from(numbers, (_, i) => read(`${prefix}${i}`));
  }
}

/**
 * Which tensors of a state that is not GPT-2's are words, positions, last norm and output; "" where
 * names and biases do not say, since a file has its tensors in the order of their names.
 */
export function guessed(state) {
  const names = [...state.keys()];
  const first = /^(.*?)layers\.0\./;
  const encoder = first.exec(names.find(name => first.test(name)))?.[1] ?? "";
  const others = names.filter(name => !name.startsWith(`${encoder}layers.`));
  const of = d => others.filter(name => state.get(name).shape.length === d);
  const positions = of(2).filter(name => /(^|[._])pos/i.test(name));
  const position = positions.length === 1 ? positions[0] : "";
  const rest = of(2).filter(name => name !== position);
  const isOutput = name =>
    name.endsWith("weight") && names.includes(name.replace(/weight$/, "bias"));
  const output = rest.find(isOutput) ?? "";
  const words = rest.filter(name => name !== output);
  const word = output && words.length === 1 ? words[0] : "";
  const last = of(1).find(name => name === `${encoder}norm.weight`) ?? "";
  return { encoder, word, position, last, output };
}

/** Whether every norm of a state has a bias, which RMS's has not; `last` names the last one. */
export const saysLayerNorm = (state, last) =>
  [...state.keys()]
    .filter(name => /(norm\d|ln_\w)\.weight$/.test(name) || (last && name.startsWith(last)))
    .every(name => state.has(name.replace(/weight$/, "bias")));

/** Whether a state has GPT-2's names. */
export const isGpt2 = state => [...state.keys()].some(name => /(wte|c_attn)\.weight$/.test(name));

/** Whether its matrices are (out, in), as in nanoGPT and GPT-BigCode, and not Hugging Face's. */
export function isTurned(state) {
  const joint = ofGpt2(state).get("h.0.attn.c_attn.weight");
  return joint !== undefined && joint.shape[0] > joint.shape[1];
}

/**
 * The network of a state: GPT-2's, or a module's that embeds words, adds positions, runs an
 * nn.TransformerEncoder and ends in an nn.Linear. `names` says the latter's parts where `guessed`
 * is wrong; `norm` is "layer" or "rms", and `eps` what it adds under the root.
 */
export function network(state, { heads, activation, norm, preNorm, causal, eps, names }) {
  const found = isGpt2(state)
    ? { ...fromGpt2(state, { eps, norm }, causal), preNorm: true }
    : { ...fromPytorch(state, { eps, norm }, { ...guessed(state), ...names }), preNorm };
  const { width, layers, output, take, ...parts } = found;
  const [name] = take.left.keys();
  check(name === undefined, `nothing reads the tensor '${name}'`);
  check(eps > 0 && eps < Infinity, `an epsilon above 0 is expected, not ${eps}`);
  check(heads > 0 && width % heads === 0, `${heads} heads do not divide the width ${width}`);
  for (const { norms, ...maps } of layers)
    for (const map of Object.values(maps)) map.two = normBound(map);
  const { weight, n, m } = output;
  const column = j => size(Float64Array.from({ length: n }, (_, i) => weight[i * m + j]));
  output.columns = Array.from({ length: m }, (_, j) => column(j));
  return { ...parts, width, layers, output, heads, activation, causal, absent: take.absent };
}

function fromPytorch(state, norm, { encoder, word, position, last, output }) {
  const take = new Weights(state);
  const { data, shape } = take.take(word, null, null);
  const d = shape[1];
  const layers = take.layers(`${encoder}layers.`, name => {
    const parts = ["self_attn.in_proj", "self_attn.out_proj", "linear1", "linear2"];
    return take.layer(name, parts, "_", true, d, ["norm1", "norm2"], norm);
  });
  const short = name => name.replace(/\.weight$/, "");
  const end = last ? take.norm(short(last), d, norm) : null;
  take.biased = {};
  const parts = { word: data, words: shape[0], width: d, layers, last: end, take };
  return {
    ...parts,
    names: { word, position, output },
    position: position ? take.take(position, null, d).data : null,
    output: take.maps(short(output), true, d, null)[0],
  };
}

/** The tensors of GPT-2 without a prefix of their names. */
export function ofGpt2(state) {
  const plain = name => name.replace(/^_orig_mod\./, "").replace(/^transformer\./, "");
  const found = new Map([...state].map(([name, tensor]) => [plain(name), tensor]));
  check(found.size === state.size, "each tensor is expected once, with or without a prefix");
  return found;
}

function fromGpt2(state, norm, causal) {
  const take = new Weights(ofGpt2(state));
  const tied = take.left.get("wte.weight");
  const { data, shape } = take.take("wte.weight", null, null);
  const d = shape[1];
  const position = take.take("wpe.weight", null, d).data;
  take.masks(causal, position.length / d);
  const turned = isTurned(state);
  take.biased = turned ? {} : { true: "GPT-2 has it" }; // nanoGPT has all or none
  const layers = take.layers("h.", name => {
    const parts = ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"];
    return take.layer(name, parts, ".", turned, d, ["ln_1", "ln_2"], norm);
  });
  const last = take.norm("ln_f", d, norm);
  take.biased = {};
  const names = { word: "wte.weight", position: "wpe.weight" };
  names.output = take.left.has("lm_head.weight") ? "lm_head.weight" : names.word;
  take.left.set("lm_head.weight", take.left.get("lm_head.weight") ?? tied);
  const [output] = take.maps("lm_head", true, d, null);
  names.joined = "; c_attn holds queries, keys and values one after the other";
  return { names, word: data, words: shape[0], width: d, layers, position, last, output, take };
}

/**
 * A number that the 2-norm of a matrix does not exceed: the square of S's is that of SᵀS. A few
 * squarings, then the Frobenius norm, which is at most the root of the rank too large.
 */
export function normBound({ weight, n, m }) {
  if (n < m) {
    const turned = weight.map((_, i) => weight[(i % n) * m + Math.floor(i / n)]);
    return normBound({ weight: turned, n: m, m: n });
  }
  const bound = (s, rows, squarings) => {
    const frobenius = size(s);
    if (!squarings || !(frobenius < Infinity)) return frobenius;
    const scaled = s.map(x => x / frobenius);
    const square = new Float64Array(m * m);
    for (let k = 0; k < rows; k++)
      for (let i = 0; i < m; i++) {
        const x = scaled[k * m + i];
        for (let j = 0; j < m; j++) square[i * m + j] += x * scaled[k * m + j];
      }
    return frobenius * root(bound(square, m, squarings - 1) + (rows + 4) * 2 * U) * SAFE;
  };
  return bound(weight, n, SQUARINGS);
}

// ---- rules: what comes out of one value is written to another ----

const value = d => ({ x: new Float64Array(d), e: TINY });

function linear({ weight, bias, n, m, two, frobenius, added }, { x, e }, to) {
  const y = to.x;
  y.set(bias);
  let i = 0;
  for (; i + 3 < n; i += 4) {
    const a = x[i];
    const b = x[i + 1];
    const c = x[i + 2];
    const d = x[i + 3];
    for (let j = 0, k = i * m; j < m; j++, k++)
      y[j] += a * weight[k] + b * weight[k + m] + (c * weight[k + 2 * m] + d * weight[k + 3 * m]);
  }
  for (; i < n; i++) for (let j = 0; j < m; j++) y[j] += x[i] * weight[i * m + j];
  to.e = (e * two + gamma(n + 3) * ((size(x) + e) * frobenius + added)) * SAFE + TINY;
}

/** The residual connection, and positions: to becomes from + to. */
function add(from, to) {
  const error = from.e + to.e;
  for (let i = 0; i < to.x.length; i++) to.x[i] += from.x[i];
  to.e = (error + U * (size(to.x) + error)) * SAFE + TINY;
}

/**
 * Normalization is 1/s-Lipschitz; the rounding of the mean, which RMS's does not subtract, is an error
 * of the input.
 */
function norm({ gain, bias, eps, isRms, most, added }, { x, e }, to) {
  const y = to.x;
  const d = x.length;
  const error = isRms ? e : e + gamma(d + 2) * (size(x) + e);
  let mean = 0;
  let square = 0;
  if (!isRms) for (let i = 0; i < d; i++) mean += x[i];
  mean /= d;
  for (let i = 0; i < d; i++) {
    y[i] = x[i] - mean;
    square += y[i] * y[i];
  }
  const variance = square / d + eps;
  // Of squares that underflow or overflow nothing is known.
  const scale = variance > 1e-280 && variance < Infinity ? root(variance) : NaN;
  for (let i = 0; i < d; i++) y[i] = (y[i] / scale) * gain[i] + bias[i];
  const largest = root(d) * SAFE; // what is normalized has at most this size
  const left = scale * (2 - SAFE) - (error * SAFE) / root(d);
  const standard = left > 0 ? error / left + gamma(d + 2 * ROOT + 4) * largest : Infinity;
  to.e = (most * standard + 4 * U * (most * (largest + standard) + added)) * SAFE + TINY;
}

function activate(name, to) {
  const { x, e } = to;
  if (name !== "relu") to.e = (SLOPE * e + GELU * U * (size(x) + e)) * SAFE + TINY;
  const f = ACTIVATIONS[name];
  for (let i = 0; i < x.length; i++) x[i] = f(x[i]);
}

const weights = []; // of the tokens that are seen
const moves = []; // what their logits may be wrong by

/** At least e^x - 1, which is at most x + x² for x < 1. */
const grown = x => (x < 1 ? x * (1 + x) : SAFE / exp(-x));

/**
 * Softmax attention of a query to the first `seen` keys. Where a logit is wrong by `moves[j]`, `most` at
 * most, the output moves as the record of chapter 12 derives, where 1 - e^-x <= min(x, 1), and a weight
 * changes by at most the share e^(2 most) - 1 of itself. Each head's query, key and value is within the
 * error of its whole token.
 */
function attend(q, keys, values, seen, heads, to) {
  const y = to.x;
  const width = q.x.length / heads;
  const scale = root(width);
  let errors = 0;
  y.fill(0);
  for (let head = 0; head < heads; head++) {
    const from = head * width;
    const until = from + width;
    const asked = size(q.x, from, until);
    let top = -Infinity;
    for (let j = 0; j < seen; j++) {
      const { x } = keys[j];
      let logit = 0;
      for (let i = from; i < until; i++) logit += q.x[i] * x[i];
      weights[j] = logit / scale;
      top = Math.max(top, weights[j]);
    }
    let total = 0;
    let most = 0;
    for (let j = 0; j < seen; j++) {
      const below = weights[j] - top;
      total += weights[j] = exp(below);
      const known = keys[j].sizes[head] + keys[j].e;
      const rounding = gamma(width + ROOT + 4) * (asked + q.e) * known;
      const moved = ((q.e * known + asked * keys[j].e + rounding) / scale) * SAFE;
      moves[j] = moved + U * (weights[j] ? -below : 0) + 2 * U * moved;
      most = Math.max(most, moves[j]);
    }
    let carried = 0;
    let sizes = 0;
    let largest = 0;
    let near = SMALL;
    let far = SMALL;
    for (let j = 0; j < seen; j++) {
      const { x, e, sizes: known } = values[j];
      weights[j] /= total;
      for (let i = from; i < until; i++) y[i] += weights[j] * x[i];
      carried += weights[j] * e;
      sizes += weights[j] * (known[head] + e);
      largest = Math.max(largest, known[head] + e);
    }
    for (let j = 0; j < seen; j++) {
      const { x } = values[j];
      let square = 0;
      for (let i = from; i < until; i++) square += (x[i] - y[i]) * (x[i] - y[i]);
      const apart = weights[j] * (root(square) * SAFE + SMALL);
      near += apart * Math.min(moves[j], 1);
      far += apart;
    }
    const share = grown(2 * most);
    const once = grown(most);
    const turned = (1 + once) * near + ((once * once) / 2) * far + share * 8 * U * sizes;
    const rounding = gamma(2 * seen + 2 * EXP + 8) * (1 + share) * sizes;
    const rest = 2 * TINY * seen * (1 + share) * largest; // weights too small to be held
    const error = turned + (1 + share) * carried + rounding + rest;
    errors += error * error;
  }
  to.e = (root(errors) + SMALL) * SAFE + TINY;
}

/** Each coordinate of an output by itself, with its error. */
function outputs({ weight, bias, n, m, columns }, { x, e }, { x: y, errors }) {
  const length = size(x) + e;
  for (let j = 0; j < m; j++) {
    y[j] = bias[j];
    for (let i = 0; i < n; i++) y[j] += x[i] * weight[i * m + j];
    const rounding = gamma(n + 3) * (length * columns[j] + Math.abs(bias[j]));
    errors[j] = (e * columns[j] + rounding) * SAFE + TINY;
  }
}

// ---- one forward pass ----

/**
 * What a network says of strings, one after the other. Behind a causal mask, read at the last token,
 * what a string has in common with the beginning of the one before it is not computed again: strings
 * in order walk the tree of prefixes.
 */
export class Reader {
  held = [];
  streams = [];
  queries = [];

  constructor(judged) {
    const { layers, output, width, causal } = judged.network;
    Object.assign(this, judged, { isTree: causal && judged.readAt === "last" });
    this.keys = layers.map(() => []);
    this.values = layers.map(() => []);
    this.hidden = layers.map(({ first }) => value(first.m));
    this.said = { x: new Float64Array(output.m), errors: new Float64Array(output.m) };
    [this.one, this.other] = [value(width), value(width)];
  }

  /** Makes room for one token more. */
  grow() {
    const { width, heads } = this.network;
    for (const kept of [this.streams, this.queries, ...this.keys, ...this.values])
      kept.push({ ...value(width), sizes: new Float64Array(heads) });
  }

  embed(token, i) {
    const { word, position, width } = this.network;
    const part = (table, row) => table.subarray(row * width, (row + 1) * width);
    this.streams[i].x.set(part(word, token));
    this.streams[i].e = TINY;
    if (position) add({ x: part(position, this.offset + i), e: TINY }, this.streams[i]);
  }

  /** The last residual stream of the place that is read, or its mean. */
  stream(tokens) {
    const { layers, heads, activation, preNorm, causal } = this.network;
    const { one, other, streams, queries } = this;
    const n = tokens.length;
    while (streams.length < n) this.grow();
    let from = 0;
    if (this.isTree) while (from < n - 1 && tokens[from] === this.held[from]) from++;
    this.held = tokens;
    for (let i = from; i < n; i++) this.embed(tokens[i], i);
    const place = { first: 0, last: n - 1, mean: null }[this.readAt];
    // Of the last layer the place that is read suffices, if a mask shows it every key.
    const narrows = place !== null && (!causal || place === n - 1);
    layers.forEach(({ q, k, v, o, first, second, norms }, number) => {
      const [keys, values, hidden] = [this.keys[number], this.values[number], this.hidden[number]];
      const isRead = i => !narrows || i === place || number < layers.length - 1;
      for (let i = from; i < n; i++) {
        if (preNorm) norm(norms[0], streams[i], one);
        const y = preNorm ? one : streams[i];
        if (isRead(i)) linear(q, y, queries[i]);
        linear(k, y, keys[i]);
        linear(v, y, values[i]);
        for (const { x, sizes } of [keys[i], values[i]])
          for (let h = 0, d = x.length / heads; h < heads; h++)
            sizes[h] = size(x, h * d, h * d + d);
      }
      for (let i = from; i < n; i++) {
        if (!isRead(i)) continue;
        const stream = streams[i];
        attend(queries[i], keys, values, causal ? i + 1 : n, heads, one);
        linear(o, one, other);
        add(other, stream);
        norm(norms[preNorm ? 1 : 0], stream, preNorm ? one : stream);
        linear(first, preNorm ? one : stream, hidden);
        activate(activation, hidden);
        linear(second, hidden, other);
        add(other, stream);
        if (!preNorm) norm(norms[1], stream, stream);
      }
    });
    return place === null ? this.mean(n) : streams[place];
  }

  mean(n) {
    const { one, other } = this;
    const { last } = this.network;
    one.x.fill(0);
    one.e = 0;
    for (const stream of this.streams.slice(0, n)) {
      if (last) norm(last, stream, other);
      const { x, e } = last ? other : stream;
      for (let i = 0; i < x.length; i++) one.x[i] += x[i];
      one.e += e + gamma(n + 1) * (size(x) + e);
    }
    one.x.forEach((sum, i) => (one.x[i] = sum / n));
    one.e = (one.e / n) * SAFE + TINY;
    return one;
  }

  /** The outputs `x` for a string given as tokens; the truth of each lies within its `errors`. */
  read(tokens) {
    const { last, output } = this.network;
    const stream = this.stream(tokens);
    const isLeft = last && this.readAt !== "mean"; // of a mean, each token was normalized
    if (isLeft) norm(last, stream, this.other);
    outputs(output, isLeft ? this.other : stream, this.said);
    return this.said;
  }
}

// ---- audits ----

/**
 * A network and how strings are given to it: `symbols` and their `tokens`, those `before` and `after`
 * a string, where the output is read, and what decides: "positive" (output `which[0]` is above 0),
 * "largest" (it is larger than output `which[1]`) or "next" (after every prefix, the outputs above 0 are
 * those of the tokens that may come next; `which[0]` is that of the end).
 */
export function judged(network, { offset = 0, ...asked }) {
  const { symbols, tokens, before, after, readAt, decides } = asked;
  const { words, output, causal, position, width } = network;
  const isOnly = decides === "positive" && output.m === 1 && !asked.which.length;
  const which = isOnly ? [0] : asked.which;
  const below = (most, what) => x =>
    check(x >= 0 && x < most && x % 1 === 0, `${what} must be at most ${most - 1}, not ${x}`);
  check(symbols.length, "at least one symbol is expected");
  check(new Set(symbols).size === symbols.length, "each symbol must be given once");
  check(tokens.length === symbols.length, `a token for each of ${symbols.join(", ")} is expected`);
  const shared = tokens.find((token, i) => tokens.indexOf(token) < i);
  const those = symbols.filter((_, i) => tokens[i] === shared).join("' and '");
  const amiss = `a token of its own is expected for each symbol, but '${those}' have ${shared}`;
  check(shared === undefined, amiss);
  const all = [...tokens, ...before, ...after];
  all.forEach(below(words, `a token of a network of ${words} words`));
  const several = decides === "largest" ? 2 : 1;
  check(
    which.length === several,
    `${several === 2 ? "two" : "one"} of the network's outputs, 0 to ${output.m - 1}, must be named by number`,
  );
  which.forEach(below(output.m, `an output of a network of ${output.m} outputs`));
  check(new Set(which).size === several, "two different outputs are expected");
  if (decides === "next") {
    check(Math.max(...tokens) < output.m, "an output for each of the tokens is expected");
    check(!tokens.includes(which[0]), "the end's output is expected to be no symbol's");
    const isAtEnd = readAt === "last" && !after.length && causal;
    check(
      isAtEnd,
      "next tokens are read at the last token of a causal network, with none after it",
    );
  }
  const rows = position ? position.length / width : Infinity;
  const longest = rows - offset - before.length - after.length;
  check(longest >= 0, `a position for every token is expected: there are ${rows}`);
  return { ...asked, which, offset, network, longest };
}

/** Strings of a length as symbols' numbers, in order, each with the state that it leads to. */
function* strings(moves, length, state, w = []) {
  if (w.length === length) yield [w, state];
  else
    for (const [a, q] of moves[state]) {
      w.push(a);
      yield* strings(moves, length, q, w);
      w.pop();
    }
}

/**
 * Decides every string to `longest` symbols as the real numbers would, or leaves it undecided, and
 * holds it against a language: { rows, start }, an automaton, or { has }, a predicate. Where next tokens
 * are asked for, every prefix that can be continued is decided, all its outputs. A generator that yields
 * after each string what is known of the lengths that are finished: `byLength` has of each [length,
 * strings, wrong, undecided]; `isCut` says that there are no positions to `longest`.
 */
export function* audit(judged, { rows, start = 0, has }, longest) {
  const { symbols, tokens, before, after, decides, which } = judged;
  const [first] = which;
  const isNext = decides === "next";
  check(rows || !isNext, "what may come next is given by a regular expression");
  const all = symbols.map((_, a) => [a, 0]);
  const live = isNext && living(rows); // what may still be continued to a string of the language
  const leads = ([, q]) => !live || live.has(q);
  const moves = rows?.map(({ next }) => [...next.entries()].filter(leads));
  const reader = new Reader(judged);
  const isCut = judged.longest < longest;
  const found = { byLength: [], strings: 0, wrong: [], margin: Infinity, nearest: null, isCut };
  found.assumed = assumed(judged);
  const fixed = before.length + after.length;
  for (let length = fixed ? 0 : 1; length <= Math.min(longest, judged.longest); length++) {
    const tally = [length, 0, 0, 0];
    const errors = [];
    let { margin, nearest } = found;
    for (const [w, state] of strings(moves ?? [all], length, start)) {
      const said = reader.read([...before, ...w.map(a => tokens[a]), ...after]);
      const word = w.map(a => symbols[a]).join("");
      const next = isNext && moves[state].map(([a]) => tokens[a]);
      const isIn = rows ? rows[state].accepts : has(word);
      const expected = j => (isNext && j !== first ? next.includes(j) : isIn);
      let isWrong = false;
      let isKnown = true;
      let least = Infinity;
      for (let j = 0; j < (isNext ? said.x.length : 1); j++) {
        const [centre, error] = isNext ? [said.x[j], said.errors[j]] : difference(said, which);
        const size = Math.abs(centre);
        if (!(size > error)) isKnown = false;
        else if (centre > 0 !== expected(j)) isWrong = true;
        least = Math.min(least, size);
      }
      tally[1]++;
      if (isWrong) tally[2]++;
      else if (!isKnown) tally[3]++;
      else if (least < margin) [margin, nearest] = [least, word];
      if (isWrong && found.wrong.length + errors.length < SHOWN) errors.push(word);
      yield found;
    }
    if (!tally[1]) break;
    found.byLength.push(tally);
    found.strings += tally[1];
    found.wrong.push(...errors);
    Object.assign(found, { margin, nearest });
  }
  return found;
}

/** An output, or how much larger it is than another, with a bound on the error. */
function difference({ x, errors }, [first, second]) {
  if (second === undefined) return [x[first], errors[first]];
  const centre = x[first] - x[second];
  return [centre, (errors[first] + errors[second]) * SAFE + 2 * U * Math.abs(centre)];
}

/** How a network was read, where the weights do not say it. */
function assumed({ network, offset, before, after, readAt }) {
  const { heads, activation, preNorm, causal, position, last, layers, names, absent } = network;
  const units = [...new Set(layers.map(({ first }) => first.m))].join(" or ");
  const { isRms, eps } = layers[0].norms[0];
  const mean = readAt === "mean" && last ? ", which is that after the last norm" : "";
  return [
    `layers ${layers.length} of width ${network.width} with ${units} hidden units, heads ${heads}, activation ${activation}, mask ${causal ? "causal" : "none"}`,
    ...[...absent].map(name => `no ${name}`),
    `${isRms ? "RMS" : "layer"} normalization ${preNorm ? "before" : "after"} each sublayer, with ε = ${eps}`,
    `${last ? "one more norm" : "no norm"} after the last layer`,
    "attention logits are query times key over the root of a head's width in each layer",
    "hidden units come after attention",
    "no number is capped",
    `words are as stored in ${names.word}${names.joined ?? ""}`,
    position
      ? `positions are added from row ${offset} of ${names.position} on`
      : "no positions are added",
    `before is (${before.join(", ")}), after (${after.join(", ")})`,
    `the output, of ${names.output}, one of ${network.output.m}, is read at ${readAt}${mean}`,
  ].join("; ");
}

/** What an audit has found, in sentences. */
export function sentences({ byLength, wrong, margin, nearest, assumed }) {
  const number = n => n.toLocaleString("en");
  const sum = i => byLength.reduce((total, row) => total + row[i], 0);
  const [strings, errors, left] = [1, 2, 3].map(sum);
  const named = w => w || "the empty string";
  if (!byLength.length) return ["No length is decided."];
  const kind = wrong.length ? "Wrong" : left ? "Undecided" : "Proved for each string";
  const none = left ? `, and ${number(left)} are not decided` : "";
  const said = [
    `${kind} up to length ${byLength.at(-1)[0]}: of ${number(strings)} strings, ${number(errors)} are decided incorrectly${none}.`,
  ];
  if (wrong.length) {
    const shares = byLength.reduce((total, row) => total + row[2] / row[1], 0);
    const unseen = (1 - shares / byLength.length) ** SAMPLES;
    said.push(
      `The first: ${wrong.map(named).join(", ")}.`,
      `A test of ${number(SAMPLES)} strings of random lengths would miss all of them with probability ${unseen > 1e-300 ? Number(unseen.toPrecision(2)) : "below 1e-300"}.`,
    );
  }
  if (nearest !== null)
    said.push(
      `The smallest margin of a correct decision is ${margin.toPrecision(3)}, at ${named(nearest)}.`,
    );
  said.push(`Assumed, because the weights do not say it: ${assumed}.`);
  return said;
}
