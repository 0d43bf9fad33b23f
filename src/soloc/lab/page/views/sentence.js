// A sentence of blanks is not asked about.

export default {
  question: (lab) => (lab.state.get("sentence").trim() ? lab.question("sentence") : null),
};
