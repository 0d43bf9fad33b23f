// View 4. All weights at their best temperature for the current setting; those that are slow fill in.

import { filling } from "../stream.js";
import { without } from "../tabs.js";

const fill = filling("/api/jobs/attentions");

export default {
  id: "attentions",
  tab: "attentions",
  title: "Which attention?",
  path: "/api/attentions",
  height: "560px",
  rest: 250,
  question: (state, lab) => ({ setting: { ...lab.setting(), weight: "erf", lam: 0.1 } }),
  drawn: fill.drawn,
  built(panel, lab) {
    fill.built(panel, lab);
    without('.control[data-field="weight"], .control[data-field="lam"]', "attentions", lab);
  },
};
