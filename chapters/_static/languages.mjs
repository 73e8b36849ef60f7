// The book's languages, as lib.languages and lib.formulas.stated have them: who belongs to them and,
// where one can say it so, a formula or an expression that every length can be held against.

const count = (w, a) => w.split(a).length - 1;

export const LANGUAGES = {
  FIRST: w => w[0] === "1",
  PARITY: w => count(w, "1") % 2 === 1,
  ONE: w => count(w, "1") === 1,
  PALINDROME: w => w === [...w].reverse().join(""),
  MAJORITY: w => count(w, "1") > count(w, "0"),
  "Dyck-1": w => {
    let depth = 0;
    for (const a of w) if ((depth += a === "(" ? 1 : -1) < 0) return false;
    return depth === 0;
  },
};

export const SYMBOLS = { "Dyck-1": "()" }; // of the others 01

export const WRITTEN = {
  FIRST: { expression: "1.*" },
  PARITY: { expression: "0*1(0*10*1)*0*" },
  ONE: { expression: "0*10*" },
  MAJORITY: { formula: 'count(Q("1")) > count(Q("0"))' },
  "Dyck-1": {
    formula: 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))',
  },
};

/** What the formulas to start from are held against: a language of the book, or written otherwise. */
export const OTHERWISE = {
  MAJORITY: { builtin: "MAJORITY" },
  "exactly two 1s": { expression: "0*10*10*" },
  "at least a third are 1s": { formula: '2*count(Q("1")) >= count(Q("0"))' },
  "Dyck-1": { builtin: "Dyck-1" },
  "a*b*": { expression: "a*b*" },
  aⁿbⁿcⁿ: {
    formula:
      'count(Q("a")) == count(Q("b")) == count(Q("c")) and never(Q("a") and previous(Q("b"))) and never((Q("a") or Q("b")) and previous(Q("c")))',
  },
  "PARITY, by halves": { builtin: "PARITY" },
};
