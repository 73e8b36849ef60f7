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

/** What signs say of two numbers. */
export const RELATIONS = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
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

/** A rational as Python writes it. */
export const fractionText = ([n, d]) => (d === 1n ? `${n}` : `${n}/${d}`);

/** A rational as short text: 3, -1/2, or six digits of what is longer. */
export function short([n, d]) {
  const exact = fractionText([n, d]);
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

// ---- enclosures { m, r } in float64 ----

// What TwoSum (Knuth) says of a sum's rounding error is exact. The product of two float32 is exact;
// any other product, and a quotient, is wrong by 2^-53 of itself at most, or by what underflows, for
// which TINY stands. A radius is a short sum of products of nonnegative floats, so that GROW
// outweighs its own roundings. It is 0 only where nothing was rounded, and infinite or NaN where
// something overflowed: no sign is proved then.
const ULP = 2 ** -53;
const GROW = 1 + 2 ** -49;
const TINY = 2 ** -970;
const { fround } = Math;
const size = Math.abs;
const NOTHING = { m: 0, r: 0 };
const isNothing = ({ m, r }) => m === 0 && r === 0;

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

/** Operations on single enclosures in float64. */
const floats = {
  /** An enclosure of a rational. */
  number(q) {
    const m = float(q);
    if (!Number.isFinite(m)) return { m: 0, r: Infinity };
    return { m, r: compare(stored(m), q) === 0 ? 0 : size(m) * 2 * ULP + TINY };
  },
  ball: x => x,
  sum(a, b) {
    if (isNothing(b)) return a;
    if (isNothing(a)) return b;
    const m = a.m + b.m;
    const z = m - a.m;
    return { m, r: (a.r + b.r + size(a.m - (m - z) + (b.m - z))) * GROW };
  },
  minus: ({ m, r }) => ({ m: -m, r }),
  product(a, b) {
    if (isNothing(a) || isNothing(b)) return NOTHING;
    const m = a.m * b.m;
    const isExact = a.r === 0 && b.r === 0 && fround(a.m) === a.m && fround(b.m) === b.m;
    if (isExact) return { m, r: 0 };
    const moved = size(a.m) * b.r + size(b.m) * a.r + a.r * b.r;
    return { m, r: (moved + size(m) * ULP) * GROW + TINY };
  },
  /** |A/B - a/b| = |(A - a) - (B - b) a/b| / |B|. */
  quotient(a, b) {
    const m = a.m / b.m;
    const least = (size(b.m) - b.r) * (1 - 2 ** -50);
    if (!(least > 0)) throw new Undefined();
    if (isNothing(a)) return NOTHING;
    const isShort = a.r === 0 && b.r === 0 && fround(m) === m && fround(b.m) === b.m;
    if (isShort && m * b.m === a.m) return { m, r: 0 };
    return { m, r: ((a.r + size(m) * b.r) / least + size(m) * ULP) * GROW + TINY };
  },
  sign: ({ m, r }) => (m > r ? 1 : m < -r ? -1 : m === 0 && r === 0 ? 0 : null),
  /** What holds all from one number to another. */
  between(low, high) {
    const rounded = (size(low) + size(high)) * 4 * ULP + TINY;
    return { m: low / 2 + high / 2, r: (high / 2 - low / 2 + rounded) * GROW };
  },
  /** e^x where x is at most 0: |e^(x + s) - e^x| <= e^x (r + r²) for |s| <= r <= 1. */
  power(x) {
    const { m, r } = x;
    if (!(r <= 1)) throw new Undefined();
    if (m < -700) return { m: 0, r: 1e-303 }; // above e^-699
    const y = exp(m);
    return { m: y, r: isNothing(x) ? 0 : y * (r + r * r + 2 ** -46) * GROW };
  },
  logarithm(bases) {
    const { ball, logarithm } = exactly(128);
    const { m, r } = ball(logarithm(bases).log);
    const log = floats.number([m, 1n << 128n]);
    return r ? { m: log.m, r: (log.r + float([r, 1n << 128n])) * GROW + TINY } : log;
  },
  /**
   * 1/√x, whatever Math.sqrt says: |s - √x|/√x <= |s² - x|/x; and 1/√(1 - t) - 1 <= t/(1 - t), the
   * half again being for products of small errors.
   */
  inverseRoot({ m: x, r }) {
    const s = Math.sqrt(x);
    const least = (x - r) * (1 - 2 ** -50);
    const share = r / least + size(s * s - x) / x + 8 * ULP;
    if (!(least > 1e-290 && share < 0.25)) throw new Undefined();
    return { m: 1 / s, r: (1 / s) * share * 1.5 };
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

/** Operations on single values: rationals, or enclosures {m, r} of whole numbers over 2^p. */
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
    if (isRational(a) && a[0] === 0n) return ZERO;
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
  const natural = ([n, d]) => {
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

  const logarithm = bases => bases.map(natural).reduce(product, ONE);
  const between = (low, high) => ({ m: (low + high) >> 1n, r: ((high - low) >> 1n) + 1n });
  const number = q => q;
  const single = { number, ball, sum, minus, product, quotient, sign, between };
  return { ...single, power, logarithm, inverseRoot };
}

// ---- tuples: what a reader asks of an arithmetic ----

/** Averages of tuples by softmax and by hardmax. */
function averaging({ number, ball, sum, minus, product, sign, quotient, between, power }) {
  const zero = number(ZERO);
  const total = (x, y) => x.map((value, j) => sum(value, y[j]));
  const gap = (a, b) => sum(a, minus(b));
  const multiple = (x, count) => (count === 1 ? x : product(x, whole(count)));
  const counts = [];
  const whole = count => (counts[count] ??= number([BigInt(count), 1n]));
  const mean = (x, count) => x.map(value => quotient(value, whole(count)));
  const largest = balls => balls.reduce((top, { m }, j) => (m > balls[top].m ? j : top), 0);

  /** Positions of one rational logit together: their logit, number and mean value. */
  function grouped(logits, values) {
    if (!isRational(zero)) return logits.map((logit, j) => ({ logit, count: 1, value: values[j] }));
    const groups = new Map();
    logits.forEach((logit, j) => {
      const key = isRational(logit) ? logit.join("/") : j;
      const { count, sums } = groups.get(key) ?? { count: 0, sums: null };
      const both = sums ? total(sums, values[j]) : values[j];
      groups.set(key, { logit, count: count + 1, sums: both });
    });
    const one = ({ logit, count, sums }) =>
      count === 1 ? { logit, count, value: sums } : { logit, count, value: mean(sums, count) };
    return [...groups.values()].map(one);
  }

  /** e^(gap log), rational where one base is raised to whole numbers. */
  function weighed(gaps, { bases, log }) {
    const [base] = bases;
    const isShort = x =>
      isRational(x) && x[1] === 1n && abs(x[0]) * bitLength(base[0] + base[1]) < LARGEST;
    if (bases.length !== 1 || !gaps.every(isShort)) return gaps.map(x => power(product(x, log)));
    const [n, d] = base;
    return gaps.map(([k]) => (k < 0n ? [d ** -k, n ** -k] : [n ** k, d ** k]));
  }

  const averages = {
    /** v + (sum of w_j (v_j - v)) / (sum of w_j), exact where all v_j are v. */
    softmax(base, logits, values) {
      const groups = grouped(logits, values);
      const turned = base.turn < 0 ? logit => ball(minus(logit)) : ball;
      const [first] = groups.splice(largest(groups.map(({ logit }) => turned(logit))), 1);
      const gaps = groups.map(({ logit }) => gap(logit, first.logit));
      const weights = weighed(gaps, base).map((weight, g) => multiple(weight, groups[g].count));
      const all = weights.reduce(sum, whole(first.count));
      return first.value.map((v, c) => {
        const moved = weights.map((weight, g) => product(weight, gap(groups[g].value[c], v)));
        return sum(v, quotient(moved.reduce(sum, zero), all));
      });
    },
    /** The mean where the logit is largest; where that is not proved of some, all it can be. */
    hardmax({ turn }, logits, values) {
      const order = logits.map(logit => (turn === 1 ? logit : turn ? minus(logit) : zero));
      const top = order[largest(order.map(ball))];
      // exactly the largest of rationals that one unit of 2^-p does not tell apart
      const best = order.every(isRational)
        ? order.reduce((a, b) => (compare(a, b) < 0 ? b : a))
        : top;
      const signs = order.map(x => (x === best ? 0 : sign(gap(x, best))));
      const chosen = values.filter((_, j) => signs[j] !== -1);
      if (chosen.length === 1 || signs.every(s => s === 0 || s === -1))
        return mean(chosen.reduce(total), chosen.length);
      return chosen[0].map((_, c) => {
        const balls = chosen.map(v => ball(v[c]));
        const low = balls.map(({ m, r }) => m - r).reduce((a, b) => (b < a ? b : a));
        const high = balls.map(({ m, r }) => m + r).reduce((a, b) => (b > a ? b : a));
        return between(low, high);
      });
    },
  };
  return { averages, total, mean, gap, whole, zero };
}

/**
 * An arithmetic: `vector` makes a tuple of rationals, `affine` is x -> W x + b, `plus` adds to places
 * of a tuple and `put` replaces them, `attend` takes averages by softmax or hardmax, `signs` says which
 * signs are proved (null: none). Undefined is thrown where a value may be divided by 0.
 */
function tuples(scalar) {
  const { number, ball, sum, product, quotient, sign, between, inverseRoot } = scalar;
  const { averages, total, mean, gap, whole, zero } = averaging(scalar);
  const dot = (x, y) => x.reduce((all, value, j) => sum(all, product(value, y[j])), zero);
  const replaced = (x, places, value) => {
    const result = [...x];
    places.forEach((j, k) => (result[j] = value(j, k)));
    return result;
  };

  return {
    ...scalar,
    vector: values => values.map(number),
    affine(forms) {
      const rows = forms.map(({ terms, constant }) => ({
        terms: terms.map(([place, c]) => [place, number(c)]),
        constant: number(constant),
      }));
      return x =>
        rows.map(({ terms, constant }) =>
          terms.reduce((all, [place, c]) => sum(all, product(c, x[place])), constant),
        );
    },
    plus: (x, places, y) => replaced(x, places, (j, k) => sum(x[j], y[k])),
    put: (x, places, y) => replaced(x, places, (_, k) => y[k]),
    total,
    mean,
    signs: x => x.map(sign),
    /** max(0, x), entry by entry. */
    relu: x =>
      x.map(value => {
        const proved = sign(value);
        if (proved !== null) return proved === 1 ? value : zero;
        const { m, r } = ball(value);
        return between(m - m, m + r); // from 0, of either kind
      }),
    /** What a logit is multiplied by: the product of the logarithms of some bases, and its sign. */
    logarithm: bases => ({
      bases,
      turn: bases.reduce((turn, base) => turn * compare(base, ONE), 1),
      log: scalar.logarithm(bases),
    }),
    dot,
    averages,
    attend: (kind, log, query, keys, values) =>
      averages[kind](
        log,
        keys.map(key => dot(query, key)),
        values,
      ),
    /** (x - mean) / √(variance + eps). */
    standardized(x, eps) {
      const d = whole(x.length);
      const middle = quotient(x.reduce(sum), d);
      const centred = x.map(value => gap(value, middle));
      const variance = sum(quotient(dot(centred, centred), d), eps);
      if (sign(variance) === 0) throw new Undefined("0/0");
      const scale = inverseRoot(variance);
      return centred.map(value => product(value, scale));
    },
  };
}

const made = new Map();

/** The arithmetic of lib.transformer.exact, in that many bits where rationals do not reach. */
export function exactly(bits) {
  if (!made.has(bits)) made.set(bits, tuples(scalars(BigInt(bits))));
  return made.get(bits);
}

/** Enclosures in float64. */
export const FLOATS = tuples(floats);
