// The boxes of a page, and what answers them: a press acts on what stands in the boxes at that moment,
// and an answer goes when what it answers changes.

import { button, element } from "./dom.mjs";

const PAUSE = 150; // milliseconds after the last key, before what is typed is taken
const PRESS = 1000; // and while a pointer is down: nothing moves away under it

/**
 * What stands in the boxes of a page: `changed` says that it is something else, and takes it a moment
 * later, or before anything is pressed; `drop` says that it was taken. Both end the answer that is under
 * way, by its `signal`, and `clear` what is shown of one.
 */
export function watch(clear = () => {}) {
  let take = null; // what was typed and is not taken yet
  let timer = 0;
  let answer = new AbortController();
  const note = element("span", { class: "note", "aria-live": "polite" });

  function flush() {
    clearTimeout(timer);
    const taking = take;
    take = null;
    taking?.();
  }
  function drop() {
    clearTimeout(timer);
    take = null;
    answer.abort();
    answer = new AbortController();
    note.textContent = "";
    clear();
    return answer.signal;
  }
  function changed(taking) {
    drop();
    take = taking;
    timer = setTimeout(flush, PAUSE);
  }
  /** Copies a text and says so, or does `otherwise` where the browser refuses. */
  async function copy(text, otherwise) {
    const { signal } = answer;
    try {
      await navigator.clipboard.writeText(text);
      if (!signal.aborted) note.textContent = "copied";
    } catch {
      if (!signal.aborted) otherwise();
    }
  }
  /** A button that copies the address. */
  function linkButton() {
    const press = () =>
      copy(location.href, () => (note.textContent = "the link is in the address bar"));
    return element("div", {}, button("copy link", press), " ", note);
  }

  const isTyped = ({ key, target }) =>
    key !== undefined && key !== "Enter" && target.matches?.("input, textarea");
  function press(event) {
    if (isTyped(event)) return;
    flush();
    if (!event.target.isConnected) event.stopPropagation(); // what offered this has gone
  }
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, press, true);
  window.addEventListener("pagehide", flush);
  document.addEventListener(
    "pointerdown",
    () => {
      clearTimeout(timer);
      if (take) timer = setTimeout(flush, PRESS);
    },
    true,
  );
  return { flush, drop, changed, copy, linkButton, note, signal: () => answer.signal };
}
