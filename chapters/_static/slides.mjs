// One slide at a time, by keys or buttons; without this module, and on paper, they stand one below
// the other.

const deck = document.querySelector(".deck");
const slides = [...deck.querySelectorAll(".slide")];
const place = document.createElement("output");
const last = slides.length - 1;
let now = 0;

const show = number => {
  now = Math.max(0, Math.min(last, number));
  for (const [k, slide] of slides.entries()) slide.classList.toggle("off", k !== now);
  place.textContent = `${now + 1} of ${slides.length}`;
  deck.scrollTop = 0;
};
const turn = number => {
  show(number);
  history.replaceState(null, "", `#${slides[now].id}`);
};
const follow = () => show(slides.findIndex(slide => `#${slide.id}` === location.hash));
const button = (text, action) => {
  const made = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: text,
  });
  made.addEventListener("click", action);
  return made;
};

const bar = Object.assign(document.createElement("p"), { className: "steps" });
bar.append(
  button("Previous", () => turn(now - 1)),
  button("Next", () => turn(now + 1)),
  place,
);
if (document.fullscreenEnabled) bar.append(button("Full screen", () => deck.requestFullscreen()));
deck.prepend(bar);
deck.classList.add("alive");
follow();
addEventListener("hashchange", follow);
addEventListener("keydown", event => {
  const { key, target } = event;
  const before = ["ArrowLeft", "PageUp"].includes(key) && now - 1;
  const after = ["ArrowRight", "PageDown"].includes(key) && now + 1;
  const to = { Home: 0, End: last }[key] ?? (before === false ? after : before);
  const isBusy = target.closest("input, dialog") || target.scrollWidth > target.clientWidth + 1;
  if (to === false || isBusy || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  turn(to);
});
