// exp and the square root with a proved bound on their errors: JavaScript promises no accuracy of
// Math.exp and Math.sqrt. Used are IEEE's + - * /, which it does promise, and
// Math.round. u is 2^-53: what a rounding changes, of a number of size 1 at most.

export const EXP = 3; // roundings: exp(x) is within 3u of itself
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
