// Starts chosen by hand: "kappa,nu,theta,eta,rho;..." in the address, by a click on the landscape or by numbers.

import { element, say } from "./dom.js";

const NAMES = ["kappa", "nu", "theta", "eta", "rho"];
const MOST = 8;

export function startsOf(state) {
  return state.get("starts").split(";").filter(Boolean).slice(0, MOST).map((text) => {
    const numbers = text.split(",").map(Number);
    return Object.fromEntries(NAMES.map((name, i) => [name, Number.isFinite(numbers[i]) ? numbers[i] : 0]));
  });
}

/** Begin a run at these alignments, on the slice that is shown. */
export function addStart(state, kappa, nu) {
  const starts = state.get("starts").split(";").filter(Boolean);
  if (starts.length >= MOST) { say(`At most ${MOST} runs at once; clear some first.`, "error"); return; }
  const short = (x) => String(Number(x.toFixed(3)));
  const numbers = [kappa, nu, state.get("theta"), state.get("eta"), state.get("rho")].map(short);
  while (numbers.length > 2 && numbers.at(-1) === "0") numbers.pop();
  state.set({ starts: [...starts, numbers.join(",")].join(";"), t: 1, run: starts.length });
}

/** Buttons and fields for starts, the keyboard's way to what a click does. */
export function startBar(state) {
  const field = (name, label) => element("input", { type: "text", inputmode: "decimal", id: `start-${name}`, value: "0.1", "aria-label": label });
  const kappa = field("kappa", "kappa of a new start");
  const nu = field("nu", "nu of a new start");
  const add = () => {
    const [x, y] = [Number(kappa.value), Number(nu.value)];
    if (Math.abs(x) <= 1 && Math.abs(y) <= 1) addStart(state, x, y);
    else say("`kappa` and `nu` must be numbers from -1 to 1.", "error");
  };
  const random = () => state.set({ starts: "", seed: (state.get("seed") + 1) % 2 ** 31, t: 1, run: 0 });
  return element("div", { class: "row", role: "group", "aria-label": "Starts" },
    element("button", { type: "button", id: "random-starts", onclick: random }, "Random starts"),
    element("span", { class: "muted" }, "click the map, or κ"), kappa, element("span", { class: "muted" }, "ν"), nu,
    element("button", { type: "button", id: "add-start", onclick: add }, "Add"));
}
