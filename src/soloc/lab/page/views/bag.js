// The bag that is chosen in the table of the fit.

import { open } from "../uploads.js";

export default {
  follows: "data",
  question(lab) {
    if (!open.data || !open.fitted) return lab.panel("data").form?.isBusy ? undefined : null;
    const { stage, answer } = lab.panel("data");
    if (stage !== "shown") return undefined; // the table with the bags comes first
    const bag = Math.min(lab.state.get("bag"), answer.table.bag.length - 1);
    return { data: open.data, fit: open.fit, bag };
  },
};
