// Numbers that are never wrong: rationals and, where roots and exponentials leave them, enclosures,
// a midpoint with a radius within which the truth is proved to lie.

// ---- rational numbers [numerator, denominator], in lowest terms ----

export const ZERO = [0n, 1n];
export const ONE = [1n, 1n];
export const abs = n => (n < 0n ? -n : n);

function divisor(n, d) {
  if ((d & (d - 1n)) === 0n) {
    const low = n & -n;
    return low < d ? low : d;
  } // a power of two, as nearly always
  while (d) [n, d] = [d, n % d];
  return n;
}

export function lowest(n, d) {
  if (n === 0n) return ZERO;
  if (d === 1n) return [n, d];
  const g = divisor(abs(n), d);
  return g === 1n ? [n, d] : [n / g, d / g];
}

export const add = (a, b) =>
  a[0] === 0n
    ? b
    : b[0] === 0n
      ? a
      : a[1] === b[1]
        ? lowest(a[0] + b[0], a[1])
        : lowest(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
export const times = (a, b) => lowest(a[0] * b[0], a[1] * b[1]);
export const negative = ([n, d]) => [-n, d];

/** a / b; RangeError where b is 0. */
export function over(a, b) {
  if (b[0] === 0n) throw new RangeError("division by 0");
  return b[0] < 0n ? lowest(-a[0] * b[1], -b[0] * a[1]) : lowest(a[0] * b[1], b[0] * a[1]);
}

export const compare = (a, b) => {
  const left = a[0] * b[1];
  const right = b[0] * a[1];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** ⌊q⌋. */
export const floor = ([n, d]) => [n / d - (n < 0n && n % d ? 1n : 0n), 1n];

/** The rational that a finite float stores. */
function stored(x) {
  let d = 1n;
  for (; !Number.isInteger(x); x *= 2) d *= 2n;
  return lowest(BigInt(x), d);
}

/**
 * The rational that a text such as "-1/2", "0.25" or "1e-5" spells, or that a float stores; Error
 * for anything else.
 */
export function rational(x) {
  if (typeof x === "number" && Number.isFinite(x)) return stored(x);
  const text = String(x).trim();
  const fraction = /^([+-]?\d+)\/0*([1-9]\d*)$/.exec(text);
  if (fraction) return lowest(BigInt(fraction[1]), BigInt(fraction[2]));
  const decimal = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (!decimal) throw new Error(`a number such as -1/2 or 0.25 is expected, not "${text}"`);
  const [, sign, whole, part, exponent] = decimal;
  const places = Number(exponent ?? 0) - part.length;
  const n = BigInt(whole + part) * (sign === "-" ? -1n : 1n);
  return places < 0 ? lowest(n, 10n ** BigInt(-places)) : [n * 10n ** BigInt(places), 1n];
}

const FITS = 2n ** 53n; // what is below is a float
const bitLength = n => BigInt(n.toString(16).length * 4); // or up to three more

/** The float nearest to a rational. */
export function float([n, d]) {
  const size = abs(n);
  if (size < FITS && d < FITS) return Number(n) / Number(d);
  const shift = bitLength(d) - bitLength(size) + 70n; // 66 bits or more: the last one may be a sign
  const [above, below] = shift > 0n ? [size << shift, d] : [size, d << -shift];
  let x = Number((above / below) | (above % below ? 1n : 0n)); // that something follows
  for (let left = shift; left;) {
    const step = left > 512n ? 512n : left < -512n ? -512n : left;
    x = step > 0n ? x / Number(1n << step) : x * Number(1n << -step);
    left -= step;
  }
  return n < 0n ? -x : x;
}

/** A rational as short text: 3, -1/2, or six digits of what is longer. */
export function short([n, d]) {
  const exact = d === 1n ? String(n) : `${n}/${d}`;
  if (exact.length <= 12) return exact;
  const size = abs(n);
  let place = String(size).length - String(d).length; // the first digit is here, or one below
  if (size * 10n ** BigInt(Math.max(0, -place)) < d * 10n ** BigInt(Math.max(0, place))) place--;
  const up = BigInt(Math.max(0, 5 - place));
  const down = BigInt(Math.max(0, place - 5));
  const digits = String((size * 10n ** up) / (d * 10n ** down));
  const sign = n < 0n ? "-" : "";
  return place < -4 || place > 5
    ? `${sign}${digits[0]}.${digits.slice(1)}…e${place}`
    : `${sign}${String(Number(`${digits}e${place - 5}`))}…`;
}

/** What has no value: 0/0, or what may be at this precision. */
export class Undefined extends Error {}

// ---- enclosures in float64 ----

// What a reader asks of an arithmetic is a map from tuples to tuples: `vector` makes one of
// rationals, `affine` is x -> W x + b, `plus` adds to places of a tuple and `put` replaces them,
// `attend` takes averages by softmax or hardmax, `signs` says which signs are proved (null: none).

// A tuple is m0, r0, m1, r1, ... What TwoSum (Knuth) says of a sum's rounding error is exact. The
// product of two float32 is exact; any other product, and a quotient, is wrong by 2^-53 of itself
// at most, or by what underflows, for which TINY stands. A radius is a short sum of products of
// nonnegative floats, so that GROW outweighs its own roundings. It is 0 only where nothing was
// rounded, and infinite or NaN where something overflowed: no sign is proved then.
const ULP = 2 ** -53;
const GROW = 1 + 2 ** -49;
const TINY = 2 ** -970;
const { fround } = Math;
const size = Math.abs;
const radius = new Float64Array(1); // of the last result

function plus(a, ra, b, rb) {
  const s = a + b;
  const z = s - a;
  radius[0] = (ra + rb + size(a - (s - z) + (b - z))) * GROW;
  return s;
}

function product(a, ra, b, rb) {
  const m = a * b;
  if (ra === 0 && rb === 0 && fround(a) === a && fround(b) === b) radius[0] = 0;
  else if ((a === 0 && ra === 0) || (b === 0 && rb === 0)) return (radius[0] = 0);
  else radius[0] = (size(a) * rb + size(b) * ra + ra * rb + size(m) * ULP) * GROW + TINY;
  return m;
}

/** |A/B - a/b| = |(A - a) - (B - b) a/b| / |B|. */
function quotient(a, ra, b, rb) {
  const m = a / b;
  const least = (size(b) - rb) * (1 - 2 ** -50);
  if (!(least > 0)) throw new Undefined();
  if (a === 0 && ra === 0) radius[0] = 0;
  else if (ra === 0 && rb === 0 && fround(m) === m && fround(b) === b && m * b === a) radius[0] = 0;
  else radius[0] = ((ra + size(m) * rb) / least + size(m) * ULP) * GROW + TINY;
  return m;
}

// JavaScript promises no accuracy of Math.exp; used are IEEE's + - * /, which it does promise, and
// Math.round. u is 2^-53: what a rounding changes, of a number of size 1 at most.
export const EXP = 3; // roundings: exp(x) is within 3u of itself

// ln 2 in two parts: the first has 33 bits, so that k times it is exact; what both leave out is
// below 2^-85.
const [HIGH, LOW] = [0.6931471803691238, 1.9082149292705877e-10];
const HALVES = Array(1023).fill(1); // 2^-k
for (let k = 1; k < 1023; k++) HALVES[k] = HALVES[k - 1] / 2;
const TERMS = [1]; // 1 / n!, downwards from 13
for (let [n, product] = [1, 1]; n < 14; n++) TERMS.unshift(1 / (product *= n));
const [LAST, ...FURTHER] = TERMS;

/**
 * e^x for x <= 0; 0 below -708, where it is less than 1e-307. With x = k ln 2 + r, |r| < 0.347:
 * x - k HIGH is exact (both are multiples of 2^-54, the difference is below 0.35 in size); rounding r
 * changes e^r by u/4 of itself, what k LOW and the parts of ln 2 leave out by less than u/1000.
 * Horner's scheme ends in 1 + r q. In units of u the last sum adds 1 (0.5 where r < 0, as the result
 * is below 1), the last product 0.25, and q's own error, below 1.4 (0.9), r times as much. Over e^r,
 * which is at least 1 (0.707), that is less than 1.8; and the series, which ends after r^13 / 13!,
 * leaves 0.06. Together less than 2.2.
 */
export function exp(x) {
  if (x < -708) return 0;
  const k = Math.round(x * 1.4426950408889634);
  const r = x - k * HIGH - k * LOW;
  let sum = LAST;
  for (let i = 0; i < 13; i++) sum = sum * r + FURTHER[i];
  return sum * HALVES[-k];
}

/** e^x where x is at most 0: |e^(x + s) - e^x| <= e^x (r + r²) for |s| <= r <= 1. */
function power(x, r) {
  if (!(r <= 1)) throw new Undefined();
  if (x < -700) {
    radius[0] = 1e-303; // above e^-699
    return 0;
  }
  const m = exp(x);
  radius[0] = x === 0 && r === 0 ? 0 : m * (r + r * r + 2 ** -46) * GROW;
  return m;
}

/**
 * 1/√x, whatever Math.sqrt says: |s - √x|/√x <= |s² - x|/x; and 1/√(1 - t) - 1 <= t/(1 - t), the
 * half again being for products of small errors.
 */
function inverseRoot(x, r) {
  const s = Math.sqrt(x);
  const least = (x - r) * (1 - 2 ** -50);
  const share = r / least + size(s * s - x) / x + 8 * ULP;
  const m = 1 / s;
  if (!(least > 1e-290 && share < 0.25)) throw new Undefined();
  radius[0] = m * share * 1.5;
  return m;
}

/** An enclosure of a rational. */
function enclosed(q) {
  const m = float(q);
  if (!Number.isFinite(m)) return [0, Infinity];
  return [m, compare(stored(m), q) === 0 ? 0 : size(m) * 2 * ULP + TINY];
}

const signOf = (m, r) => (m > r ? 1 : m < -r ? -1 : m === 0 && r === 0 ? 0 : null);

/** The same operation at every place of a tuple. */
function each(x, operation) {
  const result = new Array(x.length); // an array of floats; a Float64Array takes longer to make
  for (let j = 0; j < x.length; j += 2) {
    result[j] = operation(x[j], x[j + 1], j);
    result[j + 1] = radius[0];
  }
  return result;
}

/** The sum of products of some places of x, each index twice the place, and of y in their order. */
function inner(x, places, y, m = 0, r = 0) {
  for (let t = 0; t < y.length; t += 2) {
    const j = places ? places[t / 2] : t;
    if ((x[j] === 0 && x[j + 1] === 0) || (y[t] === 0 && y[t + 1] === 0)) continue;
    const p = product(x[j], x[j + 1], y[t], y[t + 1]);
    m = plus(m, r, p, radius[0]);
    r = radius[0];
  }
  radius[0] = r;
  return m;
}

/** x_i - x_j. */
const difference = (x, i, j) =>
  i === j ? (radius[0] = 0) : plus(x[2 * i], x[2 * i + 1], -x[2 * j], x[2 * j + 1]);

/** Where the midpoint is largest or, the logarithm of the base being negative, least. */
function leading([log], logits) {
  let top = 0;
  for (let j = 2; j < logits.length; j += 2)
    if (log < 0 ? logits[j] < logits[2 * top] : logits[j] > logits[2 * top]) top = j / 2;
  return top;
}

const AVERAGES = {
  /** v + (sum of w_j (v_j - v)) / (sum of w_j), exact where all v_j are v. */
  softmax(log, logits, values) {
    const top = leading(log, logits);
    const weights = each(logits, (_m, _r, j) => {
      const x = difference(logits, j / 2, top);
      const y = product(x, radius[0], log[0], log[1]);
      return power(y, radius[0]);
    });
    const [total, spread] = AVERAGES.sum(weights);
    return each(values[top], (first, error, c) => {
      let [m, r] = [0, 0];
      for (let j = 0; j < values.length; j++) {
        if (j === top) continue;
        const x = plus(values[j][c], values[j][c + 1], -first, error);
        if (x === 0 && radius[0] === 0) continue;
        const p = product(x, radius[0], weights[2 * j], weights[2 * j + 1]);
        m = plus(m, r, p, radius[0]);
        r = radius[0];
      }
      const shift = quotient(m, r, total, spread);
      return plus(shift, radius[0], first, error);
    });
  },
  /** The mean where the logit is largest; where that is not proved of some, all it can be. */
  hardmax(log, logits, values) {
    const turn = signOf(log[0], log[1]);
    const top = leading(log, logits);
    let certain = turn !== null;
    const chosen = values.filter((_, j) => {
      const x = turn ? turn * difference(logits, j, top) : (radius[0] = 0);
      const sign = signOf(x, radius[0]);
      if (sign !== -1) certain &&= sign === 0;
      return sign !== -1;
    });
    if (certain || chosen.length === 1)
      return FLOATS.mean(chosen.reduce(FLOATS.total), chosen.length);
    return each(chosen[0], (_m, _r, c) => {
      const low = Math.min(...chosen.map(v => v[c] - v[c + 1]));
      const high = Math.max(...chosen.map(v => v[c] + v[c + 1]));
      const rounded = (size(low) + size(high)) * 4 * ULP + TINY;
      radius[0] = (high / 2 - low / 2 + rounded) * GROW;
      return low / 2 + high / 2;
    });
  },
  sum(x) {
    let [m, r] = [0, 0];
    for (let j = 0; j < x.length; j += 2) {
      m = plus(m, r, x[j], x[j + 1]);
      r = radius[0];
    }
    return [m, r];
  },
};

/** Enclosures in float64. */
export const FLOATS = {
  number: enclosed,
  vector: values => values.flatMap(enclosed),
  affine(forms) {
    const constants = FLOATS.vector(forms.map(({ constant }) => constant));
    const places = forms.map(({ terms }) => Uint32Array.from(terms, ([place]) => 2 * place));
    const rows = forms.map(({ terms }) => FLOATS.vector(terms.map(([, c]) => c)));
    return x => each(constants, (m, r, j) => inner(x, places[j / 2], rows[j / 2], m, r));
  },
  plus(x, places, y) {
    const result = x.slice();
    for (let k = 0; k < places.length; k++) {
      const j = 2 * places[k];
      result[j] = plus(x[j], x[j + 1], y[2 * k], y[2 * k + 1]);
      result[j + 1] = radius[0];
    }
    return result;
  },
  put(x, places, y) {
    const result = x.slice();
    for (let k = 0; k < places.length; k++) {
      result[2 * places[k]] = y[2 * k];
      result[2 * places[k] + 1] = y[2 * k + 1];
    }
    return result;
  },
  total: (x, y) => each(x, (m, r, j) => plus(m, r, y[j], y[j + 1])),
  mean: (x, count) => each(x, (m, r) => quotient(m, r, count, 0)),
  signs: x => Array.from({ length: x.length / 2 }, (_, j) => signOf(x[2 * j], x[2 * j + 1])),
  /** max(0, x), entry by entry. */
  relu: x =>
    each(x, (m, r) => {
      const sign = signOf(m, r);
      radius[0] = sign === null ? ((m + r) / 2) * GROW + TINY : sign === 1 ? r : 0;
      return sign === null ? radius[0] : sign === 1 ? m : 0;
    }),
  /** What a logit is multiplied by: the product of the logarithms of some bases. */
  logarithm(bases) {
    const { m, r } = exactly(128).ball(exactly(128).logarithm(bases).log);
    const [middle, rounded] = enclosed([m, 1n << 128n]);
    return [middle, r ? (rounded + float([r, 1n << 128n])) * GROW + TINY : rounded];
  },
  attend(kind, log, query, keys, values) {
    const logits = new Array(2 * keys.length);
    keys.forEach((key, j) => {
      logits[2 * j] = inner(query, null, key);
      logits[2 * j + 1] = radius[0];
    });
    return AVERAGES[kind](log, logits, values);
  },
  /** (x - mean) / √(variance + eps). */
  standardized(x, eps) {
    const d = x.length / 2;
    const [m, r] = AVERAGES.sum(x);
    const mean = -quotient(m, r, d, 0);
    const error = radius[0];
    const centred = each(x, (value, spread) => plus(value, spread, mean, error));
    const squares = inner(centred, null, centred);
    const variance = quotient(squares, radius[0], d, 0);
    const raised = plus(variance, radius[0], eps[0], eps[1]);
    const scale = inverseRoot(raised, radius[0]);
    const share = radius[0];
    return each(centred, (value, spread) => product(value, spread, scale, share));
  },
};

// ---- rationals, and enclosures in whole numbers of 2^-bits where rationals do not reach ----

/** ⌊√n⌋, by Newton's method from above. */
function root(n) {
  if (n < 2n) return n;
  let x = 1n << (bitLength(n) / 2n + 1n);
  for (let y; (y = (x + n / x) >> 1n) < x;) x = y;
  return x;
}

/** 2 artanh(a/b) in units of 2^-bits, |a/b| <= 1/3: each of its terms, fewer than bits, is wrong by 3. */
function artanh(a, b, bits) {
  const z = (a << bits) / b;
  const square = (z * z) >> bits;
  let sum = 0n;
  for (let [odd, term] = [1n, 2n * z]; abs(term) > 1n; odd += 2n, term = (term * square) >> bits)
    sum += term / odd;
  return sum;
}

const isRational = Array.isArray;
const LARGEST = 1024n; // bits of a base's power that is written out

const made = new Map();

/**
 * The arithmetic of lib.transformer.exact: values are rationals or, where softmax and roots leave
 * them, enclosures {m, r} of whole numbers over 2^bits. A shift or a division rounds by less than
 * 1, which is added to r; Undefined is thrown where a value may be divided by 0.
 */
export function exactly(bits) {
  if (!made.has(bits)) made.set(bits, tuples(scalars(BigInt(bits))));
  return made.get(bits);
}

/** Its operations on single values. */
function scalars(p) {
  const more = p + 64n; // bits of series: their roundings, fewer than 2^40, end far below 2^-p
  const ln2 = artanh(1n, 3n, more);

  const ball = x =>
    isRational(x) ? { m: (x[0] << p) / x[1], r: (x[0] << p) % x[1] ? 1n : 0n } : x;
  const sum = (a, b) => {
    if (isRational(a) && isRational(b)) return add(a, b);
    const [x, y] = [ball(a), ball(b)];
    return { m: x.m + y.m, r: x.r + y.r };
  };
  const minus = x => (isRational(x) ? negative(x) : { m: -x.m, r: x.r });
  const multiple = ([n, d], { m, r }) =>
    n === 0n
      ? ZERO
      : d === 1n
        ? { m: m * n, r: r * abs(n) }
        : { m: (m * n) / d, r: (r * abs(n)) / d + 2n };
  const product = (a, b) => {
    if (isRational(a)) return isRational(b) ? times(a, b) : multiple(a, b);
    if (isRational(b)) return multiple(b, a);
    return { m: (a.m * b.m) >> p, r: ((abs(a.m) * b.r + abs(b.m) * a.r + a.r * b.r) >> p) + 2n };
  };
  const sign = x => {
    if (isRational(x)) return x[0] > 0n ? 1 : x[0] < 0n ? -1 : 0;
    return x.m > x.r ? 1 : x.m < -x.r ? -1 : x.m === 0n && x.r === 0n ? 0 : null;
  };
  const quotient = (a, b) => {
    if (isRational(b)) return product(a, over(ONE, b));
    const x = ball(a);
    const least = abs(b.m) - b.r;
    if (least <= 0n) throw new Undefined();
    const m = (x.m << p) / b.m;
    return { m, r: ((x.r << p) + (abs(m) + 1n) * b.r) / least + 2n };
  };

  /** e^x for x <= 0: e^(x 2^-8 modulo ln 2) by its series, then squared eight times. */
  const exponential = m => {
    const x = m << 64n;
    const k = -x / ln2 + 1n;
    if (k > p + 8n) return 0n; // below 2^-p
    const t = (x + k * ln2) >> 8n;
    let total = 1n << more;
    for (let [i, term] = [1n, t]; term; i++, term = ((term * t) >> more) / i) total += term;
    for (let i = 0; i < 8; i++) total = (total * total) >> more;
    return total >> (64n + k);
  };
  const power = x => {
    const { m, r } = ball(x);
    if (m === 0n && r === 0n) return ONE;
    const middle = exponential(m > 0n ? 0n : m) + 1n;
    const spread = m > 0n ? r + m : r; // m > 0 only where two midpoints are in the wrong order
    if (spread > 1n << p) throw new Undefined();
    return { m: middle, r: ((middle * 2n * spread) >> p) + 6n };
  };
  /** ln q = k ln 2 + ln y = k ln 2 + 2 artanh((y - 1)/(y + 1)) with y from 1/2 to 2. */
  const logarithm = ([n, d]) => {
    const k = BigInt(n.toString(2).length - d.toString(2).length);
    const [a, b] = k > 0n ? [n, d << k] : [n << -k, d];
    if (a === b && k === 0n) return ZERO;
    return { m: (k * ln2 + artanh(a - b, a + b, more)) >> 64n, r: 2n };
  };
  const inverseRoot = x => {
    if (isRational(x)) {
      const [n, d] = x.map(root);
      if (n * n === x[0] && d * d === x[1]) return over(ONE, [n, d]);
    }
    const { m, r } = ball(x);
    if (m <= r) throw new Undefined();
    const [low, high] = [root((1n << (3n * p)) / (m + r)), root((1n << (3n * p)) / (m - r)) + 2n];
    return { m: (low + high) >> 1n, r: ((high - low) >> 1n) + 1n };
  };

  return {
    bits: Number(p),
    ball,
    sum,
    minus,
    product,
    sign,
    quotient,
    power,
    logarithm,
    inverseRoot,
  };
}

/** The averages of tuples. */
function averaging({ ball, sum, minus, product, sign, quotient, power }) {
  const total = (x, y) => x.map((value, j) => sum(value, y[j]));
  const mean = (x, count) => x.map(value => product([1n, BigInt(count)], value));
  const gap = (a, b) => sum(a, minus(b));

  /** Positions of one rational logit together: their logit, number and the sum of their values. */
  function grouped(logits, values) {
    const groups = new Map();
    logits.forEach((logit, j) => {
      const key = isRational(logit) ? logit.join("/") : j;
      const { count, sums } = groups.get(key) ?? { count: 0, sums: null };
      const both = sums ? total(sums, values[j]) : values[j];
      groups.set(key, { logit, count: count + 1, sums: both });
    });
    return [...groups.values()];
  }

  const averages = {
    softmax({ bases, log }, logits, values) {
      const groups = grouped(logits, values);
      const means = groups.map(({ sums, count }) => mean(sums, count));
      let weights;
      return means[0].map((first, c) => {
        const same = v => isRational(v[c]) && isRational(first) && compare(v[c], first) === 0;
        if (means.length === 1 || means.every(same)) return first;
        weights ??= weighed(bases, log, groups);
        const above = groups.map(({ sums }, g) => product(weights[g], sums[c]));
        const below = groups.map(({ count }, g) => product(weights[g], [BigInt(count), 1n]));
        return quotient(above.reduce(sum), below.reduce(sum));
      });
    },
    hardmax({ turn }, logits, values) {
      const order = logits.map(logit => (turn === 1 ? logit : turn ? minus(logit) : ZERO));
      const top = order.reduce((a, b) => (ball(a).m < ball(b).m ? b : a));
      // exactly the largest of rationals that one unit of 2^-p does not tell apart
      const best = order.every(isRational)
        ? order.reduce((a, b) => (compare(a, b) < 0 ? b : a))
        : top;
      const signs = order.map(x => (x === best ? 0 : sign(gap(x, best))));
      const chosen = values.filter((_, j) => signs[j] !== -1);
      if (chosen.length === 1 || signs.every(s => s === 0 || s === -1))
        return mean(chosen.reduce(total), chosen.length);
      return chosen[0].map((first, c) => {
        const balls = chosen.map(v => ball(v[c]));
        const low = balls.map(({ m, r }) => m - r).reduce((a, b) => (b < a ? b : a));
        const high = balls.map(({ m, r }) => m + r).reduce((a, b) => (b > a ? b : a));
        return { m: (low + high) >> 1n, r: ((high - low) >> 1n) + 1n };
      });
    },
  };

  /** Weights by their logit's distance from one of them: rational where that is whole. */
  function weighed(bases, log, groups) {
    const from = groups[0].logit;
    const gaps = groups.map(({ logit }) => gap(logit, from));
    if (
      bases.length === 1 &&
      gaps.every(
        x =>
          isRational(x) &&
          x[1] === 1n &&
          abs(x[0]) * bitLength(bases[0][0] + bases[0][1]) < LARGEST,
      )
    )
      return gaps.map(([k]) =>
        k < 0n ? [bases[0][1] ** -k, bases[0][0] ** -k] : [bases[0][0] ** k, bases[0][1] ** k],
      );
    const top = gaps
      .map(x => product(x, log))
      .reduce((best, x, g, all) => (ball(x).m > ball(all[best]).m ? g : best), 0);
    return gaps.map((x, g) => (g === top ? ONE : power(product(gap(x, gaps[top]), log))));
  }

  return { averages, total, mean, gap };
}

/** The operations on tuples. */
function tuples(scalar) {
  const { sum, product, sign, inverseRoot } = scalar;
  const { averages, total, mean, gap } = averaging(scalar);
  const dot = (x, y) => x.reduce((all, value, j) => sum(all, product(value, y[j])), ZERO);

  return {
    ...scalar,
    number: value => value,
    vector: values => values,
    affine: forms => x =>
      forms.map(({ terms, constant }) =>
        terms.reduce(
          (all, [place, c]) => (x[place][0] === 0n ? all : sum(all, product(c, x[place]))),
          constant,
        ),
      ),
    plus(x, places, y) {
      const result = [...x];
      places.forEach((j, k) => (result[j] = sum(result[j], y[k])));
      return result;
    },
    put(x, places, y) {
      const result = [...x];
      places.forEach((j, k) => (result[j] = y[k]));
      return result;
    },
    total,
    mean,
    signs: x => x.map(sign),
    relu: x =>
      x.map(value => {
        const proved = sign(value);
        if (proved !== null) return proved === 1 ? value : ZERO;
        const half = (value.m + value.r) / 2n + 1n;
        return { m: half, r: half };
      }),
    /** The product of the logarithms of some bases, and its sign. */
    logarithm(bases) {
      return {
        bases,
        turn: bases.reduce((turn, base) => turn * compare(base, ONE), 1),
        log: bases.map(scalar.logarithm).reduce(product, ONE),
      };
    },
    dot,
    averages,
    attend(kind, log, query, keys, values) {
      const logits = keys.map(key => dot(query, key));
      return averages[kind](log, logits, values);
    },
    standardized(x, eps) {
      const middle = product([1n, BigInt(x.length)], x.reduce(sum));
      const centred = x.map(value => gap(value, middle));
      const squares = product([1n, BigInt(x.length)], dot(centred, centred));
      const variance = sum(squares, eps);
      if (sign(variance) === 0) throw new Undefined("0/0");
      const scale = inverseRoot(variance);
      return centred.map(value => product(value, scale));
    },
  };
}
