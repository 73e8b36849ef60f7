// Filters of the scorecard, by paper and by verdict; without this script the page shows every row, folded.
// The address holds them (#paper=C&verdict=differs), so that a link shows what its sender saw.

import { choice, element } from "./dom.mjs";

const every = "all";

function select(name, choices, change) {
  const made = choice([every, ...choices], every, change);
  return [element("label", {}, `${name} `, made), made];
}

for (const root of document.querySelectorAll(".scorecard")) {
  const shown = document.createElement("output");
  const [paperLabel, paper] = select(
    "Paper",
    root.dataset.papers.split("|").map(entry => entry.split("=")),
    chosen,
  );
  const [verdictLabel, verdict] = select("Verdict", root.dataset.verdicts.split("|"), chosen);
  const groups = [...root.querySelectorAll("details[data-paper]")];
  const filters = { paper, verdict };

  /** Shows what the filters ask for. */
  function filter() {
    let rows = 0;
    let lines = 0;
    for (const group of groups) {
      let some = 0;
      for (const line of group.querySelectorAll("tr[data-verdict]")) {
        line.hidden = verdict.value !== every && line.dataset.verdict !== verdict.value;
        some += !line.hidden;
      }
      group.hidden = some === 0 || (paper.value !== every && group.dataset.paper !== paper.value);
      group.open = verdict.value !== every;
      if (!group.hidden) {
        rows += 1;
        lines += some;
      }
      root.querySelector(`.squares [href="#${group.id}"]`)?.classList.toggle("off", group.hidden);
    }
    for (const heading of root.querySelectorAll("h2"))
      heading.hidden = groups.every(
        group => group.hidden || group.dataset.paper !== heading.dataset.of,
      );
    shown.textContent = `${rows} rows, ${lines} lines`;
  }

  /** Puts the filters into the address. */
  function chosen() {
    filter();
    const asked = Object.entries(filters).filter(([, input]) => input.value !== every);
    const hash = new URLSearchParams(asked.map(([name, input]) => [name, input.value]));
    history.replaceState(null, "", asked.length ? `#${hash}` : location.pathname + location.search);
  }

  /** Makes the filters what the address asks for; a link to a row opens it, and lifts those that hide it. */
  function read() {
    const hash = location.hash.slice(1);
    const asks = new URLSearchParams(hash.includes("=") ? hash : "");
    const row = groups.find(group => group.id === hash);
    if (!hash || hash.includes("=") || row?.hidden) {
      for (const [name, input] of Object.entries(filters)) {
        input.value = asks.get(name) ?? every;
        if (input.selectedIndex < 0) input.value = every;
      }
      filter();
    }
    if (!row) return;
    row.open = true;
    row.scrollIntoView();
  }

  const bar = element("div", { class: "filters" }, paperLabel, verdictLabel, shown);
  root.querySelector("h2").before(bar);
  filter();
  if (location.hash) read();
  window.addEventListener("hashchange", read);
}
