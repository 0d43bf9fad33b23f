// One sequence, seen by the best learner at the chosen n/d; a button draws another.

import { element } from "../dom.js";

export default {
  built(panel, lab) {
    const { state } = lab;
    const last = lab.field("draw").high;
    const another = () => state.set({ draw: (state.get("draw") + 1) % (last + 1) });
    panel.extra.append(element("div", { class: "row" },
      element("button", { type: "button", id: "resample-learner", onclick: another },
        "Another sequence")));
  },
};
