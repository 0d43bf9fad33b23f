// The moment of training that is looked at: `t` from 0 (start) to 1 (end), shared by landscape,
// curves, sequence and heads.

import { element, readable } from "./dom.js";

const SECONDS = 6; // that a whole training takes to play
const PLACES = 1000; // of the slider
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const known = new WeakMap();

/** Whether several heads are trained, which have a panel of their own. */
export const several = ({ state }) => state.get("heads") > 1 || state.get("kinds") > 1;

/** The training runs that are shown, null when there are none: those of the curves' answer. */
export function pathsOf(lab) {
  const { answer, stage } = lab.panel(several(lab) ? "heads" : "curves") ?? {};
  if (!answer?.table.run || stage === "refused") return null;
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

/** A list of the runs, to choose the one that is looked through; `prefix` sets its id apart. */
export function runPicker(lab, prefix = "") {
  const { state } = lab;
  const runs = element("select", {
    id: `${prefix}run`, onchange: () => state.set({ run: Number(runs.value) }),
  });
  const label = element("label", { for: `${prefix}run`, class: "muted" }, "seen by");
  const option = (_, i) => element("option", { value: i }, `run ${i}`);
  const show = () => {
    const count = pathsOf(lab)?.runs.length ?? 0;
    if (runs.options.length !== count) {
      runs.replaceChildren(...Array.from({ length: count }, option));
    }
    runs.value = String(chosenRun(lab));
    runs.hidden = label.hidden = count === 0;
  };
  return { elements: [label, runs], show };
}

/** A line at the present moment in every plot against steps. */
export function nowLines(panel, layout) {
  const paths = pathsOf(panel.lab);
  if (!paths) return [];
  const earliest = layout.xaxis?.type === "log" ? 1 : 0; // step 0 stands at the left end
  const step = Math.max(paths.steps[recordAt(panel.lab)], earliest);
  const color = getComputedStyle(document.documentElement).getPropertyValue("--muted").trim();
  const axes = Object.keys(layout).filter((name) => name.startsWith("yaxis"));
  return axes.map((name) => name.slice("yaxis".length)).map((mark) => ({
    type: "line", xref: `x${mark}`, yref: `y${mark} domain`, x0: step, x1: step, y0: 0, y1: 1,
    line: { color, width: 1, dash: "dot" },
  }));
}

/** The step at which time stands and, where there is one, the risk of the chosen run there. */
function momentOf(lab, paths) {
  const at = recordAt(lab);
  const risk = paths.runs[chosenRun(lab)].risk?.[at];
  const step = `step ${readable(paths.steps[at])}`;
  return risk === undefined ? step : `${step}, risk ${readable(risk, 3)}`;
}

/** Play, a slider over time, and the step it stands at; `prefix` sets its ids apart. */
export function timeBar(lab, prefix = "") {
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
    if (frame !== null) stop();
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
    type: "button", class: "play", id: `${prefix}play`,
    onclick: () => (frame === null ? start() : stop()),
  });
  const range = element("input", {
    type: "range", min: 0, max: PLACES, step: 1, id: `${prefix}time`,
    "aria-label": "Moment of training",
    oninput: () => { stop(); state.set({ t: Number(range.value) / PLACES }); },
  });
  const output = element("output", { for: `${prefix}time`, id: `${prefix}time-step` });
  const show = () => {
    range.value = String(Math.round(PLACES * state.get("t")));
    const paths = pathsOf(lab);
    output.textContent = paths ? momentOf(lab, paths) : "";
    range.setAttribute("aria-valuetext", output.textContent);
  };
  stop();
  state.onChange((changed) => { if (changed.has("t") || changed.has("run")) show(); });
  return { element: element("div", { class: "row" }, play, range, output), show, start };
}
