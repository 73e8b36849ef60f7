// A guess before an answer: <p class="guess" data-right="1">more|fewer</p> becomes two buttons, of
// which the first is right. The one that is pressed opens the answer that follows and its reason, and
// the page says whether it was right and how many were so far. On paper every answer is open.

import { button, element } from "./dom.mjs";

const ANSWERS = [...document.querySelectorAll("details")].filter(fold =>
  ["The answer", "Solution"].includes(fold.querySelector("summary")?.textContent.trim()),
);
/** The first answer below an element. */
const following = element =>
  ANSWERS.find(fold => element.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);

/** An answer, and the reason that stands below it before anything else is asked. */
function unfolded(answer, next) {
  const reason = [...document.querySelectorAll("details.sd-dropdown")].find(
    fold =>
      /^Why/.test(fold.querySelector("summary")?.textContent.trim()) &&
      answer.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING &&
      !(next && next.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING),
  );
  return reason && isNear(answer, reason) ? [answer, reason] : [answer];
}

/** Whether no heading stands between two elements. */
const isNear = (above, below) =>
  ![...document.querySelectorAll("article :is(h2, h3)")].some(
    heading =>
      above.compareDocumentPosition(heading) & Node.DOCUMENT_POSITION_FOLLOWING &&
      heading.compareDocumentPosition(below) & Node.DOCUMENT_POSITION_FOLLOWING,
  );

const firsts = new Map(); // whether the first guess at each place was right
const GUESSES = [...document.querySelectorAll("p.guess")];
for (const [number, place] of GUESSES.entries()) {
  const folds = unfolded(following(place), GUESSES[number + 1]);
  const right = Number(place.dataset.right) - 1;
  const said = element("span", { role: "status" });
  const press = which => {
    buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(i === which)));
    for (const fold of folds) fold.open = true;
    if (!firsts.has(place)) firsts.set(place, which === right);
    const hits = [...firsts.values()].filter(Boolean).length;
    const score = `${hits} of ${firsts.size} right at first on this page`;
    said.textContent = Number.isNaN(right) ? "" : `${which === right ? "Right" : "No"}; ${score}.`;
  };
  const buttons = place.textContent
    .split("|")
    .map((text, i) => button(text.trim(), () => press(i), { "aria-pressed": "false" }));
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "your guess");
  place.replaceChildren(...buttons, said);
  place.classList.add("alive");
}
