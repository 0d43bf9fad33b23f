// The moment of training that is looked at: `t` from 0 (start) to 1 (end), shared by landscape,
// curves and sequence.

import { element, readable } from "./dom.js";

const SECONDS = 6; // that a whole training takes to play
const PLACES = 1000; // of the slider
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const known = new WeakMap();

/** The training runs that are shown, null when there are none: those of the curves' answer. */
export function pathsOf(lab) {
  const { answer, stage } = lab.panel("curves") ?? {};
  if (!answer || stage === "refused") return null;
  if (!known.has(answer)) known.set(answer, runsOf(answer.table));
  return known.get(answer);
}

/** The runs of a table of paths: steps once, and per run its columns. */
function runsOf(table) {
  const count = table.run[table.run.length - 1] + 1;
  const records = table.run.length / count;
  const part = (run) => Object.fromEntries(Object.entries(table).map(([name, values]) =>
    [name, values.slice(run * records, (run + 1) * records)]));
  const runs = Array.from({ length: count }, (_, run) => part(run));
  return { steps: runs[0].step, runs };
}

/** Which record `t` means. */
export function recordAt(lab) {
  const paths = pathsOf(lab);
  return paths ? Math.round(lab.state.get("t") * (paths.steps.length - 1)) : 0;
}

/** The run that the sequence looks through. */
export function chosenRun(lab) {
  const paths = pathsOf(lab);
  return paths ? Math.min(lab.state.get("run"), paths.runs.length - 1) : 0;
}

/** Play, a slider over time, and the step it stands at. */
export function timeBar(lab) {
  const { state } = lab;
  let frame = null;
  const name = (button, symbol, label) => {
    button.textContent = symbol;
    button.setAttribute("aria-label", label);
  };
  const stop = () => {
    if (frame !== null) cancelAnimationFrame(frame);
    frame = null;
    name(play, "▶", "Play the training");
  };
  const start = () => {
    if (calm.matches) { state.set({ t: 1 }); return; } // whoever wants no motion sees the end
    const from = state.get("t") >= 1 ? 0 : state.get("t");
    const began = performance.now();
    const length = 1000 * SECONDS * (1 - from);
    name(play, "❚❚", "Pause the training");
    const next = (now) => {
      const t = Math.min(1, from + (1 - from) * Math.max(0, now - began) / length);
      state.set({ t: Number(t.toFixed(4)) });
      if (t < 1) frame = requestAnimationFrame(next);
      else stop();
    };
    frame = requestAnimationFrame(next);
  };
  const play = element("button", {
    type: "button", class: "play", id: "play", onclick: () => (frame === null ? start() : stop()),
  });
  const range = element("input", {
    type: "range", min: 0, max: PLACES, step: 1, id: "time", "aria-label": "Moment of training",
    oninput: () => { stop(); state.set({ t: Number(range.value) / PLACES }); },
  });
  const output = element("output", { for: "time", id: "time-step" });
  const show = () => {
    range.value = String(Math.round(PLACES * state.get("t")));
    const paths = pathsOf(lab);
    output.textContent = paths ? `step ${readable(paths.steps[recordAt(lab)])}` : "";
    range.setAttribute("aria-valuetext", output.textContent);
  };
  stop();
  state.onChange((changed) => { if (changed.has("t")) show(); });
  return { element: element("div", { class: "row" }, play, range, output), show };
}
