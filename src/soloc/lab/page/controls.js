// Controls: sliders with a number beside them, choices, switches. Each is one field of the state.

import { element, readable } from "./dom.js";

const STEPS = 400; // positions of a slider

/** Position of a slider for a value, 0..STEPS; logarithmic where the field says so, with zero at the far left. */
function position(field, value) {
  if (!field.log) return STEPS * (value - field.low) / (field.high - field.low);
  const low = field.zero ? field.least : field.low;
  if (field.zero && value < low) return 0;
  return STEPS * Math.log(value / low) / Math.log(field.high / low);
}

function valueAt(field, place) {
  let value;
  if (!field.log) value = field.low + place / STEPS * (field.high - field.low);
  else if (field.zero && place === 0) return 0;
  else {
    const low = field.zero ? field.least : field.low;
    value = low * (field.high / low) ** (place / STEPS);
  }
  value = field.whole ? Math.round(Number(value.toPrecision(field.log ? 2 : 6))) : Number(value.toPrecision(field.log ? 3 : 6));
  if (!field.log && !field.whole) value = Number(value.toFixed(3));
  return Math.min(field.high, Math.max(field.low, value));
}

function slider(field, state) {
  const id = `control-${field.name}`;
  const range = element("input", { type: "range", id, hidden: field.slider === false, min: 0, max: STEPS, step: 1, "aria-describedby": `${id}-help` });
  const exact = element("input", { type: "text", inputmode: "decimal", id: `${id}-exact`, "aria-label": `${field.label}, exact value`, autocomplete: "off" });
  const show = () => {
    const value = state.get(field.name);
    range.value = String(position(field, value));
    range.setAttribute("aria-valuetext", readable(value));
    if (document.activeElement !== exact) exact.value = readable(value, 5).replaceAll("\u202f", "");
  };
  range.addEventListener("input", () => state.set({ [field.name]: valueAt(field, Number(range.value)) }));
  const enter = () => {
    const value = Number(exact.value);
    const good = exact.value.trim() !== "" && Number.isFinite(value) && value >= field.low && value <= field.high && (!field.whole || Number.isInteger(value));
    exact.setAttribute("aria-invalid", String(!good));
    exact.title = good ? "" : `a ${field.whole ? "whole " : ""}number from ${readable(field.low)} to ${readable(field.high)}`;
    if (good) state.set({ [field.name]: value });
  };
  exact.addEventListener("change", enter);
  exact.addEventListener("blur", () => { exact.removeAttribute("aria-invalid"); show(); });
  return { show, element: element("div", { class: "control", dataset: { field: field.name } },
    element("label", { for: id }, field.label), exact, range, element("p", { class: "help", id: `${id}-help` }, field.help ?? "")) };
}

function choice(field, state) {
  const id = `control-${field.name}`;
  const select = element("select", { id, onchange: () => state.set({ [field.name]: select.value }) },
    ...field.choices.map(([value, label]) => element("option", { value }, label)));
  return { show: () => { select.value = state.get(field.name); }, element: element("div", { class: "control choice", dataset: { field: field.name } },
    element("label", { for: id }, field.label), select, field.help ? element("p", { class: "help" }, field.help) : null) };
}

/** A control for a field {name, label, kind: "slider" | "choice", ...} that follows the state both ways. */
export function control(field, state) {
  const made = (field.choices ? choice : slider)(field, state);
  state.onChange((changed) => { if (changed.has(field.name)) made.show(); });
  made.show();
  if (state.hidden.has(field.name)) made.element.hidden = true;
  return made.element;
}

/** A group of controls under a heading; gone when all of them are hidden. */
export function group(title, fields, state, name, open = true) {
  const controls = fields.map((field) => control(field, state));
  const small = matchMedia("(max-width: 860px)").matches; // there the plots come first: groups begin closed
  const box = element("details", { class: "group", open: open && !small, dataset: { group: name } }, element("summary", {}, title), ...controls);
  if (state.hidden.has(name) || (controls.length > 0 && controls.every((made) => made.hidden))) box.hidden = true;
  return box;
}
