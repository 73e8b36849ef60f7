// Why the model solution of each puzzle is right at every length.

export const WHYS = {
  "ends-with-1":
    "The vector that is read is the last token's embedding, which holds 1 for a 1 and 0 for a 0 and for CLS, whatever stands before it.",
  "contains-1": "With k 1s among n tokens s is k/n, and that is above 0 if and only if k is.",
  "at-least-half":
    "s is (k − m + 1)/n for k 1s and m 0s, and k − m + 1 is above 0 if and only if k ≥ m.",
  "only-1s":
    'never(Q("0")) holds where no symbol so far is a 0; on the empty string there is none.',
  "two-1s": "The count at the last symbol is the number of all 1s.",
  "smaller-once": "A 1 was counted, and not never a 1: both mean that there was a 1 at least once.",
  "string-two":
    "It holds two 1s, and they are not neighbours. Shorter strings with two 1s are 11 and what holds it.",
  "starts-with-1":
    "Symbol i has the weight e⁻ⁱ. All from the second on weigh less than e⁻²/(1 − e⁻¹) = 0.58 e⁻¹ together, so the first one decides. On the empty string s is 0.",
  "exactly-one-1":
    "s is (1/2 − |k − 1|)/n: 1/(2n) for k = 1, and at most −1/(2n) for every other k.",
  "first-with-log-n":
    "The first symbol has the weight n, the n − 2 others 1 each, and CLS does not vote: n > n − 2. On the empty string s is 0.",
  followed: "If a 0 is not followed by a 1, then a 0 follows it or the string ends.",
  blocks:
    "At an a after a b both hold; and if both hold at some position, there is an a with a b before it.",
  "string-clocks":
    "8 is the least such length, and all others follow in steps of 15: 23 is the first that the expression leaves out. No shorter string will do.",
  invariant:
    "Each block brings two a’s and one b. So twice as many a’s as b’s hold after every block, and in no row of as many.",
  "dyck-1":
    "Let g be the height at the end. Never below the ground: s = (1/2 − g)/n, above 0 only for g = 0. Otherwise worst is at least 1/n and at least −g/n, so that s ≤ (1/2 − g)/n + g/n − 1/n or, for g ≥ 0, (1/2 − 2)/n: below 0.",
  "parity-hardmax":
    "The key −|k − i|/n is 0 at position k, which exists since 0 ≤ k < n, and negative elsewhere. So s = −cos kπ, which is 1 for odd k and −1 for even k.",
  "parity-one-head":
    "Position (k + 1)/2 exists if and only if k is odd (it is below n, since k < n). So s, the mean of the marks, is 1/n² for odd k and exactly 0 for even k.",
  "palindrome-two-layers":
    "The mirror image has at least 1/(1 + 2e⁻² + 2e⁻⁸ + ...) > 0.78 of the weight. So one minus its average is below 0.22 everywhere on a palindrome, and s = 1/(4n); else it is above 0.78 at some 1, where bad is above 0.28, and s < (0.25 − 0.28)/n.",
  alternating:
    "If all b’s have an a before them and there are as many a’s, then every a has its b directly behind it.",
  "smaller-first":
    "If there was a position before which, and at which, no 0 had come, then the first position is one: it holds a 1. And the empty string has none.",
};
