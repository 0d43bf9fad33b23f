// The first rows of the table that is open, with what each of its columns is taken for.

import { element, readable } from "./dom.js";

const MOST = 24; // columns that are shown

/** What a column is in the fit that the form asks for. */
function roleOf({ name }, { bag, label, name: names, features }) {
  if (name === bag) return "bag";
  if (name === label) return "label";
  if (name === names) return "name";
  return features.includes(name) ? "feature" : "left out";
}

/** What should be known of a column before it is fitted. */
export function warningOf({ missing, constant, kind }, role) {
  const said = [];
  if (missing) said.push(`${readable(missing)} missing`);
  if (constant && role === "feature") said.push("the same in each bag: cannot point");
  if (kind !== "number" && role === "left out") said.push("no numbers");
  return said.join(", ");
}

/** A table of names, roles, warnings and first cells. */
export function preview(columns, question) {
  const shown = columns.slice(0, MOST);
  const roles = shown.map((column) => roleOf(column, question));
  const row = (head, cells) => element("tr", {}, element("th", { scope: "row" }, head), ...cells);
  const names = shown.map(({ name }, i) =>
    element("th", { scope: "col", dataset: { role: roles[i] } }, name));
  const badges = roles.map((role) =>
    element("td", {}, element("span", { class: "role", dataset: { role } }, role)));
  const notes = shown.map((column, i) =>
    element("td", { class: "wrong" }, warningOf(column, roles[i])));
  const lines = shown[0]?.first.map((_, line) =>
    row(String(line + 1), shown.map(({ first }) => element("td", {}, first[line] || "–")))) ?? [];
  const more = columns.length > MOST
    ? element("caption", {}, `and ${columns.length - MOST} more columns`) : null;
  const warned = notes.some((note) => note.textContent);
  return element("table", { class: "bags preview" }, more,
    element("thead", {}, element("tr", {}, element("td", {}, "row"), ...names)),
    element("tbody", {}, row("role", badges), ...(warned ? [row("note", notes)] : []), ...lines));
}
