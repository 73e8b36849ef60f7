// How expressions and rows are written: examples, and what each means. Words of formulas are Python's.

export const EXPRESSIONS = [
  ["01", "a 0, then a 1"],
  ["0|1", "a 0 or a 1; [01] is the same, and . is any symbol"],
  ["(01)*", "any number of times, perhaps none; ? at most once, {2,3} so often"],
  ["(01)+", "once or more; where a paper writes + for or, write | here"],
  ["()", "nothing"],
];
export const ROWS = [
  ["word 1: one", "the embedding of a symbol: here 1 in the coordinate one. Any name will do"],
  ["word CLS: cls", "CLS stands before every string; word EOS: () puts an end tag after it"],
  ["position i/n: i/n", "what a function of the position i, from 0 at CLS, and of n tokens adds"],
  ["layer", "then its heads, then its feed-forward network"],
  ["head", "gain 2, base 2 and mask future may follow, in the same line"],
  ["q: cls", "what a token asks; k: what it is asked for. Without both, all tokens weigh the same"],
  ["s <- 2·x - 1/2·y", "what the head averages, and the coordinate that it is added to"],
  ["feed-forward", "then units h1 = x - 1/2, each max(0, this), and s <- h1 - 2·h2"],
  ["rewrites: x", "below layer; what is not named here may be written once only"],
  ["output: s - 1/2", "accepted where this is above 0, at CLS"],
  ["read: last", "at the last token instead"],
  ["()", "nothing, 0. A number alone stands in units and in the output; elsewhere 1 is a name"],
  ["# ...", "a remark"],
];
