// A guess before an answer: <p class="guess">more|fewer</p> becomes two buttons, and the one that is
// pressed opens the answer that follows. On paper every answer is open.

const ANSWERS = [...document.querySelectorAll("details")].filter(fold =>
  ["The answer", "Solution"].includes(fold.querySelector("summary")?.textContent.trim()),
);
const ON_PAPER =
  "details:is(.below-input, .above-output, .sd-dropdown, .lines, .solution):not([open])";

/** The first answer below an element. */
const following = element =>
  ANSWERS.find(fold => element.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);

for (const place of document.querySelectorAll("p.guess")) {
  const answer = following(place);
  const buttons = place.textContent.split("|").map(choice => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.trim();
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      answer.open = true;
    });
    return button;
  });
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "your guess");
  place.replaceChildren(...buttons);
  place.classList.add("alive");
}

// Browsers that print what `::details-content` shows need none of this.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll(ON_PAPER)];
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
});
