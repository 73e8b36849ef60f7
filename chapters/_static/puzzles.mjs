// The workshop's puzzles, as data: a language, rows with a gap, and what may be used. Each model
// solution decides its language at every length; why it does is said beside it.

const SOFTMAX = { attention: "softmax", eps: null, logN: false };
const HARDMAX = { attention: "hardmax", eps: null, logN: false };
const formula = (text, alphabet = "01") => ({ kind: "formula", text, alphabet });
const builtin = name => ({ kind: "builtin", name });
const many = (a, times) => a.repeat(times);

/**
 * `rules` are what `broken` checks, `longer` strings beyond those that are swept, with the answer;
 * `why` says in what way the model solution is right at every length.
 */
export const PUZZLES = [
  {
    id: "ends-with-1",
    title: "The last symbol",
    task: "Accept the strings that end with 1. No layer is needed: say what is read at the last token.",
    alphabet: "01",
    language: formula('Q("1")'),
    options: SOFTMAX,
    rules: { layers: 0, positions: [] },
    start: `word 0: ()
word 1: one
word CLS: ()

# the gap: accepted where this is above 0
output: ()
read: last
`,
    hint: "The coordinate called one is 1 at every symbol 1 and 0 at every other token. The empty string has CLS as its last token.",
    solution: `word 0: ()
word 1: one
word CLS: ()

output: one
read: last
`,
    why: "The vector that is read is the last token's embedding, which holds 1 for a 1 and 0 for a 0 and for CLS, whatever stands before it.",
    longer: [
      [`${many("0", 3000)}1`, true],
      [`${many("1", 3000)}0`, false],
    ],
  },
  {
    id: "contains-1",
    title: "Is there a 1?",
    task: "Accept the strings that contain a 1. CLS, whose vector is read, has to learn it from the others: by one head.",
    alphabet: "01",
    language: formula('once(Q("1"))'),
    options: SOFTMAX,
    rules: { layers: 1, heads: 1, feedForward: false, positions: [] },
    start: `word 0: ()
word 1: one
word CLS: ()

layer
head
  # the gap: averaged over all tokens
  s <- ()

output: s
`,
    hint: "A head without q and k looks at all tokens alike. The average of a coordinate that is 0 or 1 is the share of 1s.",
    solution: `word 0: ()
word 1: one
word CLS: ()

layer
head
  s <- one

output: s
`,
    why: "With k 1s among n tokens s is k/n, and that is above 0 if and only if k is.",
    longer: [
      [many("0", 3000), false],
      [`${many("0", 1500)}1${many("0", 1500)}`, true],
    ],
  },
  {
    id: "at-least-half",
    title: "A vote",
    task: "Accept the strings that hold as many 1s as 0s or more. The empty string belongs to them: mind the draw.",
    alphabet: "01",
    language: formula('count(Q("1")) >= count(Q("0"))'),
    options: SOFTMAX,
    rules: { layers: 1, heads: 1, feedForward: false, positions: [] },
    start: `word 0: -vote
word 1: vote
word CLS: ()

layer
head
  s <- vote

# on a draw, this is 0
output: s
`,
    hint: "CLS is a token too, and may vote. Its vote should decide a draw and nothing else.",
    solution: `word 0: -vote
word 1: vote
word CLS: vote

layer
head
  s <- vote

output: s
`,
    why: "s is (k − m + 1)/n for k 1s and m 0s, and k − m + 1 is above 0 if and only if k ≥ m.",
    longer: [
      [many("10", 1500), true],
      [`0${many("10", 1500)}`, false],
      [`1${many("01", 1500)}`, true],
    ],
  },
  {
    id: "starts-with-1",
    title: "The first symbol",
    task: "Accept the strings that start with 1, at every length, by one softmax head. Positions come as i, which is 0 at CLS, then 1, 2, 3, ...",
    alphabet: "01",
    language: builtin("FIRST"),
    options: SOFTMAX,
    rules: { layers: 1, heads: 1, feedForward: false, positions: ["i"] },
    start: `word 0: -vote
word 1: vote
word CLS: cls
position i: i

layer
head
  q: cls
  # the gap: q times k is the logit,
  # and a weight is e to that power
  k: ()
  s <- vote

output: s
`,
    hint: "Let the weights fall so fast that no crowd of later symbols outweighs the first. A key may have a minus sign.",
    solution: `word 0: -vote
word 1: vote
word CLS: cls
position i: i

layer
head
  q: cls
  k: -i
  s <- vote

output: s
`,
    why: "Symbol i has the weight e⁻ⁱ. All from the second on weigh less than e⁻²/(1 − e⁻¹) = 0.58 e⁻¹ together, so the first one decides. On the empty string s is 0.",
    longer: [
      [`1${many("0", 60)}`, true],
      [`0${many("1", 60)}`, false],
      [`1${many("0", 1000)}`, true],
      [`0${many("1", 1000)}`, false],
    ],
  },
  {
    id: "exactly-one-1",
    title: "Exactly one",
    task: "Accept the strings that hold exactly one 1 (the language ONE of chapter 7). Too few and too many are both wrong, so a line does not do: bend it.",
    alphabet: "01",
    language: builtin("ONE"),
    options: SOFTMAX,
    rules: { layers: 1, heads: 1, positions: [] },
    start: `word 0: ()
word 1: one
word CLS: cls

layer
head
  # the share of 1s, and that of CLS
  k/n <- one
  1/n <- cls
feed-forward
  # the gap: the unit is max(0, this)
  h1 = ()
  bend <- h1

output: k/n - 1/2·1/n - bend
`,
    hint: "Now s is (k − 1/2)/n, which is right for no 1 and for one. Subtract something that begins to grow at k = 1, and grows twice as fast. Numbers are written before a name: 2·1/n.",
    solution: `word 0: ()
word 1: one
word CLS: cls

layer
rewrites: d
head
  # (k - 1)/n
  d <- one - cls
  1/n <- cls
feed-forward
  # d - 2 max(0, d) = -|d|
  h1 = d
  d <- -2·h1

output: d + 1/2·1/n
`,
    why: "s is (1/2 − |k − 1|)/n: 1/(2n) for k = 1, and at most −1/(2n) for every other k.",
    longer: [
      [`${many("0", 2000)}1${many("0", 1000)}`, true],
      [`${many("0", 2000)}11${many("0", 1000)}`, false],
      [many("0", 3000), false],
      [many("1", 3000), false],
    ],
  },
  {
    id: "first-with-log-n",
    title: "FIRST, louder with length",
    task: "Accept the strings that start with 1 again. Now only the first position is marked, and all marks are of one size; but every logit is multiplied by log n, n being the number of tokens (chapter 4).",
    alphabet: "01",
    language: builtin("FIRST"),
    options: { ...SOFTMAX, logN: true },
    rules: { layers: 1, heads: 1, feedForward: false, positions: ["[i=1]"] },
    start: `word 0: zero
word 1: one
word CLS: cls
position [i=1]: first

layer
head
  q: cls
  # the gap: where to look, and for what
  k: ()
  s <- one

output: s
`,
    hint: "A logit of log n is a weight of n; a logit of 0 is a weight of 1, and there are n − 1 such tokens. Let 0s vote against 1s.",
    solution: `word 0: -vote
word 1: vote
word CLS: cls
position [i=1]: first

layer
head
  q: cls
  k: first
  s <- vote

output: s
`,
    why: "The first symbol has the weight n, the n − 2 others 1 each, and CLS does not vote: n > n − 2. On the empty string s is 0.",
    longer: [60, 300, 3000].flatMap(length => [
      [`1${many("0", length)}`, true],
      [`0${many("1", length)}`, false],
    ]),
  },
  {
    id: "dyck-1",
    title: "Brackets",
    task: "Accept the well-bracketed strings: as many are closed as were opened, and never more. With hardmax, which looks only where the logit is largest, and at all such places alike.",
    alphabet: "()",
    language: builtin("Dyck-1"),
    options: HARDMAX,
    rules: { layers: 2, heads: 3, positions: [] },
    start: `word (: up
word ): -up
word CLS: cls

layer
# sees what stands before it, and itself
head mask future
  # the gap: the mean of what?
  height <- ()
# (1/2 - height at the end)/n
head
  end <- 1/2·cls - up
feed-forward
  # the gap: how far below the ground?
  h1 = ()
  below <- h1

layer
# CLS looks where below is largest
head
  q: cls
  k: below
  worst <- below

# the gap: and what has worst to say?
output: end
`,
    hint: "If the string ends below the ground, end is positive, but then worst is at least as large as the height there. So subtract worst more than once.",
    solution: `word (: up
word ): -up
word CLS: cls

layer
head mask future
  height <- up
head
  end <- 1/2·cls - up
feed-forward
  h1 = -height
  below <- h1

layer
head
  q: cls
  k: below
  worst <- below

output: end - 2·worst
`,
    why: "Let g be the height at the end. Never below the ground: s = (1/2 − g)/n, above 0 only for g = 0. Otherwise worst is at least 1/n and at least −g/n, so that s ≤ (1/2 − g)/n + g/n − 1/n or, for g ≥ 0, (1/2 − 2)/n: below 0.",
    longer: [
      [many("()", 1000), true],
      [many("(", 1000) + many(")", 1000), true],
      [`${many("()", 1000)})(`, false],
      [`)${many("(", 40)}`, false],
      [`${many("()", 1000)}(`, false],
      [`${many("()", 1000)})`, false],
    ],
  },
  {
    id: "parity-hardmax",
    title: "PARITY, by looking it up",
    task: "Accept the strings with an odd number k of 1s. Look at position k, and read there whether it is odd; with hardmax, a head looks only where its logit is largest. cos iπ is 1 at even positions and −1 at odd ones.",
    alphabet: "01",
    language: builtin("PARITY"),
    options: HARDMAX,
    rules: { layers: 2, heads: 2, positions: ["i/n", "cos iπ"] },
    start: `word 0: ()
word 1: one
word CLS: cls
position i/n: i/n
position cos iπ: cos

layer
head
  k/n <- one
feed-forward
  # how far i is before k, or else 0
  h1 = k/n - i/n
  before <- h1

layer
head
  q: cls
  # the gap: largest where i is k
  k: ()
  # the gap: what is read there
  s <- ()

output: s
`,
    hint: "The distance from i to k is |k − i|, and |x| = 2 max(0, x) − x. Its negative is largest, 0, where i is k.",
    solution: `word 0: ()
word 1: one
word CLS: ()
position i/n: -x
position cos iπ: cos

layer
rewrites: x
head
  # x = (k - i)/n
  x <- one
feed-forward
  # x - 2 max(0, x) = -|k - i|/n
  h1 = x
  x <- -2·h1

layer
head
  # 1 at CLS
  q: cos
  k: x
  s <- -cos

output: s
`,
    why: "The key −|k − i|/n is 0 at position k, which exists since 0 ≤ k < n, and negative elsewhere. So s = −cos kπ, which is 1 for odd k and −1 for even k.",
    longer: [
      [many("1", 51), true],
      [many("1", 50), false],
      [many("110", 300), false],
      [`1${many("110", 300)}`, true],
      [many("0", 1000), false],
      [many("1", 1001), true],
    ],
  },
  {
    id: "parity-one-head",
    title: "PARITY with one second-layer head",
    task: "Accept the strings with an odd number k of 1s, with softmax, and with a single head in each layer. The paper’s transformer has two in its second layer, which compare odd positions with even ones; the rows mark position k as it does.",
    alphabet: "01",
    language: builtin("PARITY"),
    options: SOFTMAX,
    rules: { layers: 2, heads: 2, headsPerLayer: 1, positions: ["i/n", "cos iπ"] },
    start: `word 0: ()
word 1: one
word CLS: cls
position i/n: i/n

layer
head
  k/n <- one
  1/n <- cls
feed-forward
  h1 = k/n - i/n - 1/n
  h2 = k/n - i/n
  h3 = k/n - i/n + 1/n
  # 1/n where i = k, else 0
  mark <- h1 - 2·h2 + h3

layer
head
  s <- mark

output: s
`,
    hint: "There is always a mark, so there is always something to average. Move it, so that it stands nowhere if k is even: is there a position that is half of something?",
    solution: `word 0: ()
word 1: one
word CLS: cls
position i/n: -2·x

layer
rewrites: x
head
  # x = (k + 1 - 2i)/n
  x <- one + cls
  1/n <- cls
feed-forward
  h1 = x - 1/n
  h2 = x
  h3 = x + 1/n
  # 1/n where 2i = k + 1, else 0
  mark <- h1 - 2·h2 + h3

layer
head
  s <- mark

output: s
`,
    why: "Position (k + 1)/2 exists if and only if k is odd (it is below n, since k < n). So s, the mean of the marks, is 1/n² for odd k and exactly 0 for even k.",
    longer: [
      [many("1", 51), true],
      [many("1", 50), false],
      [many("110", 300), false],
      [`1${many("110", 300)}`, true],
      [many("0", 1000), false],
      [many("1", 1001), true],
    ],
  },
  {
    id: "palindrome-two-layers",
    title: "PALINDROME in two layers",
    task: "Accept the strings that are their own reversal, with softmax and a single head in each layer. Every position looks at its mirror image; position i has it at n − 1 − i.",
    alphabet: "01",
    language: builtin("PALINDROME"),
    options: SOFTMAX,
    rules: {
      layers: 2,
      heads: 2,
      headsPerLayer: 1,
      positions: ["i", "n-1-i", "i²", "1"],
    },
    start: `word 0: ()
word 1: one
word CLS: cls
word EOS: ()     # the mirror image of CLS
position i: i
position n-1-i: back
position i²: square
# 1 everywhere
position 1: unit

layer
head
  # the gap: two rows of q and of k; the
  # products of both pairs are added up
  q: ()
  q: ()
  k: ()
  k: ()
  mirror <- one
feed-forward
  # the gap: do the two differ?
  h1 = ()
  bad <- h1

layer
head
  s <- 1/4·cls - bad

output: s
`,
    hint: "For m = n − 1 − i the largest of −(j − m)² = −m² + 2mj − j² is at j = m, and −m² is the same for every j. Softmax leaks a little to the neighbours of m: a gain makes it less, and max(0, difference − 1/2) forgives the rest.",
    solution: `word 0: ()
word 1: one
word CLS: cls
word EOS: ()
position i: i
position n-1-i: back
position i²: square
position 1: unit

layer
rewrites: one
head gain 2
  q: 2·back
  q: -unit
  k: i
  k: square
  # becomes one minus its mirror image
  one <- -one
feed-forward
  h1 = one - 1/2
  bad <- h1

layer
head
  s <- 1/4·cls - bad

output: s
`,
    why: "The mirror image has at least 1/(1 + 2e⁻² + 2e⁻⁸ + ...) > 0.78 of the weight. So one minus its average is below 0.22 everywhere on a palindrome, and s = 1/(4n); else it is above 0.78 at some 1, where bad is above 0.28, and s < (0.25 − 0.28)/n.",
    longer: [
      [many("10", 60) + many("01", 60), true],
      [`${many("10", 60)}0${many("01", 60)}`, true],
      [`${many("10", 60)}1${many("01", 59)}00`, false],
      [`1${many("0", 150)}1`, true],
      [`1${many("0", 150)}`, false],
    ],
  },
];

// ---- restrictions ----

const COUNTS = ["no", "one", "two", "three"];
const most = (count, what) =>
  count === 0 ? `no ${what}` : `at most ${COUNTS[count] ?? count} ${what}${count === 1 ? "" : "s"}`;
const without = text => text.replace(/\s/g, "");

/**
 * What a puzzle allows, as sentences, each with what a construction (its JSON) has instead, or null
 * where it keeps to that; `isPlain` need not be said before.
 */
export function restrictions({ rules, alphabet }, json = null) {
  const found = [];
  const rule = (text, test, isPlain = false) =>
    found.push({ text, instead: json && test(json), isPlain });
  const layers = rules.layers;
  if (layers !== undefined)
    rule(most(layers, "layer"), ({ layers: made }) =>
      made.length > layers ? `this has ${made.length}` : null,
    );
  if (rules.heads && !rules.headsPerLayer)
    rule(most(rules.heads, "head"), json => {
      const { heads } = size(json);
      return heads > rules.heads ? `this has ${heads}` : null;
    });
  if (rules.headsPerLayer)
    rule(`${most(rules.headsPerLayer, "head")} in each layer`, ({ layers: made }) => {
      const l = made.findIndex(({ heads }) => heads.length > rules.headsPerLayer);
      return l < 0 ? null : `layer ${l + 1} has ${made[l].heads.length}`;
    });
  if (rules.feedForward === false)
    rule("no feed-forward network", ({ layers: made }) => {
      const l = made.findIndex(({ ffn }) => ffn);
      return l < 0 ? null : `layer ${l + 1} has one`;
    });
  if (rules.positions)
    rule(
      rules.positions.length
        ? `positions: only ${rules.positions.join(" and ").replace(/ and (?=.* and )/g, ", ")}`
        : "no positions",
      ({ position }) => {
        const other = Object.keys(position).find(
          f => !rules.positions.map(without).includes(without(f)),
        );
        return other === undefined ? null : `this has ${other}`;
      },
    );
  const known = [...alphabet].sort().join(" and ");
  const symbols = ({ word }) => Object.keys(word).filter(token => [...token].length === 1);
  rule(
    `the symbols are ${known}`,
    json => {
      const has = symbols(json).sort().join(" and ");
      return has === known ? null : `this has ${has || "none"}`;
    },
    true,
  );
  rule(
    "what is accepted has an output above 0",
    ({ activation }) => (activation === "sigmoid" ? null : "this accepts where it is 0"),
    true,
  );
  return found;
}

/** How large a construction is: layers, heads, coordinates and coefficients other than 0. */
export function size(json) {
  const heads = json.layers.flatMap(layer => layer.heads);
  const forms = [
    ...Object.values(json.word),
    ...Object.values(json.position),
    ...heads.flatMap(head => [...head.q, ...head.k, ...Object.values(head.v)]),
    ...json.layers.flatMap(({ ffn }) => ffn?.hidden ?? []),
    json.output,
  ];
  const numbers = [
    ...forms.flatMap(Object.values),
    ...heads.flatMap(({ gain, base }) => [gain, base ?? "0"]),
    ...json.layers.flatMap(({ ffn }) =>
      ffn ? [...Object.values(ffn.out).flat(), ...Object.values(ffn.bias)] : [],
    ),
  ];
  return {
    layers: json.layers.length,
    heads: heads.length,
    coordinates: json.space.length,
    coefficients: numbers.filter(c => String(c) !== "0").length,
  };
}
