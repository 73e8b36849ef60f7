// What a page with the book's own modules says, as `playground.py` asks it.
import { compiled } from "./machines.mjs";
import { parse, run, withGain } from "./reader.mjs";
import { computed } from "./turing.mjs";

const data = await (await fetch("./playground.json")).json();

// The logits of a model of that name on fixtures; `eps` are the numbers that they name.
export function logits([name, cases, eps]) {
  const model = data.models.find(m => m.name === name);
  return cases.map(({ w, variant, c, eps: e, logN }) => {
    const json = withGain(model.variants[variant], c, model.scaled);
    const reading = { eps: eps[e], log_n: logN };
    return run(parse({ ...json, reading }), w).logit;
  });
}

// The first configurations of a machine of that name, computed by a network.
export function configurations([name, by, w, steps]) {
  const machine = data.machines.find(m => m.name === name);
  const found = [];
  for (const { state, left, right } of computed(machine, compiled(machine, by), w)) {
    found.push(`${left}[${state}]${right}`);
    if (found.length === steps) break;
  }
  return found;
}
