// Critical points, drawn into the landscape when the hand rests: they take longer than a slider should wait.

export default {
  id: "critical",
  tab: "training",
  title: "Critical points",
  path: "/api/critical",
  hidden: true,
  rest: 600,
  question(state, lab) {
    if (state.get("weight") === "erf") return { setting: lab.setting() };
    lab.panel("landscape").overlay("critical", []);
    return null;
  },
};
