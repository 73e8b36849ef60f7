// The workshop's puzzles, as data. Each model solution is right at every length; `why` says why.

const SOFTMAX = { attention: "softmax", eps: null, log_n: false };
const HARDMAX = { attention: "hardmax", eps: null, log_n: false };
const formula = (text, alphabet = "01") => ({ kind: "formula", text, alphabet: [...alphabet] });
const expression = text => ({ kind: "expression", text });
const builtin = name => ({ kind: "builtin", name });
const many = (a, times) => a.repeat(times);

const OF_PARITY = [
  [many("1", 51), true],
  [many("1", 50), false],
  [many("110", 300), false],
  [`1${many("110", 300)}`, true],
  [many("0", 1000), false],
  [many("1", 1001), true],
];

export const DEGREES = ["first steps", "with a thought", "hard"];

/**
 * Of a `degree`, and to the chapter `lesson`. What is asked for is, by `kind`: `rows` that decide a
 * language, tried on strings and on some `longer` ones, with the answer; a `formula` that accepts
 * just a language; a `string` on which a formula and an expression part; or an `invariant`, a
 * formula that holds for all of an expression and for none of `rejects`. `rules` say what may be
 * used. Symbols are 0 and 1, and rows are read with softmax, where nothing else is said.
 */
export const PUZZLES = [
  {
    id: "ends-with-1",
    title: "The last symbol",
    kind: "rows",
    degree: 1,
    lesson: "02_transformer_parity_first",
    task: "Accept the strings that end with 1. No layer is needed: say what is read at the last token.",
    language: formula('Q("1")'),
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
    kind: "rows",
    degree: 1,
    lesson: "02_transformer_parity_first",
    task: "Accept the strings that contain a 1. CLS, whose vector is read, has to learn it from the others: by one head.",
    language: formula('once(Q("1"))'),
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
    kind: "rows",
    degree: 1,
    lesson: "08_formulas_to_transformers",
    task: "Accept the strings that hold as many 1s as 0s or more. The empty string belongs to them: mind the draw.",
    language: formula('count(Q("1")) >= count(Q("0"))'),
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
    id: "only-1s",
    title: "Nothing but 1s",
    kind: "formula",
    degree: 1,
    lesson: "08_formulas_to_transformers",
    task: "Accept the strings in which every symbol is a 1, the empty one among them. Write a formula: what it says at the last symbol is its answer.",
    language: expression("1*"),
    start: 'Q("1")',
    hint: 'Q("1") speaks of the last symbol alone. Three words speak of all symbols so far: once, never, always.',
    solution: 'never(Q("0"))',
    why: 'never(Q("0")) holds where no symbol so far is a 0; on the empty string there is none.',
  },
  {
    id: "two-1s",
    title: "Two or more",
    kind: "formula",
    degree: 1,
    lesson: "08_formulas_to_transformers",
    task: "Accept the strings that hold at least two 1s, wherever they stand. A count may be compared with a number.",
    language: expression(".*1.*1.*"),
    start: 'once(Q("1"))',
    hint: "count(φ) is the number of positions so far at which φ holds; compare it by >=.",
    solution: 'count(Q("1")) >= 2',
    why: "The count at the last symbol is the number of all 1s.",
  },
  {
    id: "smaller-once",
    title: "Find the smaller formula",
    kind: "formula",
    degree: 1,
    lesson: "11_every_length",
    task: "This formula says something simple in too many words. Say the same with two parts. A symbol, a number, a comparison and each word are a part each.",
    language: formula('count(Q("1")) >= 1 and not never(Q("1"))'),
    rules: { parts: 2 },
    start: 'count(Q("1")) >= 1 and not never(Q("1"))',
    hint: "Both halves say the same. Which word says it?",
    solution: 'once(Q("1"))',
    why: "A 1 was counted, and not never a 1: both mean that there was a 1 at least once.",
  },
  {
    id: "string-two",
    title: "Find the string: two, or two in a row?",
    kind: "string",
    degree: 1,
    lesson: "11_every_length",
    task: "Somebody meant two 1s and wrote an expression for two 1s in a row. Find a string on which the two part.",
    formula: 'count(Q("1")) >= 2',
    expression: ".*11.*",
    hint: "Keep the 1s apart.",
    solution: "101",
    why: "It holds two 1s, and they are not neighbours. Shorter strings with two 1s are 11 and what holds it.",
  },
  {
    id: "starts-with-1",
    title: "The first symbol",
    kind: "rows",
    degree: 2,
    lesson: "04_log_n_scaling",
    task: "Accept the strings that start with 1, at every length, by one softmax head. Positions come as i, which is 0 at CLS, then 1, 2, 3, ...",
    language: builtin("FIRST"),
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
    kind: "rows",
    degree: 2,
    lesson: "07_palindrome_precision",
    task: "Accept the strings that hold exactly one 1 (the language ONE of chapter 7). Too few and too many are both wrong, so a line does not do: bend it.",
    language: builtin("ONE"),
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
    kind: "rows",
    degree: 2,
    lesson: "04_log_n_scaling",
    task: "Accept the strings that start with 1 again. Now only the first position is marked, and all marks are of one size; but every logit is multiplied by log n, n being the number of tokens (chapter 4).",
    language: builtin("FIRST"),
    reading: { ...SOFTMAX, log_n: true },
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
    id: "followed",
    title: "Every 0 has its 1",
    kind: "formula",
    degree: 2,
    lesson: "11_every_length",
    task: "Accept the strings in which every 0 is directly followed by a 1. A formula sees what stands before, not what comes: previous(φ) holds where φ held one position before.",
    language: expression("(1|01)*"),
    start: 'never(Q("0") and previous(Q("0")))',
    hint: "Two things may not be: a 0 right after a 0, and a 0 at the end. The second speaks of the last symbol.",
    solution: 'not Q("0") and never(Q("0") and previous(Q("0")))',
    why: "If a 0 is not followed by a 1, then a 0 follows it or the string ends.",
  },
  {
    id: "blocks",
    title: "First a, then b",
    kind: "formula",
    degree: 2,
    lesson: "08_formulas_to_transformers",
    task: "Accept the strings in which no a comes after a b: some a’s, then some b’s, either of them perhaps none.",
    alphabet: "ab",
    language: expression("a*b*"),
    start: 'count(Q("a")) >= count(Q("b"))',
    hint: 'Words may stand in words. once(Q("b")) holds from the first b on; what may never hold together with it?',
    solution: 'never(Q("a") and once(Q("b")))',
    why: "At an a after a b both hold; and if both hold at some position, there is an a with a b before it.",
  },
  {
    id: "string-clocks",
    title: "Find the string: two clocks",
    kind: "string",
    degree: 2,
    lesson: "11_every_length",
    task: "The formula speaks of lengths: divided by 3 they leave 2, divided by 5 they leave 3. The expression was meant to say so too. Find a string on which they part.",
    alphabet: "a",
    formula: "mod(3, 2) and mod(5, 3)",
    expression: "a{8}(a{30})*",
    hint: "Which lengths leave 2 and 3? They come back after 15, not after 30.",
    solution: "aaaaaaaaaaaaaaaaaaaaaaa",
    why: "8 is the least such length, and all others follow in steps of 15: 23 is the first that the expression leaves out. No shorter string will do.",
  },
  {
    id: "invariant",
    title: "Find the invariant",
    kind: "invariant",
    degree: 2,
    lesson: "11_every_length",
    task: "Can a row of the blocks aab, aba and baa be a row of a’s followed by as many b’s? Show that it cannot: write a formula that holds for every row of blocks and for none of ab, aabb, aaabbb, ..., up to forty symbols.",
    alphabet: "ab",
    expression: "(aab|aba|baa)*",
    start: 'count(Q("a")) > count(Q("b"))',
    rejects: Array.from({ length: 20 }, (_, i) => many("a", i + 1) + many("b", i + 1)),
    hint: "What do all three blocks have in common? On the empty row it must hold too.",
    solution: 'count(Q("a")) == 2*count(Q("b"))',
    why: "Each block brings two a’s and one b. So twice as many a’s as b’s hold after every block, and in no row of as many.",
  },
  {
    id: "dyck-1",
    title: "Brackets",
    kind: "rows",
    degree: 3,
    lesson: "08_formulas_to_transformers",
    task: "Accept the well-bracketed strings: as many are closed as were opened, and never more. With hardmax, which looks only where the logit is largest, and at all such places alike.",
    alphabet: "()",
    language: builtin("Dyck-1"),
    reading: HARDMAX,
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
    kind: "rows",
    degree: 3,
    lesson: "02_transformer_parity_first",
    task: "Accept the strings with an odd number k of 1s. Look at position k, and read there whether it is odd; with hardmax, a head looks only where its logit is largest. cos iπ is 1 at even positions and −1 at odd ones.",
    language: builtin("PARITY"),
    reading: HARDMAX,
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
    longer: OF_PARITY,
  },
  {
    id: "parity-one-head",
    title: "PARITY with one second-layer head",
    kind: "rows",
    degree: 3,
    lesson: "02_transformer_parity_first",
    task: "Accept the strings with an odd number k of 1s, with softmax, and with a single head in each layer. The paper’s transformer has two in its second layer, which compare odd positions with even ones; the rows mark position k as it does.",
    language: builtin("PARITY"),
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
    longer: OF_PARITY,
  },
  {
    id: "palindrome-two-layers",
    title: "PALINDROME in two layers",
    kind: "rows",
    degree: 3,
    lesson: "07_palindrome_precision",
    task: "Accept the strings that are their own reversal, with softmax and a single head in each layer. Every position looks at its mirror image; position i has it at n − 1 − i.",
    language: builtin("PALINDROME"),
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
  {
    id: "alternating",
    title: "ab, ab, ab",
    kind: "formula",
    degree: 3,
    lesson: "11_every_length",
    task: "Accept the rows of blocks ab: the empty string, ab, abab and so on. It can be done by comparing counts and nothing else.",
    alphabet: "ab",
    language: expression("(ab)*"),
    start: 'count(Q("a")) == count(Q("b"))',
    hint: "Count the b’s that have an a directly before them. How many are they, if every b has one, and if every a has its b?",
    solution: 'count(Q("a")) == count(Q("b")) == count(Q("b") and previous(Q("a")))',
    why: "If all b’s have an a before them and there are as many a’s, then every a has its b directly after it.",
    longer: [
      [many("ab", 20), true],
      [`${many("ab", 20)}a`, false],
      [`${many("ab", 10)}ba${many("ab", 10)}`, false],
      [`${many("ab", 10)}aabb${many("ab", 10)}`, false],
    ],
  },
  {
    id: "smaller-first",
    title: "The smaller formula for FIRST",
    kind: "formula",
    degree: 3,
    lesson: "11_every_length",
    task: "The string starts with 1. Say it with three parts only, and without the position.",
    language: formula('once(Q("1") and position == 1)'),
    rules: { parts: 3 },
    start: 'once(Q("1") and position == 1)',
    hint: "If a string starts with 1, then at its first position something has never happened.",
    solution: 'once(never(Q("0")))',
    why: "If there was a position before which, and at which, no 0 had come, then the first position is one: it holds a 1. And the empty string has none.",
  },
].map(puzzle => ({ alphabet: "01", reading: SOFTMAX, ...puzzle }));
