// The lab: builds tabs, controls and panels from what the server says of itself, and asks again
// whenever the state changes.

import { control, group } from "./controls.js";
import { copy, element, phone, say } from "./dom.js";
import { Panel } from "./panel.js";
import { State } from "./state.js";
import { plainQuestion, viewOf } from "./views.js";

const about = await (await fetch("/api/about")).json();
const views = await Promise.all(about.views.map(viewOf));
const fields = new Map(about.groups.flatMap(({ controls }) => controls.map((it) => [it.name, it])));
const tabs = about.tabs.map(({ name }) => name);
const defaults = { view: tabs[0] };
for (const field of fields.values()) defaults[field.name] = field.default;
for (const { state: more = {}, facts } of views) {
  Object.assign(defaults, typeof more === "function" ? more(facts) : more);
}
const state = new State(defaults);

const lab = {
  state,
  panels: new Map(),
  panel: (name) => lab.panels.get(name),
  /** A control as the server describes it. */
  field: (name) => fields.get(name),
  /** What the server says of a view. */
  view: (name) => views.find((view) => view.name === name),
  /** What the controls ask of a view, before its script adds to it. */
  question: (name) => plainQuestion(lab.view(name), lab),
  /** What the chosen weight offers: `slow`, `closed_slopes`. */
  weight: () => about.weights[state.get("weight")] ?? {},
  /** Whether a panel is part of the page at all. */
  has: (name) => lab.panels.has(name) && !state.hidden.has(name),
  /** What other panels draw into one, in a fixed order, with the panel that it comes from. */
  overlays(name) {
    const sources = [...lab.panels.values()].filter((source) =>
      source.answer?.overlays?.[name] && source.stage !== "refused");
    sources.sort((one, other) => (one.view.name < other.view.name ? -1 : 1));
    return sources.map((source) => ({ source, traces: source.answer.overlays[name] }));
  },
  /** A panel has entered a stage: those whose question depends on it ask again. */
  staged(panel) {
    for (const other of lab.panels.values()) {
      if (other.view.follows === panel.view.name && isOpen(other)) other.update();
    }
  },
};

/** Whether the present tab and setting have a place for a view. */
const isShown = (view) => view.tab === shownTab() && (view.shown?.(lab) ?? true);
const isOpen = ({ view }) => isShown(view) && !state.hidden.has(view.name);
const shownTab = () => (tabs.includes(state.get("view")) ? state.get("view") : tabs[0]);
const byId = (id) => document.getElementById(id);

function buildTabs() {
  for (const { name, title } of about.tabs) {
    byId("panels").append(element("div", {
      class: "tab-panel", id: `tab-panel-${name}`, role: "tabpanel",
      "aria-labelledby": `tab-${name}`,
    }));
    byId("tabs").append(element("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `tab-panel-${name}`,
      onclick: () => state.set({ view: name }),
    }, title));
  }
}

const present = []; // controls and groups, with the test of whether they are on the page now

/** The element of controls, which is there with the views that they belong to. */
function placed(made, controls) {
  const names = new Set(controls.map(({ name }) => name));
  const has = ({ parts }) => parts.some((part) => part.controls.some((name) => names.has(name)));
  const leads = (view) => view.tab === shownTab() && view.leads?.some((name) => names.has(name));
  present.push([made, () => views.some((view) => leads(view) || (has(view) && isShown(view)))]);
  return made;
}

function buildGroups() {
  for (const described of about.groups) {
    const inGroup = described.controls.filter(({ place }) => place === "group");
    if (!inGroup.length) continue;
    const made = inGroup.map((field) => placed(control(field, state), [field]));
    byId("controls").append(placed(group(described, made, state), described.controls));
  }
}

function buildPanel(view) {
  const panel = new Panel(view, lab);
  lab.panels.set(view.name, panel);
  byId(`tab-panel-${view.tab}`).append(panel.element);
  const names = view.parts.flatMap(({ controls }) => controls);
  const inPanel = names.map(lab.field).filter(({ place }) => place === "panel");
  panel.inputs.append(...inPanel.map((field) => control(field, state)));
  for (const { element: made, first, ...described } of view.groups?.(lab) ?? []) {
    const box = group({ open: true, ...described }, [], state);
    box.append(made);
    present.push([box, () => view.tab === shownTab()]);
    if (first) byId("controls").prepend(box);
    else byId("controls").append(box);
  }
  view.built?.(panel, lab);
}

function showTab() {
  const wanted = shownTab();
  for (const tab of tabs) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === wanted));
    button.tabIndex = tab === wanted ? 0 : -1;
    byId(`tab-panel-${tab}`).hidden = tab !== wanted;
  }
}

/** Show the controls and panels that belong to the tab and to the setting. */
function showPresent() {
  for (const [box, isPresent] of present) box.classList.toggle("elsewhere", !isPresent());
  for (const panel of lab.panels.values()) {
    const { view, element: box } = panel;
    const hidden = view.look.hidden || state.hidden.has(view.name) || !(view.shown?.(lab) ?? true);
    const returns = box.hidden && !hidden;
    box.hidden = hidden;
    if (returns) panel.redraw(); // time went on without it
  }
}

function update() {
  showPresent();
  for (const panel of lab.panels.values()) if (isOpen(panel)) panel.update();
}

function arrowsBetweenTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(shownTab()) + step + tabs.length) % tabs.length];
  state.set({ view: next });
  byId(`tab-${next}`).focus();
}

function switchTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : system;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("soloc-theme", root.dataset.theme);
  } catch { /* private mode: for this page only */ }
  repaint();
}

function repaint() { for (const panel of lab.panels.values()) panel.redraw(); }

buildTabs();
buildGroups();
for (const view of views) buildPanel(view);
showTab();
byId("tabs").addEventListener("keydown", arrowsBetweenTabs);
byId("theme").addEventListener("click", switchTheme);
byId("copy-link").addEventListener("click", () =>
  copy(new URL(state.address(), location.href).href, "Link"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
phone.addEventListener("change", update);
addEventListener("popstate", () => { state.readAddress(); state.tell(); });
state.onChange((changed) => { if (changed.has("view")) showTab(); update(); });
addEventListener("unhandledrejection", (event) =>
  say(event.reason?.message ?? "Something went wrong.", "error"));
update();
