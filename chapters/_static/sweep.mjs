// Every string to a length: does a construction decide a language? As a function, and as a worker
// (`new Worker(new URL("./sweep.mjs", import.meta.url), { type: "module" })`).

import { LENGTH } from "./limits.mjs";
import { alphabetOf, decide, judged, logits, signOf } from "./reader.mjs";
import { everyLength, memberOf } from "./specification.mjs";

/** Every string of a length, in alphabetical order. */
export function* words(alphabet, length) {
  const places = Array(length).fill(0);
  while (true) {
    yield places.map(place => alphabet[place]).join("");
    let i = length - 1;
    while (i >= 0 && places[i] === alphabet.length - 1) places[i--] = 0;
    if (i < 0) return;
    places[i]++;
  }
}

const OFTEN = 50; // ms between two reports
const ALIKE = 1e-9; // margins that differ by less, relatively, are one

/** The two smallest of the sizes that differ, each with the first string that has it. */
function nearer(found, w, size) {
  if (found.some(one => Math.abs(one.size - size) <= ALIKE * size)) return found;
  return [...found, { w, size }].sort((one, other) => one.size - other.size).slice(0, 2);
}

/**
 * Goes through every string to a length, shorter ones first, or through `only` these, to the first
 * one on which the construction does not say what `belongs` says: the shortest counterexample,
 * "wrong" or "undecided". Gives it with what `decide` says of it, how many strings were tried, and
 * to which length all of them were right (-1: none). float64 answers where it proves the sign, else
 * `decide`. With `inFull` also the strings with the two smallest margins, `nearest`, and the `next`
 * string that is wrong, if it is at most one symbol longer.
 */
export function sweep(json, belongs, settings = {}, onProgress = () => {}) {
  const { longest = LENGTH, alphabet = alphabetOf(json), only = null } = settings;
  const { inFull = false } = settings;
  const symbols = [...alphabet];
  const lengths =
    only ?? Array.from({ length: longest + 1 }, (_, length) => words(symbols, length));
  const read = logits(json);
  const last = { counterexample: null, kind: null, decision: null, next: null };
  let [strings, reported, near, found] = [0, performance.now(), [], null];
  const result = more => ({
    ...last,
    strings,
    longest,
    nearest: near.map(({ w }) => ({ w, ...decide(json, w) })),
    ...more,
  });
  for (const [place, all] of lengths.entries()) {
    const length = only ? [...(all[0] ?? "")].length : place;
    if (found && length > found.length + 1) break;
    for (const w of all) {
      if (!found) strings++;
      const logit = read(w);
      let accepts = judged(json, signOf(logit));
      if (accepts === null) ({ accepts } = decide(json, w));
      if (accepts !== belongs(w)) {
        if (found) return result({ ...found.said, next: { w, accepts } });
        const kind = accepts === null ? "undecided" : "wrong";
        const decision = decide(json, w);
        found = { length, said: { counterexample: w, kind, decision, longest: length - 1 } };
        if (!inFull) return result(found.said);
      } else if (inFull && !found && logit) near = nearer(near, w, Math.abs(logit.m));
      if (strings % 64 === 0 && performance.now() - reported > OFTEN) {
        onProgress({ length, strings });
        reported = performance.now();
      }
    }
    if (!found) onProgress({ length, strings });
  }
  return result(found?.said);
}

/**
 * `sweep` in a worker of its own, for a language as data: a promise of the answer, and `stop`, after
 * which none comes. With a `formula` in the settings it comes with `closed`: what `against` finds of
 * the formula and the language at every length, or null where the language cannot be written so.
 */
export function inWorker(json, language, settings = {}, onProgress = () => {}) {
  const worker = new Worker(new URL("./sweep.mjs", import.meta.url), { type: "module" });
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data: { progress, result, error } }) => {
      if (progress) onProgress(progress);
      else {
        worker.terminate();
        if (error) reject(new Error(error));
        else resolve(result);
      }
    };
    worker.onerror = event => {
      worker.terminate();
      reject(new Error(event.message || "the worker could not be started"));
    };
  });
  worker.postMessage({ json, language, settings });
  return { answer, stop: () => worker.terminate() };
}

/** What a search says of a formula and a language at every length; null where it cannot be asked. */
async function atEveryLength({ formula, implied = false, alphabet }, language) {
  if (formula === undefined) return null;
  const other = everyLength(language);
  if (!other) return null;
  const { against } = await import("./against.mjs");
  const { ofFormula, text } = other;
  try {
    const { pairs: _, ...found } = against(formula, text, alphabet, { ofFormula, implied });
    return found;
  } catch (error) {
    return { kind: "unknown", length: -1, counterexample: null, reason: error.message };
  }
}

if (globalThis.location?.href === import.meta.url && typeof document === "undefined")
  globalThis.onmessage = async ({ data: { json, language, settings } }) => {
    try {
      const closed = await atEveryLength(settings, language);
      const progress = found => postMessage({ progress: found });
      const result = settings.implied ? {} : sweep(json, memberOf(language), settings, progress);
      postMessage({ result: { ...result, closed } });
    } catch (error) {
      postMessage({ error: error.message });
    }
  };
