// View 1. A view says where its panel stands (tab), which address answers it (path), and what to ask for a state (question).

export default {
  id: "landscape",
  tab: "training",
  title: "Landscape",
  path: "/api/landscape",
  height: "clamp(300px, 46vw, 460px)",
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
};
