// What the page's modules say, without a browser: a line of stdin is the name of a question and a list
// of cases, a line of stdout the answers to them in order; an error is an answer too.

import { createInterface } from "node:readline";
import { against } from "../../chapters/_static/against.mjs";
import { asks, configured, dropped } from "../../chapters/_static/audit.mjs";
import { fromRows, toRows } from "../../chapters/_static/format.mjs";
import * as formulas from "../../chapters/_static/formulas.mjs";
import * as machines from "../../chapters/_static/machines.mjs";
import * as numbers from "../../chapters/_static/numbers.mjs";
import * as positions from "../../chapters/_static/positions.mjs";
import { PUZZLES } from "../../chapters/_static/puzzles.mjs";
import { toPython } from "../../chapters/_static/python.mjs";
import * as reader from "../../chapters/_static/reader.mjs";
import { automaton } from "../../chapters/_static/regular.mjs";
import { languageOf, memberOf } from "../../chapters/_static/specification.mjs";
import { sweep, words } from "../../chapters/_static/sweep.mjs";
import * as trained from "../../chapters/_static/trained.mjs";
import { computed, outputs, ruled } from "../../chapters/_static/turing.mjs";

const { FLOATS, exactly, float, rational, short } = numbers;

/** The entries of a tuple in an arithmetic as [middle, radius], of exact ones in units of 2^-bits. */
const pairs = (A, x) => x.map(value => Object.values(A.ball(value)));

/** What `make` gives, or nothing where it has no value. */
function unless(make) {
  try {
    return make();
  } catch {
    return [];
  }
}

const FUNCTIONS = { ...numbers, ...trained };
const bytes = text => Uint8Array.from(Buffer.from(text, "base64")).buffer;
const written = json => ({
  json: JSON.stringify(json),
  rows: toRows(json),
  python: toPython(json),
});

const QUESTIONS = {
  values: (name, xs) => xs.map(x => FUNCTIONS[name](x)),
  roundings: name => FUNCTIONS[name],
  number: text => [rational(text), float(rational(text)), short(rational(text))],

  /** What operations make of a tuple, rational or, in few bits, of powers of e. */
  arithmetic(bits, texts, rows, keys, values, eps) {
    const A = bits ? exactly(bits) : FLOATS;
    const vector = row => A.vector(row.map(rational));
    const x = bits ? texts.map(text => A.power(rational(text))) : vector(texts);
    const [form, ...forms] = rows.map(([terms, constant]) => ({
      terms: terms.map(([j, c]) => [j, rational(c)]),
      constant: rational(constant),
    }));
    const y = A.affine([form, ...forms])(x);
    const attended = (kind, bases) =>
      A.attend(kind, A.logarithm(bases.map(rational)), x, keys.map(vector), values.map(vector));
    return [
      () => x,
      () => y,
      () => A.relu(y),
      () => A.mean(y, 7),
      () => A.total(y, y),
      () => A.plus(x, [1, 0], y),
      () => A.standardized(x, A.number(rational(eps))),
      () => attended("softmax", []),
      () => attended("softmax", ["3/2"]),
      () => attended("hardmax", ["1/3", 5]),
    ].map(make => unless(() => pairs(A, make())));
  },
  /** The sign of the mean place of the largest logits, less 1. */
  tie: (kind, logits) =>
    [FLOATS, exactly(128)].map(A => {
      const [one, ...keys] = ["1", ...logits].map(text => A.vector([rational(text)]));
      const places = logits.map((_, j) => A.vector([rational(j)]));
      const mean = A.attend(kind, A.logarithm([]), one, keys, places);
      return A.signs(A.plus(mean, [0], A.vector([rational(-1)])))[0];
    }),
  position: (formula, n) => [
    Array.from({ length: n }, (_, i) => positions.position(formula)(i, n)),
    positions.column(formula, n),
    positions.dependsOnLength(formula),
  ],

  run(json, w) {
    const construction = reader.parse(json);
    const { logit, stages, attention } = reader.run(construction, w);
    const accepts = construction.accepts(logit);
    return { logit, accepts, stages: stages.map(({ stream }) => stream), attention };
  },
  decide: (json, w) => ({
    ...reader.decide(json, w),
    quick: reader.signOf(reader.logits(json)(w)),
  }),
  sweep: (json, language, settings) => sweep(json, memberOf(language), settings),

  puzzles: () => PUZZLES,
  /** The strings of up to a length in a language, or with a property. */
  members(said, alphabet, longest) {
    const symbols = [...alphabet];
    const property = () => languageOf({ language: "a property", ...said }, symbols);
    const lengths = Array.from({ length: longest + 1 }, (_, n) => [...words(symbols, n)]);
    return lengths.flat().filter(memberOf(said.property ? property() : said));
  },

  read: text => written(fromRows(text)),
  write: json => written(json),
  formula(text, alphabet, strings) {
    const tree = formulas.parseFormula(text, alphabet);
    const held = strings.map(w => formulas.holds(tree, w));
    return { text: tree.text, holds: held };
  },
  compile: (...how) => written(formulas.compiled(...how).json),

  against(...asked) {
    const { pairs, ...found } = against(...asked);
    return { ...found, pairs: pairs.map(({ remembers: _, ...pair }) => pair) };
  },
  automaton: (text, alphabet = "ab") => automaton(text, [...alphabet]),

  machine(text, options) {
    const { machine, lines } = machines.parse(text, options);
    for (const way of machines.WAYS) machines.compiled(machine, way); // which may refuse it
    return { machine, lines, printed: machines.printed(machine) };
  },
  turing([text, options], by, w, steps) {
    const { machine } = machines.parse(text, options);
    const transformer = machines.compiled(machine, by);
    const plain = ({ state, left, right }) => `${left}[${state}]${right}`;
    return [
      [...outputs(transformer, w).take(4 * steps)],
      [...computed(machine, transformer, w).take(steps).map(plain)],
      [...ruled(machine, w).take(steps).map(plain)],
    ];
  },

  tensor: (file, name) => trained.tensors(bytes(file)).get(name).read(),
  guess: file => trained.guessed(trained.tensors(bytes(file))),
  dropped: names => dropped(names.map(name => ({ name }))).map(({ name }) => name),
  configuration: (text, file) => configured(text, file && trained.tensors(bytes(file))),
  bound: (weight, n, m) => trained.normBound({ weight: Float64Array.from(weight), n, m }),
  outputs(file, shape, asked, rows) {
    const network = trained.network(trained.tensors(bytes(file)), shape);
    const reader = new trained.Reader(trained.judged(network, asked));
    return rows.map(row => {
      const { x, errors } = reader.read(row);
      return [[...x], [...errors]];
    });
  },
  audit(file, answers) {
    const steps = asks(trained.tensors(bytes(file)), answers);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return { ...step.value, sentences: trained.sentences(step.value) };
  },
};

/** Whole numbers of any size as text, arrays of any type as lists; what is not finite is null. */
function plain(_, value) {
  if (typeof value === "bigint") return String(value);
  return ArrayBuffer.isView(value) ? [...value] : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [name, cases] = JSON.parse(line);
  const answers = cases.map(given => {
    try {
      return QUESTIONS[name](...given);
    } catch (error) {
      const { message, line } = error;
      return { error: message, kind: error.name, line };
    }
  });
  console.log(JSON.stringify(answers, plain));
}
