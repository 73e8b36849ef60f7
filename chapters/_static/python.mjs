// Constructions and experiments of the workshop as Python.

import { built, isAsMeant, languageOf, longestOf, puzzleOf } from "./experiment.mjs";
import { inOrder } from "./format.mjs";
import { joined } from "./forms.mjs";
import { LENGTH } from "./limits.mjs";
import { alphabetOf } from "./reader.mjs";
import { everyLength } from "./specification.mjs";

const PYTHON = {
  MAJORITY: ["lib.formulas.stated", "MAJORITY", ".language"],
  "Dyck-1": ["lib.formulas.stated", "DYCK_1", ".language"],
};

const text = of => JSON.stringify(of); // as Python writes it, too

/** A language in Python: what is imported for it, and how it is written. */
function languageInPython({ kind, name, alphabet, inside, outside, text: said }) {
  const symbols = text([...alphabet].join(""));
  if (kind === "formula")
    return ["from lib.formulas import formula\n", `formula(${text(said)}, ${symbols})`];
  if (kind === "expression")
    return ["from lib.proofs import regular\n", `regular(${text(said)}, ${symbols})`];
  if (kind === "builtin") {
    const [module, named, way] = PYTHON[name] ?? ["lib.languages", name, ""];
    return [`from ${module} import ${named}\n`, `${named}${way}`];
  }
  const all = (list, is) => list.map(w => text(w) + is);
  if (!outside.length) return ["", `lambda w: w in [${all(inside, "").join(", ")}]`];
  return ["", `{${[...all(inside, ": True"), ...all(outside, ": False")].join(", ")}}`];
}

/** Python that makes the construction and asks for the same verdict. */
export function asPython(state) {
  const { json, isExact } = built(state);
  const alphabet = alphabetOf(json);
  const language = languageOf(state, alphabet);
  const { kind, inside = [], outside = [] } = language;
  const most =
    kind === "examples" ? Math.max(...[...inside, ...outside].map(w => [...w].length)) : LENGTH;
  const longest = Math.min(longestOf(alphabet.length), most);
  const puzzle = puzzleOf(state);
  const isRows = (puzzle?.kind ?? state.made) === "rows";
  const of = puzzle
    ? [state.formula, puzzle.alphabet, "hardmax"]
    : [state.formula, state.symbols, state.kind];
  const machine = `from lib.formulas import compiled\n\nmachine = compiled(${of.map(text).join(", ")})\n`;
  const made = isRows
    ? toPython(json)
    : puzzle || isAsMeant(state)
      ? `${machine}construction = machine.construction\n`
      : `from dataclasses import replace\n\n${machine}\nfrom lib.transformer import Reading\n\nconstruction = replace(machine.construction, reading=${readingInPython(json)})\n`;
  const written = isExact ? everyLength(language) : null;
  const [imports, meant] = languageInPython(
    written
      ? { ...written, kind: written.ofFormula ? "formula" : "expression", alphabet }
      : language,
  );
  return `${made}\nfrom lib.judging import judge\n${imports}\nprint(judge(${isExact ? "machine" : "construction"}, ${meant}, longest=${longest}))\n`;
}

// ---- a construction ----

const size = number => number.replace("-", "");

const numberInPython = c => {
  const [, n, d] = /^(-?\d+)(?:\/(\d+))?$/.exec(c);
  return d ? `Fraction(${n}, ${d})` : n;
};

/** How a construction must be read; an eps that is no text stands for what it stores. */
function readingInPython({ reading: { attention, eps = null, log_n: logN } }) {
  const parts = [
    `attention=${text(attention)}`,
    ...(eps === null ? [] : [`eps=${typeof eps === "number" ? eps : numberInPython(eps)}`]),
    ...(logN ? ["log_n=True"] : []),
  ];
  return `Reading(${parts.join(", ")})`;
}

/** Python code that makes a construction, from its JSON. */
export function toPython(json) {
  const form = data => {
    const constant = data[""];
    const pieces = inOrder(data, json.space).map(([name, c]) => {
      const x = `S[${text(name)}]`;
      return [c, size(c) === "1" ? x : `${numberInPython(size(c))} * ${x}`];
    });
    if (!pieces.length) return constant ? `Form(constant=${numberInPython(constant)})` : "Form()";
    return joined(constant ? [...pieces, [constant, numberInPython(size(constant))]] : pieces);
  };
  const group = (open, items, close) => ({ open, items: items.filter(Boolean), close });
  const list = (name, items) => group(`${name}[`, items, "]");
  const mapping = (name, object, value) =>
    group(
      `${name}={`,
      Object.entries(object).map(([key, x]) => value(text(key), x)),
      "}",
    );
  const keyed = (key, x) => `${key}: ${form(x)}`;
  const head = ({ v, q, k, gain, base, mask }) =>
    group(
      "Head(",
      [
        mapping("v", v, keyed),
        q.length && list("q=", q.map(form)),
        q.length && list("k=", k.map(form)),
        gain !== "1" && `gain=${numberInPython(gain)}`,
        base && `base=${numberInPython(base)}`,
        mask && `mask=${text(mask)}`,
      ],
      ")",
    );
  const network = ({ hidden, out, bias }) =>
    group(
      "ffn=FFN(",
      [
        list("hidden=", hidden.map(form)),
        mapping("out", out, (key, row) => list(`${key}: `, row.map(numberInPython))),
        Object.keys(bias).length &&
          mapping("bias", bias, (key, b) => `${key}: ${numberInPython(b)}`),
      ],
      ")",
    );
  const layer = ({ heads, ffn, rewrites }) =>
    group(
      "Layer(",
      [
        heads.length && list("heads=", heads.map(head)),
        ffn && network(ffn),
        rewrites.length && list("rewrites=", rewrites.map(text)),
      ],
      ")",
    );
  const code = [
    group("S = Space(", json.space.map(text), ")"),
    group(
      "construction = Construction(",
      [
        "S",
        mapping("word", json.word, keyed),
        mapping("position", json.position, keyed),
        list("layers=", json.layers.map(layer)),
        `output=${form(json.output)}`,
        `name=${text(json.name)}`,
        json.activation !== "sigmoid" && `activation=${text(json.activation)}`,
        json.readout !== "CLS" && `readout=${text(json.readout)}`,
        json.reading && `reading=${readingInPython(json)}`,
      ],
      ")",
    ),
  ].map(part => printed(part, 0));
  const used = ["FFN", "Construction", "Form", "Head", "Layer", "Reading", "Space"].filter(name =>
    code.some(part => part.includes(`${name}(`)),
  );
  const fractions = code.some(part => part.includes("Fraction("))
    ? "from fractions import Fraction\n\n"
    : "";
  return `${fractions}from lib.transformer import ${used.join(", ")}\n\n${code.join("\n")}\n`;
}

const WIDTH = 100;

/** Code on one line where it fits, else each item of a group on its own. */
function printed(code, indent) {
  if (typeof code === "string") return code;
  const flat = oneLine(code);
  if (indent + flat.length < WIDTH) return flat;
  const inside = " ".repeat(indent + 4);
  const items = code.items.map(item => `${inside}${printed(item, indent + 4)},\n`);
  return `${code.open}\n${items.join("")}${" ".repeat(indent)}${code.close}`;
}

const oneLine = code =>
  typeof code === "string" ? code : code.open + code.items.map(oneLine).join(", ") + code.close;
