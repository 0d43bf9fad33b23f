// The landscape takes clicks, and shows the training up to the present moment.

import { Sketch } from "../sketch.js";
import { addStart, startBar } from "../starts.js";
import { chosenRun, recordAt, several, timeBar } from "../time.js";

const REST = 300; // where every point is an integral that takes longer than a slider should wait
const FIGURE = 150; // milliseconds for which a hand must rest before the whole figure is drawn
const PAPER = "#ffffff";
const INK = "#101010";

/** Where on the axes a click was. */
function placeOf(plot, event) {
  const { xaxis, yaxis } = plot._fullLayout;
  const box = plot.getBoundingClientRect();
  const x = xaxis.p2d(event.clientX - box.left - xaxis._offset);
  return [x, yaxis.p2d(event.clientY - box.top - yaxis._offset)];
}

const marks = (name, x, y, marker) => ({
  type: "scatter", mode: "markers", name, cliponaxis: false, hoverinfo: "skip", x, y,
  marker: { opacity: 1, ...marker },
});

/** Paths up to the present moment, with a dot where each run is now. */
function untilNow(lab, traces) {
  const at = recordAt(lab);
  const until = (trace) =>
    ({ ...trace, x: trace.x.slice(0, at + 1), y: trace.y.slice(0, at + 1) });
  const lines = traces.map(until);
  const joined = (axis) => lines.flatMap((line) => [...line[axis], null]);
  const halo = {
    type: "scatter", mode: "lines", name: "halo", hoverinfo: "skip", x: joined("x"), y: joined("y"),
    line: { width: 4.4, color: "rgba(255,255,255,0.75)" },
  };
  const chosen = chosenRun(lab);
  const points = (index) => ["x", "y"].map((axis) => traces.map((trace) => trace[axis][index]));
  const ring = { size: 5, color: PAPER, line: { color: INK, width: 1 } };
  const begin = marks("start", ...points(0), ring);
  const now = marks("now", ...points(at), {
    size: traces.map((_, run) => (run === chosen ? 13 : 10)),
    color: traces.map((trace) => trace.line.color), line: { color: PAPER, width: 2 },
  });
  return [halo, ...lines, begin, now];
}

/** A map is that of one λ; where training changes it, the map says which. */
function figure(panel, { data, layout }) {
  panel.sketch.clear();
  clearTimeout(panel.resting);
  panel.resting = null;
  const { state } = panel.lab;
  if (state.get("decay") === 0) return { data, layout };
  const text = `the map at λ = ${JSON.parse(panel.asked).setting.lam}, where training begins`;
  const note = { text, xref: "paper", yref: "paper", x: 0.02, y: 0.02, showarrow: false };
  return { data, layout: { ...layout, annotations: [{ ...note, font: { color: PAPER } }] } };
}

export default {
  figure,
  shown: (lab) => !several(lab),
  /** More fields of the address: the moment of training, the run looked through, own starts. */
  state: { t: 1, run: 0, starts: "" },
  rest: (lab) => (lab.weight().slow ? REST : 0),
  overlay: (panel, source, traces) =>
    (source.view.name === "curves" ? untilNow(panel.lab, traces) : traces),
  built(panel, lab) {
    const { state } = lab;
    panel.time = timeBar(lab);
    panel.sketch = new Sketch(panel.plot);
    if (!state.hidden.has("time")) panel.extra.append(panel.time.element);
    if (!state.hidden.has("starts")) panel.extra.append(startBar(lab));
    state.onChange((changed) => {
      if (!several(lab) && (changed.has("t") || changed.has("run"))) panel.redraw();
    });
  },
  /** After the first figure, only the map while a hand drags. */
  sketched(panel) {
    if (!panel.plot.data || !panel.plot.offsetParent) return false;
    panel.sketch.draw(panel.answer.figure.data[0]);
    clearTimeout(panel.resting);
    panel.resting = setTimeout(() => panel.redraw(), FIGURE);
    return true;
  },
  isSketched: (panel) => Boolean(panel.resting),
  drawn(panel) {
    if (panel.clickable) return;
    panel.clickable = true;
    panel.plot.on("plotly_click", ({ event }) => {
      const [kappa, nu] = placeOf(panel.plot, event);
      if (Math.abs(kappa) <= 1 && Math.abs(nu) <= 1) addStart(panel.lab, kappa, nu);
    });
  },
};
