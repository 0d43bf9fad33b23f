// Your data: take an example or upload a table, say what its columns are, fit, and see what
// decided each bag.

import { csvOf } from "../ask.js";
import { download, element, phone, readable } from "../dom.js";
import { Form, open } from "../uploads.js";

const ROWS = 8; // bags listed at once

function row(rows, i, chosen, state) {
  const short = (name) => readable(rows[name][i], 3);
  const pick = element("button", {
    type: "button", class: "link", "aria-pressed": String(i === chosen),
    onclick: () => state.set({ bag: i }),
  }, rows.bag[i]);
  const cells = [
    readable(rows.label[i]), readable(rows.left_out_prediction[i]), readable(rows.prediction[i]),
    "probability" in rows ? short("probability") : `${short("low")} to ${short("high")}`,
    rows.decisive_name[i], short("weight"),
  ];
  return element("tr", { class: i === chosen ? "chosen" : null },
    element("th", { scope: "row" }, pick), ...cells.map((cell) => element("td", {}, cell)));
}

/** The bags around the chosen one, with what was predicted and what decided. */
function table({ answer: { table: rows }, lab: { state } }) {
  const count = rows.bag.length;
  const chosen = Math.min(state.get("bag"), count - 1);
  const first = Math.floor(chosen / ROWS) * ROWS;
  const last = Math.min(first + ROWS, count);
  const sure = "probability" in rows ? "probability" : "interval";
  const heads = ["bag", "label", "left out", "prediction", sure, "decisive instance", "weight"];
  const head = heads.map((name) => element("th", { scope: "col" }, name));
  const lines = Array.from({ length: last - first }, (_, i) => row(rows, first + i, chosen, state));
  const turn = (label, to) => element("button", {
    type: "button", disabled: to < 0 || to >= count, onclick: () => state.set({ bag: to }),
  }, label);
  const save = () => download(csvOf(rows), "text/csv", "soloc-predictions.csv");
  const region = { role: "region", "aria-label": "Bags and what decided them" };
  return [
    element("div", { class: "table-box", tabindex: "0", ...region },
      element("table", { class: "bags" }, element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...lines))),
    element("p", { class: "turn" }, turn("‹ earlier", first - ROWS),
      ` bags ${first + 1} to ${last} of ${readable(count)} `, turn("later ›", first + ROWS),
      element("button", { type: "button", id: "predictions", onclick: save },
        "Download predictions (CSV)")),
  ];
}

/** The table of an answer; what belongs to another fit cannot be taken away. */
function show(panel) {
  const doubt = panel.answer.numbers.pointing !== "trusted";
  panel.badge.textContent = doubt ? "pointing in doubt" : "pointing trusted";
  panel.badge.dataset.kind = doubt ? "doubt" : "trust";
  panel.badge.hidden = false;
  panel.extra.replaceChildren(...table(panel));
  panel.extra.querySelector("#predictions").disabled = panel.stage !== "shown";
}

/** A file that is dropped on an element is the table. */
function takeDrops(place, form) {
  const hovers = (flag) => (event) => {
    event.preventDefault();
    place.classList.toggle("dropping", flag);
  };
  place.addEventListener("dragover", hovers(true));
  place.addEventListener("dragleave", hovers(false));
  place.addEventListener("drop", (event) => {
    hovers(false)(event);
    const [file] = event.dataTransfer.files;
    if (file) form.take(file);
  });
}

export default {
  state: ({ examples }) => ({
    source: examples[0][0], bagColumn: "", labelColumn: "", nameColumn: "", features: "",
    labelKind: "auto", fitted: false,
  }),
  question(lab) {
    const { form, view } = lab.panel("data");
    if (!form) return null;
    form.visit();
    if (!open.data || !open.fitted) return form.isBusy ? undefined : null;
    if (form.question() !== open.fitted) return undefined; // known after the next fit
    return { data: open.data, fit: open.fit, columns: phone.matches ? 1 : view.facts.columns };
  },
  built(panel, lab) {
    const form = new Form(lab, panel.view.facts);
    const box = document.querySelector('.group[data-group="data"]');
    box.querySelector("summary").after(form.top);
    box.append(form.bottom);
    let visited = false;
    form.visit = () => {
      if (visited || lab.state.get("view") !== panel.view.tab) return;
      visited = true;
      form.begin();
    };
    panel.form = form;
    panel.inputs.append(form.preview);
    panel.badge = element("p", { class: "badge", id: "data-badge", hidden: true });
    panel.sentence.before(panel.badge);
    takeDrops(panel.element.closest(".tab-panel"), form);
    lab.state.onChange((changed) => { if (changed.has("bag") && panel.answer) show(panel); });
  },
  drawn: show,
  staged: (panel) => { if (panel.extra.firstChild && panel.answer) show(panel); },
  emptied(panel) {
    panel.badge.hidden = true;
    panel.extra.replaceChildren();
  },
};
