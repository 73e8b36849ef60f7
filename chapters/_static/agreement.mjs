// Chapter 11's widget: a formula held against a regular expression, or another formula, with the pairs
// that the search meets.

import { against, isFormula } from "./against.mjs";
import { watch } from "./boxes.mjs";
import {
  briefly,
  button,
  choice,
  element,
  number,
  row,
  shortened,
  table,
  textBox,
} from "./dom.mjs";
import { FormulaError, parseFormula } from "./formulas.mjs";
import { OF_FORMULAS, mended, ofExpressions } from "./mends.mjs";
import { ExpressionError, automaton } from "./regular.mjs";

const EXAMPLES = [
  ["exactly two 1s", 'count(Q("1")) == 2', "0*10*10*"],
  ["exactly two 1s, with a slip", 'count(Q("1")) == 2', "0*10*1"],
  [
    "(ab)*",
    'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)',
    "(ab)*",
  ],
  [
    "every 0 directly followed by a 1",
    'not Q("0") and never(Q("0") and previous(Q("0")))',
    "(1|01)*",
  ],
  ["at most fifteen 1s, with a slip", 'count(Q("1")) <= 15', "0*(10*){0,14}"],
  ["pairs without end", 'count(Q("a")) != count(Q("b")) or mod(2, 0)', "(a|b)*"],
];
const ROWS = 8; // of pairs that are shown

/** The symbols that a formula asks for, if they are two; else those of the other text as well. */
function alphabetOf(text, other) {
  const asked = of =>
    [...of.matchAll(/Q\(\s*["']?([^"'])["']?\s*\)/gu)].map(([, symbol]) => symbol);
  const used = new Set(asked(text));
  const letters = of => of.replace(/\{[^}]*\}|ε/g, "").match(/[\p{L}\p{N}]/gu) ?? [];
  const more = isFormula(other) ? asked(other) : letters(other);
  if (used.size < 2 || isFormula(other)) for (const symbol of more) used.add(symbol);
  for (const symbol of "01") if (used.size < 2) used.add(symbol);
  return [...used].sort();
}

/** The answer in a sentence, about a formula and another or an expression. */
export function sentence(found, alphabet, second = "expression") {
  const { kind, states, length, counterexample, accepts } = found;
  if (kind === "proved") {
    const where =
      states === 1 ? "one pair, and in it" : `one of ${number(states)} pairs, and in each of them`;
    return `Proved for every length: all strings over ${alphabet.join(", ")} lead to ${where} both give the same answer.`;
  }
  if (kind === "wrong") {
    const [one, none] = accepts[0] ? ["formula", second] : [second, "formula"];
    return `Wrong: ${briefly(counterexample)} is the shortest string on which they differ: the ${one} accepts it, the ${none} does not.`;
  }
  return `Not decided: all strings up to length ${number(length)} agree, and after ${number(states - 1)} pairs new ones still appear.`;
}

function pairsTable({ pairs, kind }, alphabet) {
  const shown = [...pairs.entries()].slice(0, ROWS);
  if (kind === "wrong" && pairs.length > ROWS)
    shown.splice(-1, 1, [pairs.length - 1, pairs.at(-1)]);
  const finger = pairs[0].place === null ? [] : ["finger"];
  const heads = ["pair", "first string", "the formula remembers", ...finger, "accepted by"];
  const by = ({ formula, expression }) =>
    formula === expression ? (formula ? "both" : "neither") : formula ? "formula" : "expression";
  const rows = shown.map(([i, pair]) =>
    row(String(i + 1), [
      pair.string ? shortened(pair.string, 16) : element("i", {}, "empty"),
      pair.remembers,
      ...finger.map(() => pair.place),
      element("td", pair.formula === pair.expression ? {} : { class: "wrong" }, by(pair)),
      ...alphabet.map(a => (a in pair.next ? String(pair.next[a] + 1) : "")),
    ]),
  );
  const label = { "aria-label": "the pairs, and where each symbol leads" };
  const left = pairs.length - shown.length;
  return [
    table(label, [...heads, ...alphabet.map(a => `${a} →`)], rows),
    ...(left ? [element("p", {}, `and ${number(left)} more`)] : []),
  ];
}

/** What a page shows in `<div class="live" data-live="against">`. */
export function widget() {
  const fields = ["formula", "regular expression"].map(name => {
    const id = `against-${name.split(" ")[0]}`;
    const input = textBox({ id, "aria-describedby": `${id}-amiss`, oninput: later });
    return {
      input,
      label: element("label", {}, name, input),
      amiss: element("p", { id: `${id}-amiss`, class: "amiss", role: "status" }),
    };
  });
  const [formula, expression] = fields;
  const said = element("p", { role: "status" });
  const pairs = element("div", { class: "pairs" });
  const all = EXAMPLES.map(([name], i) => [i, name]);
  const examples = choice([["", "of your own"], ...all], "0", () => {
    if (examples.value) put(...EXAMPLES[examples.value].slice(1));
  });
  const boxes = watch();
  function later() {
    examples.value = "";
    boxes.changed(show);
  }
  function put(text, other) {
    formula.input.value = text;
    expression.input.value = other;
    show();
  }
  /** Says under a field what is wrong in it, with a button that mends it; whether nothing is. */
  function check({ input, amiss }, slips, read) {
    amiss.replaceChildren();
    input.removeAttribute("aria-invalid");
    try {
      read(input.value);
      return true;
    } catch (error) {
      if (!(error instanceof FormulaError || error instanceof ExpressionError)) throw error;
      const better = mended(input.value, slips, read);
      const mend = () => {
        input.value = better;
        input.focus();
        show();
      };
      amiss.append(`${error.message}. `);
      if (better !== null) amiss.append(button(`write ${better}`, mend));
      input.setAttribute("aria-invalid", "true");
      return false;
    }
  }
  function show() {
    boxes.drop();
    const [text, other] = fields.map(({ input }) => input.value);
    const alphabet = alphabetOf(text, other);
    const readsFormula = one => parseFormula(one, alphabet);
    const isOther = isFormula(other);
    const isRead = [
      check(formula, OF_FORMULAS, readsFormula),
      check(
        expression,
        isOther ? OF_FORMULAS : ofExpressions(alphabet),
        isOther ? readsFormula : one => automaton(one, alphabet),
      ),
    ].every(Boolean);
    said.textContent = "";
    pairs.replaceChildren();
    if (!isRead) return;
    try {
      const found = against(text, other, alphabet);
      said.textContent = sentence(found, alphabet, isOther ? "other formula" : "expression");
      pairs.append(...pairsTable(found, alphabet));
    } catch (error) {
      said.textContent = `Not decided: ${error.message}.`;
    }
  }
  put(...EXAMPLES[0].slice(1));
  const parts = fields.flatMap(({ label, amiss }) => [label, amiss]);
  return [element("label", {}, "example", examples), ...parts, said, pairs];
}
