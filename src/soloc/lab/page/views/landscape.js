// View 1. A view says where its panel stands (tab), which address answers it (path), and what to ask for a state (question).

import { addStart, startBar } from "../starts.js";
import { chosenRun, recordAt, timeBar } from "../time.js";

/** Where on the axes a click was. */
function placeOf(plot, event) {
  const { xaxis, yaxis } = plot._fullLayout;
  const box = plot.getBoundingClientRect();
  return [xaxis.p2d(event.clientX - box.left - xaxis._offset), yaxis.p2d(event.clientY - box.top - yaxis._offset)];
}

/** Paths up to the present moment, with a dot where each run is now. */
function untilNow(lab, traces) {
  const at = recordAt(lab);
  const paper = "#ffffff";
  const lines = traces.map((trace) => ({ ...trace, x: trace.x.slice(0, at + 1), y: trace.y.slice(0, at + 1) }));
  const halo = {
    type: "scatter", mode: "lines", name: "halo", hoverinfo: "skip", line: { width: 4.4, color: "rgba(255,255,255,0.75)" },
    x: lines.flatMap((line) => [...line.x, null]), y: lines.flatMap((line) => [...line.y, null]),
  };
  const chosen = chosenRun(lab);
  const now = {
    type: "scatter", mode: "markers", name: "now", cliponaxis: false, hoverinfo: "skip",
    x: traces.map((trace) => trace.x[at]), y: traces.map((trace) => trace.y[at]),
    marker: { opacity: 1, size: traces.map((_, run) => (run === chosen ? 13 : 10)), color: traces.map((trace) => trace.line.color), line: { color: paper, width: 2 } },
  };
  const begin = {
    type: "scatter", mode: "markers", name: "start", cliponaxis: false, hoverinfo: "skip",
    x: traces.map((trace) => trace.x[0]), y: traces.map((trace) => trace.y[0]),
    marker: { opacity: 1, size: 5, color: paper, line: { color: "#101010", width: 1 } },
  };
  return [halo, ...lines, begin, now];
}

export default {
  id: "landscape",
  tab: "training",
  title: "Landscape",
  path: "/api/landscape",
  rest: (state) => (state.get("weight") === "softmax" ? 300 : 0), // its integrals take longer than a slider should wait
  half: true,
  height: "clamp(300px, 34vw, 440px)",
  /** More fields of the address: the moment of training, the run looked through, starts by hand. */
  state: { t: 1, run: 0, starts: "" },
  /** Groups of controls of this view; `name` is what ?hide= takes. */
  controls: () => [{
    title: "Slice off the manifold", name: "slice", open: false,
    fields: [
      { name: "theta", label: "θ = v·k*", low: -1, high: 1, default: 0, help: "how much the value looks along the key" },
      { name: "eta", label: "η = k·v*", low: -1, high: 1, default: 0, help: "how much the key looks along the value" },
      { name: "rho", label: "ρ = k·v", low: -1, high: 1, default: 0, help: "how alike key and value are" },
    ],
  }],
  question: (state, lab) => ({ setting: lab.setting(), ...state.pick("theta", "eta", "rho") }),
  overlayTraces: (panel, source, traces) => (source === "curves" && panel.lab.paths ? untilNow(panel.lab, traces) : traces),
  built(panel, lab) {
    panel.time = timeBar(lab);
    if (!lab.state.hidden.has("time")) panel.extra.append(panel.time.element);
    if (!lab.state.hidden.has("starts")) panel.extra.append(startBar(lab.state));
    lab.state.onChange((changed) => { if (changed.has("t") || changed.has("run")) panel.redraw(); });
  },
  drawn(panel) {
    if (panel.clickable) return;
    panel.clickable = true;
    panel.plot.on("plotly_click", ({ event }) => {
      const [kappa, nu] = placeOf(panel.plot, event);
      if (Math.abs(kappa) <= 1 && Math.abs(nu) <= 1) addStart(panel.lab.state, kappa, nu);
    });
  },
};
