// The lab: builds controls and panels from the views, and asks again whenever the state changes.

import { group } from "./controls.js";
import { copy, element, say } from "./dom.js";
import { Panel } from "./panel.js";
import { State } from "./state.js";
import attentions from "./views/attentions.js";
import critical from "./views/critical.js";
import curves from "./views/curves.js";
import { bag, data } from "./views/data.js";
import landscape from "./views/landscape.js";
import latent from "./views/latent.js";
import sentence from "./views/sentence.js";
import sequence from "./views/sequence.js";

const about = await (await fetch("/api/about")).json();

/** Every view of the page. A view: see views/landscape.js. Tabs appear in the order in which views name them. */
const VIEWS = [landscape, curves, critical, sequence, attentions, latent, data, bag];
const TABS = { training: "Training", attentions: "Which attention?", latent: "Latent", data: "Your data" };
if (about.text) {
  VIEWS.push(sentence);
  TABS.text = "Your sentence";
}

const defaults = { view: Object.keys(TABS)[0] };
for (const field of [...about.setting, ...VIEWS.flatMap((view) => view.controls?.(about).flatMap((part) => part.fields) ?? [])]) {
  defaults[field.name] = field.default;
}
for (const view of VIEWS) Object.assign(defaults, view.state);
const state = new State(defaults);

const lab = {
  state,
  paths: null, // the training runs that are shown; see time.js
  about,
  panels: new Map(),
  panel(id) { return this.panels.get(id); },
  /** The setting as every question carries it. */
  setting() { return state.pick(...about.setting.map((field) => field.name)); },
};

function build() {
  const controls = document.getElementById("controls");
  const main = document.getElementById("panels");
  controls.append(group("Setting", about.setting, state, "setting"));
  for (const [tab, label] of Object.entries(TABS)) {
    main.append(element("div", { class: "tab-panel", id: `tab-panel-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}` }));
    document.getElementById("tabs").append(element("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `tab-panel-${tab}`,
      onclick: () => state.set({ view: tab }) }, label));
  }
  for (const view of VIEWS) {
    const panel = new Panel(view, lab);
    lab.panels.set(view.id, panel);
    panel.element.hidden = Boolean(view.hidden) || state.hidden.has(view.id);
    document.getElementById(`tab-panel-${view.tab}`).append(panel.element);
    for (const { title, name, fields, open, first, element: made } of view.controls?.(about, lab) ?? []) {
      const box = group(title, fields, state, name, open);
      if (made) box.append(made);
      box.dataset.tab = view.tab;
      if (first) controls.prepend(box);
      else controls.append(box);
    }
    view.built?.(panel, lab);
  }
}

function showTab() {
  const wanted = state.get("view") in TABS ? state.get("view") : Object.keys(TABS)[0];
  for (const tab of Object.keys(TABS)) {
    const chosen = tab === wanted;
    const button = document.getElementById(`tab-${tab}`);
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    document.getElementById(`tab-panel-${tab}`).hidden = !chosen;
  }
  for (const box of document.querySelectorAll(".group[data-tab]")) box.classList.toggle("elsewhere", box.dataset.tab !== wanted);
}

function update() {
  for (const panel of lab.panels.values()) {
    const place = document.getElementById(`tab-panel-${panel.view.tab}`);
    if (!place.hidden && !state.hidden.has(panel.view.id)) panel.update();
  }
}

function arrowsBetweenTabs(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = Object.keys(TABS);
  const next = tabs[(tabs.indexOf(state.get("view")) + step + tabs.length) % tabs.length];
  state.set({ view: next });
  document.getElementById(`tab-${next}`).focus();
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("soloc-theme", root.dataset.theme); } catch { /* private mode: for this page only */ }
  repaint();
}

function repaint() { for (const panel of lab.panels.values()) panel.redraw(); }

build();
showTab();
document.getElementById("tabs").addEventListener("keydown", arrowsBetweenTabs);
document.getElementById("theme").addEventListener("click", switchTheme);
document.getElementById("copy-link").addEventListener("click", () => copy(new URL(state.address(), location.href).href, "Link"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
addEventListener("popstate", () => { state.readAddress(); state.tell(); });
state.onChange((changed) => { if (changed.has("view")) showTab(); update(); });
addEventListener("unhandledrejection", (event) => say(event.reason?.message ?? "Something went wrong.", "error"));
update();
