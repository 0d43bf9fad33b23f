// View 6. Three tasks in which attention infers a latent; simulated points join the exact lines.

import { without } from "../tabs.js";
import { filling } from "../stream.js";

const fields = [
  { name: "sigma", label: "rule z: noise σ", low: 0.05, high: 2, default: 0.5, log: true, help: "noise of a value around the rule" },
  { name: "temperature", label: "rule z: temperature of softmax", low: 0.02, high: 5, default: 0.2, log: true, help: "a fixed one leaves a floor" },
  { name: "recall_tau", label: "blurred key: blur τ", low: 0.005, high: 2, default: 0.1, log: true, help: "variance added to the key that is asked for" },
  { name: "recall_d", label: "blurred key: dimension", low: 2, high: 64, default: 8, log: true, whole: true, help: "of a key" },
  { name: "location_d", label: "decisive token: dimension d", low: 4, high: 64, default: 16, log: true, whole: true, help: "its signal is √(d/2)" },
  { name: "location_eps", label: "decisive token: noise ε", low: 0, high: 2, default: 0.1, log: true, zero: true, least: 0.01, help: "noise of the answer" },
  { name: "longest", label: "longest sequence", default: "1024", choices: [["64", "64 tokens"], ["256", "256 tokens"], ["1024", "1,024 tokens"], ["4096", "4,096 tokens"]] },
  { name: "sequences", label: "simulated sequences", low: 50, high: 2000, default: 1000, log: true, whole: true, help: "per length, up to 100,000 tokens in all" },
];
const wide = matchMedia("(min-width: 861px)");
const fill = filling("/api/jobs/latent");

export default {
  id: "latent",
  tab: "latent",
  title: "Three tasks with a latent",
  path: "/api/latent",
  height: "430px",
  narrowHeight: "900px",
  controls: () => [{ title: "The three tasks", name: "tasks", fields }],
  question: (state) => ({
    ...state.pick(...fields.map((field) => field.name)), longest: Number(state.get("longest")), columns: wide.matches ? 3 : 1,
  }),
  drawn: fill.drawn,
  built(panel, lab) {
    fill.built(panel, lab);
    without('.group[data-group="setting"], .group[data-group="presets"]', "latent", lab);
    wide.addEventListener("change", () => { if (panel.element.offsetParent !== null) panel.update(); });
  },
};
