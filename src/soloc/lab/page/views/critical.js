// Critical points, drawn into the landscape when the hand rests: they take longer than a slider
// should wait, and are found where slopes are closed forms.

import { several } from "../time.js";

export default {
  shown: (lab) => !several(lab),
  question: (lab) => (lab.weight().closed_slopes ? lab.question("critical") : null),
  rest: (lab, panel) => panel.view.look.rest,
};
