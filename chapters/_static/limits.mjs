// How far the page's modules go: what each of them counts, and where it stops. The first part is
// lib's as well, by the names beside it: tests/page/test_turing.py holds both to each other.

export const FORMULA = 10_000; // characters of a formula, written out too: lib.formulas.text.LONGEST
export const DEEPEST = 100; // levels of brackets and operations: lib.formulas.text.DEEPEST
export const MADE = 5_000; // parts of one transformer: lib.formulas.compilation.MADE
export const PAIRS = 4_000; // looked at by a search: lib.proofs.equal.STATES
export const LENGTH = 12; // symbols of the strings that are tried: lib.judging.judge's default

// The page's own: a browser has less time than a reader of Python.
export const SWEPT = 10_000; // strings that are tried, each exactly
export const TYPED = 20_000; // characters that a reader types in one box, and of a link
export const EXPRESSION = 300; // signs of an expression
export const NODES = 3_000; // of a graph, and states of an expression
export const BRANCHES = 60_000; // arrows that are tried
export const ROUNDS = 300; // in which classes part
export const LARGEST = 1e9; // number in a formula that is held against something
