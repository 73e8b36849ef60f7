// What a search shows of a page, without raw TeX. This module is on the page of results only, and
// runs after Sphinx's own script has come and before it begins.

const SIGNS = {
  alpha: "α",
  cdot: "·",
  delta: "δ",
  dots: "…",
  ell: "ℓ",
  epsilon: "ε",
  eta: "η",
  ge: "≥",
  infty: "∞",
  le: "≤",
  lfloor: "⌊",
  lvert: "|",
  ne: "≠",
  pi: "π",
  pm: "±",
  quad: " ",
  rfloor: "⌋",
  rvert: "|",
  sigma: "σ",
  sum: "∑",
  tfrac: "",
  times: "×",
  to: "→",
  varphi: "φ",
};

/** A formula as plain text. */
const plain = tex =>
  tex
    .replace(/^\\[([]|\\[)\]]$/g, "")
    .replace(/\\(?:math\w+|text|bar|tilde|operatorname)\{([^{}]*)\}/g, "$1")
    .replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\[dt]?frac(\d)(\d)/g, "$1/$2")
    .replace(/\\(?:left|right|[bB]igg?[lr]?)(?![a-z])/g, "")
    .replace(/\\([a-zA-Z]+)/g, (_, name) => SIGNS[name] ?? name)
    .replace(/\\[\\,;:! ]/g, " ")
    .replace(/[\\{}]/g, "")
    .replace(/\s+/g, " ")
    .trim();

const shown = Search.htmlToText;
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const formula of page.querySelectorAll(".math"))
    formula.textContent = plain(formula.textContent.trim());
  return shown(page.documentElement.outerHTML, anchor);
};
