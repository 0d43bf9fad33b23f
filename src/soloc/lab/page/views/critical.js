// Critical points, drawn into the landscape when the hand rests: they take longer than a slider should wait.

export default {
  id: "critical",
  tab: "training",
  title: "Critical points",
  path: "/api/critical",
  hidden: true,
  rest: 600,
  question(state, lab) {
    const { answer, asked } = lab.panel("critical");
    const question = { setting: lab.setting() };
    const overlays = lab.panel("landscape").overlays; // redrawn with the landscape's own answer
    if (answer && JSON.stringify(asked) === JSON.stringify(question)) overlays.set("critical", answer.overlays.landscape);
    else overlays.delete("critical");
    return state.get("weight") === "erf" ? question : null;
  },
};
