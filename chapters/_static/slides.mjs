// One slide at a time, by keys or buttons, as small as the window asks for; the entries of a list come
// one by one. N shows what the lesson says beside the slide. Without this module, and on paper, slides
// stand one below the other, whole and without notes.

import { button, element } from "./dom.mjs";

const deck = document.querySelector(".deck");
const slides = [...deck.querySelectorAll(".slide")];
const place = document.createElement("output");
const last = slides.length - 1;
let now = 0;

const show = number => {
  now = Math.max(0, Math.min(last, number));
  for (const [k, slide] of slides.entries()) slide.classList.toggle("off", k !== now);
  place.textContent = `${now + 1} of ${slides.length}`;
  fit();
  slides[now].scrollIntoView({ block: "nearest" });
};

/** Makes the slide that is seen as small as the window asks for, to a half. */
function fit() {
  const slide = slides[now];
  slide.style.zoom = 1;
  const room = innerHeight - (document.fullscreenElement ? 60 : 140);
  const height = slide.scrollHeight;
  if (innerWidth > 720 && height > room) slide.style.zoom = Math.max(0.5, room / height);
}

const entries = slide => [...slide.querySelectorAll(":scope > .cell_output li")];
/** Shows so many entries of a slide's lists. */
const build = (slide, shown) =>
  entries(slide).forEach((entry, k) => entry.classList.toggle("later", k >= shown));
const turn = number => {
  const later = slides[now].querySelector(".later");
  if (number === now + 1 && later) return later.classList.remove("later");
  const isNext = number === now + 1;
  show(number);
  build(slides[now], isNext ? 1 : Infinity);
  history.replaceState(null, "", `#${slides[now].id}`);
};
const follow = () => show(slides.findIndex(slide => `#${slide.id}` === location.hash));
const bar = element(
  "p",
  { class: "steps" },
  button("Previous", () => turn(now - 1)),
  button("Next", () => turn(now + 1)),
  place,
);
if (document.fullscreenEnabled) bar.append(button("Full screen", () => deck.requestFullscreen()));
const notes = button("Notes", () => {
  deck.classList.toggle("noted");
  notes.setAttribute("aria-pressed", String(deck.classList.contains("noted")));
  fit();
});
notes.setAttribute("aria-pressed", "false");
bar.append(notes);
deck.prepend(bar);
deck.classList.add("alive");
follow();
addEventListener("hashchange", follow);
for (const change of ["resize", "fullscreenchange"]) addEventListener(change, fit);
for (const image of deck.querySelectorAll("img")) image.addEventListener("load", fit);
globalThis.MathJax?.startup?.promise?.then(fit);
addEventListener("keydown", event => {
  const { key, target } = event;
  if (key === "n" && !target.closest("input, dialog")) notes.click();
  const isSpace = key === " " && !target.closest("button, summary"); // which it presses
  const before = (["ArrowLeft", "PageUp"].includes(key) || (isSpace && event.shiftKey)) && now - 1;
  const after = (["ArrowRight", "PageDown"].includes(key) || isSpace) && now + 1;
  const to = { Home: 0, End: last }[key] ?? (before === false ? after : before);
  const isBusy = target.closest("input, dialog") || target.scrollWidth > target.clientWidth + 1;
  if (to === false || isBusy || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  turn(to);
});
