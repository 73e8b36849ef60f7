// What the workshop says of a reader's transformer and of the language that was meant: in sentences,
// each with how much was shown.

import { briefly, length, number, plural } from "./dom.mjs";
import { decide, judged, logits, signOf } from "./reader.mjs";
import { answerOf, memberOf } from "./specification.mjs";
import { words } from "./sweep.mjs";

const READ = 200; // symbols of a string whose logit is read with what precision it takes
const FIRSTS = 6; // strings of each kind that are shown,
const LOOKED = 128; // among the first so many: those of two symbols to length 6

/** The size of an answer: of rows, of a formula, or of a string. */
export function sizeText({ layers, heads, coordinates, coefficients, parts, symbols }) {
  if (parts !== undefined) return plural(parts, "part");
  if (symbols !== undefined) return plural(symbols, "symbol");
  return `${plural(layers, "layer")}, ${plural(heads, "head")}, ${plural(coordinates, "coordinate")}, ${plural(coefficients, "nonzero coefficient")}`;
}

/** A logit as it is read: its sign with a true minus. */
export const logitText = text => text.replaceAll("-", "−");

/** What happened to a string that was not decided as it should be. */
export const mistake = (w, accepts, name) =>
  accepts === null
    ? `${briefly(w)} is not decided: no precision that was tried tells the sign of its score.`
    : `${briefly(w)} is ${accepts ? "accepted, but is not" : "rejected, but is"} in ${name}.`;

// ---- before it is judged ----

/**
 * The first strings that `accepts` says yes and no to, as two lists, from the shortest on, and to
 * which length all were looked at.
 */
function firstsOf(alphabet, accepts) {
  const found = [[], []];
  let tried = 0;
  for (let n = 0; ; n++)
    for (const w of words(alphabet, n)) {
      if (tried++ === LOOKED || found.every(list => list.length === FIRSTS))
        return { found, looked: n - 1 };
      const says = accepts(w);
      const list = found[says ? 0 : 1];
      if (says !== null && list.length < FIRSTS) list.push(w);
    }
}

/** How a construction is read on short strings: by its formula, where that says the same. */
export function reading({ json, isExact, normal }, alphabet) {
  if (isExact) return memberOf({ kind: "formula", text: normal, alphabet });
  const read = logits(json);
  return w => judged(json, signOf(read(w))) ?? decide(json, w).accepts;
}

/**
 * The first strings that a language accepts and rejects, and those of a reader's own: rows of
 * [name, accepted, rejected, to which length], each string with whether the two differ on it.
 */
export function firsts(language, made, alphabet) {
  const ours = language && answerOf(language);
  const yours = made && reading(made, alphabet);
  const differs = w => Boolean(ours && yours) && ours(w) !== null && ours(w) !== yours(w);
  const compared = own => {
    const { found, looked } = firstsOf(alphabet, own);
    return [...found.map(list => list.map(w => ({ w, differs: differs(w) }))), looked];
  };
  return [
    ...(ours ? [["the language", ...compared(ours)]] : []),
    ...(yours ? [["yours", ...compared(yours)]] : []),
  ];
}

// ---- the verdict ----

const tried = ({ strings, longest }) =>
  `all ${plural(strings, "string")} up to length ${longest}, each decided exactly`;

/** Where the logit is nearest to 0, and how near the next one is. */
function margins({ nearest = [] }, json) {
  if (json.activation === "indicator" || !nearest.length) return "";
  const [first, second] = nearest.map(
    ({ w, text, accepts }) =>
      `${briefly(w)}, ${accepts ? "accepted" : "rejected"} by ${logitText(text)}`,
  );
  return ` Its score is nearest to 0 on ${first}${second ? `; the next nearest is on ${second}` : ""}.`;
}

/** A counterexample, which way it is wrong, by which logit, and the next one. */
function blamed({ counterexample: w, kind, decision, next }, name, before) {
  const { accepts, text } = decision;
  const logit = text && accepts !== null ? ` Its score is ${logitText(text)}.` : "";
  const other = next
    ? ` The next ${next.accepts === null ? "undecided" : "wrong"} one is ${briefly(next.w)}${next.accepts === null ? "" : next.accepts ? ", accepted" : ", rejected"}.`
    : "";
  return {
    is: kind,
    text: `${kind === "undecided" ? "Undecided" : "Wrong"}: ${mistake(w, accepts, name)}${logit} ${before}${other}`,
    w,
  };
}

/**
 * The verdict on what was `made`, from what a worker found (`sweep`, and `closed`): which it `is`
 * ("right" on what was tried, "proved" for every length), its text, and the string `w` to look at,
 * where there is one. It never says more than was shown.
 */
export function verdict(found, made, language, alphabet) {
  const { name, kind, inside = [], outside = [], normal } = language;
  const { closed } = found;
  if (found.counterexample !== null) {
    const before = outside.length
      ? `It is the first of the listed strings that is decided incorrectly.`
      : found.counterexample === ""
        ? ""
        : `Every shorter string is decided correctly; ${plural(found.strings, "string")} were tried.`;
    return blamed(found, name, before);
  }
  if (closed?.kind === "wrong") {
    const w = closed.counterexample;
    const decision =
      length(w) <= READ ? decide(made.json, w) : { accepts: closed.accepts[0], text: "" };
    const before = "No shorter string is wrong: a search over what both remember found it.";
    return blamed({ counterexample: w, kind: "wrong", decision }, name, before);
  }
  if (kind === "examples") {
    const what = outside.length
      ? `the ${plural(inside.length + outside.length, "string")} of your lists, each decided exactly`
      : tried(found);
    const rest = outside.length ? "other strings" : "longer strings";
    return {
      is: "right",
      text: `Right on ${what}. Nothing is claimed about ${rest}.${margins(found, made.json)}`,
    };
  }
  if (normal !== undefined && normal === made.normal)
    return {
      is: "undecided",
      text: "Nothing was tested: the language is given by the same formula. Give it by an expression or by examples.",
    };
  const near = margins(found, made.json);
  if (closed?.kind === "proved") {
    const closes = `a search over what both remember closed at ${plural(closed.states, "pair")}`;
    return {
      is: "proved",
      text: `Proved for every length: your formula accepts exactly ${name} (${closes}), and its margins prove that the transformer says what the formula says. It is also right on ${tried(found)}.${near}`,
    };
  }
  const why =
    closed === null || closed === undefined
      ? made.normal === undefined
        ? "rows are tried string by string"
        : made.isExact
          ? `${name} cannot be written as an expression or a formula here`
          : "read this way, the formula’s margins prove nothing"
      : (closed.reason ?? `after ${number(closed.states - 1)} pairs new ones still appeared`);
  const further =
    closed && made.isExact && closed.length > found.longest
      ? ` The formula agrees with ${name} up to length ${number(closed.length)}.`
      : "";
  return {
    is: "right",
    text: `Right on ${tried(found)}.${further} Nothing is proved about longer strings: ${why}.${near}`,
  };
}
