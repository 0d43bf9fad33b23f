// Try your own sentence: which word decides its score. Shown when the word vectors are installed.

import { element } from "../dom.js";
import { without } from "../tabs.js";

export default {
  id: "sentence",
  tab: "text",
  title: "Try your own sentence",
  path: "/api/sentence",
  height: "420px",
  rest: 250,
  state: { sentence: "My dog is wonderful and sleeps near the door." },
  question: (state) => (state.get("sentence").trim() ? { sentence: state.get("sentence") } : null),
  built(panel, lab) {
    const input = element("input", { type: "text", id: "own-sentence", class: "wide", maxlength: 1000, spellcheck: "true", value: lab.state.get("sentence"),
      oninput: () => lab.state.set({ sentence: input.value }) });
    panel.sentence.before(element("div", { class: "row" }, element("label", { for: "own-sentence", class: "muted" }, "Your sentence"), input));
    lab.state.onChange((changed) => { if (changed.has("sentence") && input.value !== lab.state.get("sentence")) input.value = lab.state.get("sentence"); });
    panel.sentence.textContent = "For the first sentence a model is fitted to 2,000 sentences with one rated word each, which takes a few seconds.";
    without('.group[data-group="setting"], .group[data-group="presets"]', "text", lab);
  },
};
