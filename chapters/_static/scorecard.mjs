// Filters of the scorecard, by paper and by verdict; without this script the page shows every row.

const every = "all";

function select(name, options, change) {
  const label = document.createElement("label");
  const made = document.createElement("select");
  label.append(`${name} `, made);
  for (const [value, text] of [[every, every], ...options]) made.add(new Option(text, value));
  made.addEventListener("change", change);
  return [label, made];
}

for (const root of document.querySelectorAll(".scorecard")) {
  const shown = document.createElement("output");
  const [paperLabel, paper] = select(
    "Paper",
    root.dataset.papers.split("|").map(entry => entry.split("=")),
    filter,
  );
  const [verdictLabel, verdict] = select(
    "Verdict",
    root.dataset.verdicts.split("|").map(name => [name, name]),
    filter,
  );
  function filter() {
    let groups = 0;
    let lines = 0;
    for (const group of root.querySelectorAll("tbody")) {
      let some = 0;
      for (const line of group.querySelectorAll("tr[data-verdict]")) {
        line.hidden = verdict.value !== every && line.dataset.verdict !== verdict.value;
        some += !line.hidden;
      }
      group.hidden = some === 0 || (paper.value !== every && group.dataset.paper !== paper.value);
      if (!group.hidden) {
        groups += 1;
        lines += some;
      }
    }
    shown.textContent = `${groups} rows, ${lines} lines`;
  }
  const filters = document.createElement("div");
  filters.className = "filters";
  filters.append(paperLabel, verdictLabel, shown);
  root.prepend(filters);
  filter();
}
