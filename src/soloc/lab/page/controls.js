// Controls: sliders with a number beside them, choices, texts. Each is one field of the state;
// its bounds, label and explanation are those of the server's typed models.

import { element, readable } from "./dom.js";

const STEPS = 400; // positions of a slider

/** Position of a slider for a value, 0..STEPS; on a logarithm that reaches 0, that is far left. */
function position(field, value) {
  if (!field.log) return STEPS * (value - field.low) / (field.high - field.low);
  const low = field.least ?? field.low;
  if (value < low) return 0;
  return STEPS * Math.log(value / low) / Math.log(field.high / low);
}

function valueAt(field, place) {
  if (field.log && field.least !== null && place === 0) return 0;
  const low = field.least ?? field.low;
  let value = field.log
    ? low * (field.high / low) ** (place / STEPS)
    : field.low + place / STEPS * (field.high - field.low);
  const digits = field.log ? (field.whole ? 2 : 3) : 6;
  value = Number(value.toPrecision(digits));
  if (field.whole) value = Math.round(value);
  else if (!field.log) value = Number(value.toFixed(3));
  return Math.min(field.high, Math.max(field.low, value));
}

/** Whether a text is a value of the field. */
export function isValue(field, text) {
  const value = Number(text);
  const inside = value >= field.low && value <= field.high;
  return text.trim() !== "" && inside && (!field.whole || Number.isInteger(value));
}

/** What a value of the field must be, for people. */
export function rule(field) {
  const kind = field.whole ? "a whole number" : "a number";
  return `${kind} from ${readable(field.low)} to ${readable(field.high)}`;
}

function slider(field, state) {
  const id = `control-${field.name}`;
  const range = element("input", {
    type: "range", id, hidden: !field.slider, min: 0, max: STEPS, step: 1,
    "aria-describedby": `${id}-help`,
  });
  const exact = element("input", {
    type: "text", inputmode: "decimal", id: `${id}-exact`, autocomplete: "off",
    "aria-label": `${field.label}, exact value`,
  });
  const show = () => {
    const value = state.get(field.name);
    range.value = String(position(field, value));
    range.setAttribute("aria-valuetext", readable(value));
    if (document.activeElement !== exact) exact.value = readable(value, 5).replaceAll("\u202f", "");
  };
  const move = () => state.set({ [field.name]: valueAt(field, Number(range.value)) });
  range.addEventListener("input", move);
  exact.addEventListener("change", () => {
    const good = isValue(field, exact.value);
    exact.setAttribute("aria-invalid", String(!good));
    exact.title = good ? "" : rule(field);
    if (good) state.set({ [field.name]: Number(exact.value) });
  });
  exact.addEventListener("blur", () => { exact.removeAttribute("aria-invalid"); show(); });
  const help = element("p", { class: "help", id: `${id}-help` }, field.help);
  const box = element("div", { class: "control", dataset: { field: field.name } },
    element("label", { for: id }, field.label), exact, range, help);
  return { show, element: box };
}

/** A list under a label, as one element. */
export function labelled(id, text, made, help) {
  return element("div", { class: "control choice" }, element("label", { for: id }, text), made,
    help ? element("p", { class: "help" }, help) : null);
}

function choice(field, state) {
  const id = `control-${field.name}`;
  const options = field.choices.map(([value, label]) => element("option", { value }, label));
  const chosen = () => field.choices.find(([value]) => String(value) === select.value)[0];
  const select = element("select", {
    id, onchange: () => state.set({ [field.name]: chosen() }),
  }, ...options);
  const box = labelled(id, field.label, select, field.help);
  box.dataset.field = field.name;
  return { show: () => { select.value = String(state.get(field.name)); }, element: box };
}

function text(field, state) {
  const id = `control-${field.name}`;
  const input = element("input", {
    type: "text", id, class: "wide", maxlength: field.longest, spellcheck: "true",
    oninput: () => state.set({ [field.name]: input.value }),
  });
  const show = () => {
    if (input.value !== state.get(field.name)) input.value = state.get(field.name);
  };
  const label = element("label", { for: id, class: "muted" }, field.label);
  const box = element("div", { class: "row", dataset: { field: field.name } }, label, input);
  return { show, element: box };
}

/** A control for a field that follows the state both ways. */
export function control(field, state) {
  const kind = field.choices ? choice : typeof field.default === "string" ? text : slider;
  const made = kind(field, state);
  state.onChange((changed) => { if (changed.has(field.name)) made.show(); });
  made.show();
  if (state.hidden.has(field.name)) made.element.hidden = true;
  return made.element;
}

/** A group of controls under a heading; gone when all of them are hidden. */
export function group({ name, title, open }, controls, state) {
  const small = matchMedia("(max-width: 860px)").matches; // there plots come first: groups closed
  const box = element("details", { class: "group", open: open && !small, dataset: { group: name } },
    element("summary", {}, title), ...controls);
  const none = controls.length > 0 && controls.every((made) => made.hidden);
  if (state.hidden.has(name) || none) box.hidden = true;
  return box;
}
