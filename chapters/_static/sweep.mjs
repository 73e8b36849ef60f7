// Every string to a length: does a construction decide a language? As a function, and as a worker
// (`new Worker(new URL("./sweep.mjs", import.meta.url), { type: "module" })`).

import { LANGUAGES } from "./languages.mjs";
import { alphabetOf, decide, glance, judged } from "./reader.mjs";

/**
 * Whether a string belongs to a language that is given as data: {kind: "builtin", name}, {kind:
 * "list", strings} or {kind: "formula", text, alphabet}.
 */
export async function membership({ kind, name, strings, text, alphabet }) {
  if (kind === "builtin" && Object.hasOwn(LANGUAGES, name)) return LANGUAGES[name];
  if (kind === "list") {
    const all = new Set(strings);
    return w => all.has(w);
  }
  if (kind === "formula") {
    const { holds, parseFormula } = await import("./formulas.mjs");
    const tree = parseFormula(text, alphabet);
    return w => holds(tree, w);
  }
  throw new Error(`no language ${JSON.stringify(name ?? kind)}`);
}

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

/**
 * Goes through every string to a length, shorter ones first, to the first one on which the
 * construction does not say what `belongs` says: the shortest counterexample, "wrong" or
 * "undecided". Gives it with what `decide` says of it, how many strings were tried, and to which
 * length all of them were right (-1: none). float64 answers where it proves the sign, else `decide`.
 */
export function sweep(json, belongs, settings = {}, onProgress = () => {}) {
  const { longest = 12, options = {}, alphabet = alphabetOf(json) } = settings;
  const symbols = [...alphabet];
  const quick = glance(json, options);
  let strings = 0;
  let reported = performance.now();
  for (let length = 0; length <= longest; length++) {
    for (const w of words(symbols, length)) {
      strings++;
      let accepts = judged(json, quick(w));
      if (accepts === null) ({ accepts } = decide(json, w, options));
      if (accepts !== belongs(w)) {
        const kind = accepts === null ? "undecided" : "wrong";
        const decision = decide(json, w, options);
        return { counterexample: w, kind, decision, strings, longest: length - 1 };
      }
      if (strings % 64 === 0 && performance.now() - reported > OFTEN) {
        onProgress({ length, strings, of: symbols.length ** length });
        reported = performance.now();
      }
    }
    onProgress({ length, strings, done: true });
  }
  return { counterexample: null, kind: null, decision: null, strings, longest };
}

/**
 * `sweep` in a worker of its own, for a language as data: a promise of the answer, and `stop`, after
 * which none comes.
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

if (globalThis.location?.href === import.meta.url && typeof document === "undefined")
  globalThis.onmessage = async ({ data: { json, language, settings } }) => {
    try {
      const belongs = await membership(language);
      const result = sweep(json, belongs, settings, progress => postMessage({ progress }));
      postMessage({ result });
    } catch (error) {
      postMessage({ error: error.message });
    }
  };
