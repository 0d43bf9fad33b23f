// Starts chosen by hand: "kappa,nu,theta,eta,rho;..." in the address, by a click or by numbers.

import { isValue, rule } from "./controls.js";
import { element, say } from "./dom.js";

const facts = (lab) => lab.view("curves").facts;
const written = (state) => state.get("starts").split(";").filter(Boolean);

export function startsOf(lab) {
  const { overlaps, most_runs: most } = facts(lab);
  return written(lab.state).slice(0, most).map((text) => {
    const numbers = text.split(",").map(Number);
    const at = (i) => (Number.isFinite(numbers[i]) ? numbers[i] : 0);
    return Object.fromEntries(overlaps.map((name, i) => [name, at(i)]));
  });
}

/** Begin a run at these alignments, on the slice that is shown. */
export function addStart(lab, kappa, nu) {
  const { state } = lab;
  const starts = written(state);
  const { most_runs: most } = facts(lab);
  if (starts.length >= most) {
    say(`At most ${most} runs at once; clear some first.`, "error");
    return;
  }
  const short = (x) => String(Number(x.toFixed(3)));
  const numbers = [kappa, nu, state.get("theta"), state.get("eta"), state.get("rho")].map(short);
  while (numbers.length > 2 && numbers.at(-1) === "0") numbers.pop();
  state.set({ starts: [...starts, numbers.join(",")].join(";"), t: 1, run: starts.length });
}

/** Buttons and fields for starts, the keyboard's way to what a click does. */
export function startBar(lab) {
  const { state } = lab;
  const boxes = facts(lab).start.map((field) => [field, element("input", {
    type: "text", inputmode: "decimal", id: `start-${field.name}`, value: String(field.default),
    "aria-label": `${field.name} of a new start`,
  })]);
  const add = () => {
    const wrong = boxes.find(([field, box]) => !isValue(field, box.value));
    if (wrong) say(`${wrong[0].label} must be ${rule(wrong[0])}.`, "error");
    else addStart(lab, ...boxes.map(([, box]) => Number(box.value)));
  };
  const random = () => {
    const seed = (state.get("seed") + 1) % (lab.field("seed").high + 1);
    state.set({ starts: "", seed, t: 1, run: 0 });
  };
  const muted = (text) => element("span", { class: "muted" }, text);
  return element("div", { class: "row", role: "group", "aria-label": "Starts" },
    element("button", { type: "button", id: "random-starts", onclick: random }, "Random starts"),
    muted("click the map, or"), ...boxes.flatMap(([field, box]) => [muted(field.label), box]),
    element("button", { type: "button", id: "add-start", onclick: add }, "Add"));
}
