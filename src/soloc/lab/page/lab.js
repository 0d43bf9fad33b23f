// The lab: builds tabs, controls and panels from what the server says of itself, and asks again
// whenever the state changes.

import { sleep } from "./ask.js";
import { control, group } from "./controls.js";
import { closest, copy, element, phone, say } from "./dom.js";
import { Panel } from "./panel.js";
import { State } from "./state.js";
import { STORY, Story } from "./story.js";
import { plainQuestion, viewOf } from "./views.js";

const about = await described();
const views = await Promise.all(about.views.map(viewOf));
const fields = new Map(about.groups.flatMap(({ controls }) => controls.map((it) => [it.name, it])));
const tabs = about.tabs.map(({ name }) => name);
const story = new Story(about.story);
const defaults = { view: STORY, step: story.steps[0].number, guess: -1 };
for (const field of fields.values()) defaults[field.name] = field.default;
for (const { state: more = {}, facts } of views) {
  Object.assign(defaults, typeof more === "function" ? more(facts) : more);
}
const state = new State(base);

/** Where the page begins: in the story, unless the address says anything but a step of it. */
function base(query) {
  const told = query.size === 0 || query.has("step");
  const named = query.get("view");
  const view = tabs.includes(named) ? named : told ? STORY : tabs[1];
  if (view !== STORY) return { ...defaults, view };
  const step = story.step(Number(query.get("step"))).number;
  return { ...defaults, view, step, ...story.values(step) };
}

/** What the server says of itself; it is asked again until it is there. */
async function described() {
  for (;;) {
    const response = await fetch("/api/about").catch(() => null);
    if (response?.ok) return response.json();
    const waiting = document.getElementById("waiting");
    waiting.textContent = "The lab does not answer yet; waiting for it …";
    await sleep(500);
  }
}

const lab = {
  state,
  tabs,
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
  has: (name) => lab.panels.has(name) && !state.hidden.has(name)
    && (!inStory() || story.asks(name)),
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
    story.heard();
  },
};

/** Whether the present tab, or step of the story, asks a view. */
const isHere = (view) => (inStory() ? story.asks(view.name) : view.tab === shownTab());
/** Whether it does in the present setting. */
const isShown = (view) => isHere(view) && (view.shown?.(lab) ?? true);
const isOpen = ({ view }) => isShown(view) && !state.hidden.has(view.name);
const inStory = () => shownTab() === STORY;
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
      onclick: () => openTab(name),
    }, title));
  }
  byId(`tab-panel-${STORY}`).append(...story.build(lab));
  byId("tabs").hidden = state.hidden.has("tabs");
}

/** Another tab; the story goes on at its step, as the step begins. */
function openTab(view) {
  const begins = view === STORY && !inStory() ? story.values(state.get("step")) : {};
  state.set({ ...begins, view });
}

const present = []; // controls and groups, with the test of whether they are on the page now

/** The element of controls, which is there with the views that they belong to. */
function placed(made, controls) {
  const names = new Set(controls.map(({ name }) => name));
  const has = ({ parts }) => parts.some((part) => part.controls.some((name) => names.has(name)));
  const leads = (view) => isHere(view) && view.leads?.some((name) => names.has(name));
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
    present.push([box, () => isHere(view)]);
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
  document.body.classList.toggle("telling", inStory() || state.hidden.has("controls"));
  placePanels();
}

/** Panels stand in their tab, and those of the present step in the story. */
function placePanels() {
  for (const { view, element: box } of lab.panels.values()) {
    const told = inStory() && story.shows(view.name);
    const place = told ? story.host : byId(`tab-panel-${view.tab}`);
    if (box.parentElement !== place) place.append(box);
  }
  const order = [...lab.panels.values()].map((panel) => panel.element);
  for (const place of document.querySelectorAll(".tab-panel")) {
    const here = order.filter((box) => box.parentElement === place);
    if (here.some((box, i) => place.children[i] !== box)) place.append(...here);
  }
}

/** Show the controls and panels that belong to the tab and to the setting. */
function showPresent() {
  for (const [box, isPresent] of present) box.classList.toggle("elsewhere", !isPresent());
  for (const panel of lab.panels.values()) {
    const { view, element: box } = panel;
    const hidden = view.look.hidden || state.hidden.has(view.name) || !(view.shown?.(lab) ?? true)
      || (inStory() && !story.shows(view.name));
    const returns = box.hidden && !hidden;
    box.hidden = hidden;
    if (returns) panel.redraw(); // time went on without it
  }
}

function update() {
  if (inStory()) story.show();
  showPresent();
  for (const panel of lab.panels.values()) if (isOpen(panel)) panel.update();
}

function arrowsBetweenTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(shownTab()) + step + tabs.length) % tabs.length];
  openTab(next);
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

/** What `hide=` may name: controls, groups, panels, and parts of the page. */
const hideable = () => new Set([
  ...fields.keys(), ...lab.panels.keys(), "steps", "tabs", "controls", "time", "starts",
  ...[...document.querySelectorAll(".group")].map((box) => box.dataset.group),
]);

/** A name that is not among those it should be, with the one that is meant. */
function wrongName(where, name, known, kind) {
  if (name === null || name === undefined || known.includes(name)) return null;
  const meant = closest(name, known);
  return `${where} in the address names “${name}”, which ${kind}`
    + (meant ? `; did you mean “${meant}”?` : ".");
}

/** What the address asks for and the page cannot do is told, not passed over. */
function checkAddress() {
  const query = new URLSearchParams(location.search);
  const hides = [...hideable()];
  const hidden = [...state.hidden].find((name) => !hides.includes(name));
  const numbers = story.steps.map(({ number }) => String(number));
  const step = query.get("step");
  const known = ["hide", ...state.names()];
  const other = [...query.keys()].find((name) => !known.includes(name));
  const problem = wrongName("hide=", hidden, hides, "nothing on this page is called")
    ?? wrongName("view=", query.get("view"), tabs, "no tab is called")
    ?? (step === null || numbers.includes(step) ? null
      : `step= in the address is “${step}”, but the story has steps ${numbers[0]} to `
        + `${numbers.at(-1)}: this is step ${story.step(Number(step)).number}.`)
    ?? wrongName("The setting", other, known, "no control is called");
  if (problem) say(problem, "error");
}

function repaint() { for (const panel of lab.panels.values()) panel.redraw(); }

byId("waiting").remove();
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
state.onChange((changed) => {
  if (changed.has("view") || changed.has("step")) showTab();
  update();
});
addEventListener("unhandledrejection", (event) =>
  say(event.reason?.message ?? "Something went wrong.", "error"));
update();
checkAddress();
