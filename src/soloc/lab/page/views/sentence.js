// A sentence with its words shaded by attention; in the story one guesses first which decides.

import { element } from "../dom.js";
import { STORY } from "../story.js";

const SAMPLES = [
  "The soup in this hotel was awful.",
  "Our neighbour painted the kitchen, and it looks excellent.",
  "The train to the coast leaves at noon, which is terrible.",
];

const inStory = ({ state }) => state.get("view") === STORY;

/** Whether the model's choice is on the page: the first sentence shows it, others after a guess. */
const told = ({ state, field }) => !inStory({ state }) || state.get("guess") >= 0
  || state.get("sentence") === field("sentence").default;

function word(lab, rows, i, text) {
  const { state } = lab;
  const shown = told(lab);
  const guessed = inStory(lab) && state.get("guess") === i;
  const shade = shown ? rows.weight[i].toFixed(3) : "0";
  const marks = [guessed && "guessed", shown && rows.decisive[i] && "decisive",
    rows.known[i] || "unknown"].filter((mark) => typeof mark === "string");
  const unread = rows.known[i] ? "" : ", not in the sentences it learned from";
  const said = shown ? `attention ${rows.weight[i].toFixed(3)}${unread}` : "Is it this word?";
  const made = element(inStory(lab) ? "button" : "span", {
    type: inStory(lab) ? "button" : null, class: ["word", ...marks].join(" "), title: said,
    "aria-pressed": inStory(lab) ? String(guessed) : null, dataset: { word: i },
    onclick: () => {
      if (inStory(lab) && lab.panel("sentence").stage === "shown") state.set({ guess: i });
    },
  }, text);
  made.style.setProperty("--shade", shade);
  made.dataset.pull = rows.contribution[i] >= 0 ? "up" : "down";
  return made;
}

/** The sentence as it was written, each word by itself. */
function words({ answer, asked, lab }) {
  const rows = answer.table;
  const text = [...JSON.parse(asked).sentence]; // the server counts characters as people do
  const piece = (from, to) => text.slice(from, to).join("");
  const parts = rows.word.flatMap((_, i) =>
    [piece(i ? rows.end[i - 1] : 0, rows.start[i]), word(lab, rows, i,
      piece(rows.start[i], rows.end[i]))]);
  return [...parts, piece(rows.end.at(-1), text.length)];
}

/** Your guess beside the model's choice. */
function comparison({ answer, lab }) {
  const { state } = lab;
  const guess = state.get("guess");
  const { word: names, weight, decisive } = answer.table;
  if (lab.panel("sentence").stage !== "shown") return "The model reads your sentence …";
  if (!told(lab)) return "Which word decides? Choose it in the sentence.";
  const its = decisive.indexOf(1);
  const percent = (i) => `${Math.round(100 * weight[i])} %`;
  const looks = `the model gives “${names[its]}” ${percent(its)} of its attention`;
  if (guess < 0 || guess >= names.length) return `Here ${looks}. Now your turn:`;
  if (guess === its) return `You said “${names[guess]}”, and so does the model: ${looks}.`;
  return `You said “${names[guess]}” (${percent(guess)}), but ${looks}.`;
}

function show(panel) {
  const { lab } = panel;
  panel.element.classList.toggle("untold", Boolean(panel.answer) && !told(lab));
  panel.game.hidden = panel.samples.hidden = !inStory(lab);
  if (!panel.answer) { panel.words.replaceChildren(); panel.game.textContent = ""; return; }
  panel.words.replaceChildren(...words(panel));
  panel.game.textContent = comparison(panel);
}

export default {
  question: (lab) => (lab.state.get("sentence").trim() ? lab.question("sentence") : null),
  built(panel, lab) {
    const { state } = lab;
    const group = { role: "group", "aria-label": "Words of the sentence" };
    panel.words = element("div", { class: "words", ...group });
    panel.game = element("p", { class: "game", role: "status" });
    const sample = (text) => element("button", {
      type: "button", onclick: () => state.set({ sentence: text, guess: -1 }),
    }, text);
    panel.samples = element("div", { class: "row samples", role: "group",
      "aria-label": "Sentences to try" }, ...SAMPLES.map(sample));
    panel.inputs.before(panel.words, panel.game, panel.samples);
    state.onChange((changed) => {
      if (changed.has("sentence") && !changed.has("guess")) state.set({ guess: -1 });
      if (["guess", "view", "sentence"].some((name) => changed.has(name))) show(panel);
    });
  },
  drawn: show,
  staged: (panel) => { if (panel.words) show(panel); },
  emptied: show,
};
