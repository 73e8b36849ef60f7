// The functions of a trained network, with a proved bound on their errors: JavaScript promises no
// accuracy of Math.exp, Math.tanh and Math.sqrt. Used are IEEE's + - * /, which it does promise, and
// Math.round. u is 2^-53: what a rounding changes, of a number of size 1 at most.

export const EXP = 3; // roundings: exp(x) is within 3u of itself
export const GELU = 6; // gelu(x) and geluNew(x) are within 6u |x|
export const ROOT = 4; // root(x) is within 4u of itself, or NaN

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
const ONE = 1n << 200n;
const DENSITY = 0x662114cf50d942343f2cf1402eae38bfd3829f30512706d8c0n; // 1 / √(2π)
const [DEGREE, NODES] = [10, 69];
let table;

function normal() {
  table = new Float64Array(NODES * (DEGREE + 1));
  for (let node = 0; node < NODES; node++) {
    const j = BigInt(node); // c = j / 8
    let power = 0n; // e^(c²/2)
    for (let [term, n] = [ONE, 1n]; term; n++)
      [power, term] = [power + term, (term * j * j) / (128n * n)];
    let area = 0n; // c + c³/3 + c⁵/(3·5) + ..., of which φ(c) times is Φ(c) - 1/2
    for (let [term, n] = [(ONE * j) / 8n, 3n]; term; n += 2n)
      [area, term] = [area + term, (term * j * j) / (64n * n)];
    let [before, b] = [0n, (DENSITY * ONE) / power];
    const row = [ONE / 2n + (b * area) / ONE];
    for (let k = 1n; k <= DEGREE; k++) {
      row.push(b / k);
      [before, b] = [b, -(j * b + 8n * before) / (8n * k)];
    }
    row.forEach((x, k) => (table[node * (DEGREE + 1) + k] = Number(x) / Number(ONE)));
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
