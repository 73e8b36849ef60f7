// The book's languages, as lib.languages and lib.formulas.stated have them.

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
