// The story: steps through states of the lab, above the panels that each of them shows.

import { element } from "./dom.js";

export const STORY = "story";

export class Story {
  #lab; #title; #text; #moves; #buttons = []; #back; #next; #plays = false;

  /** `steps`: as the server tells them; the first is where the page begins. */
  constructor(steps) {
    this.steps = steps;
    this.host = element("div", { class: "tab-panel story-panels" });
  }

  /** The step of that number, or the first. */
  step(number) { return this.steps.find((step) => step.number === number) ?? this.steps[0]; }

  /** Values of the controls that a step begins with. */
  values(number) { return this.step(number).values; }

  /** Whether the present step asks a view, with a place of its own or without. */
  asks(name) { return this.shows(name) || this.#now.asks.includes(name); }

  shows(name) { return this.#now.shows.includes(name); }

  get #now() { return this.step(this.#lab.state.get("step")); }

  /** The elements of the story, for a lab; `state.hidden` may take its steps away. */
  build(lab) {
    this.#lab = lab;
    const go = (step) => lab.state.set({ ...step.values, guess: -1, step: step.number });
    this.#title = element("h2", { id: "story-title" });
    this.#text = element("p", { class: "story-text", id: "story-text" });
    this.#moves = element("div", { class: "row moves" });
    this.#buttons = this.steps.map((step) => element("button", {
      type: "button", dataset: { step: step.number }, title: step.title, onclick: () => go(step),
    }, element("span", { class: "number" }, String(step.number)), " ",
    element("span", { class: "name" }, step.title)));
    const turn = (by) => () => {
      const next = this.steps[this.steps.indexOf(this.#now) + by];
      if (next) go(next);
      else lab.state.set({ view: lab.tabs[1] });
    };
    const button = (id, onclick, text) => element("button", { type: "button", id, onclick }, text);
    this.#back = button("story-back", turn(-1), "‹ Back");
    this.#next = button("story-next", turn(1), "Next ›");
    this.#next.classList.add("primary");
    const open = () => lab.state.set({ view: lab.view(this.#now.shows[0]).tab });
    const steps = element("nav", {
      class: "steps", "aria-label": "Steps", hidden: lab.state.hidden.has("steps"),
    }, ...this.#buttons);
    const { hidden } = lab.state;
    const leads = !hidden.has("tabs") && !hidden.has("controls"); // a teacher may keep them here
    const turns = element("div", { class: "row turns", hidden: hidden.has("steps") },
      this.#back, this.#next, element("button", {
        type: "button", class: "link", id: "story-open", onclick: open, hidden: !leads,
      }, hidden.size ? "Open this in the lab" : "Open this in the lab, with all controls"));
    const box = element("section", { class: "story", "aria-labelledby": "story-title" },
      steps, this.#title, this.#text, this.#moves);
    return [box, this.host, turns];
  }

  /** Show the present step. */
  show() {
    const step = this.#now;
    const place = this.steps.indexOf(step);
    this.#title.textContent = step.title;
    this.#text.textContent = step.text;
    for (const button of this.#buttons) {
      const here = Number(button.dataset.step) === step.number;
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    this.#back.disabled = place === 0;
    const last = place === this.steps.length - 1;
    this.#next.hidden = last && this.#lab.state.hidden.has("tabs");
    this.#next.textContent = last ? "Go on in the lab ›" : `${this.steps[place + 1].title} ›`;
    this.host.classList.toggle("alone", step.shows.length === 1);
    const hold = (values) => Object.entries(values).every(([name, value]) =>
      name === "t" || this.#lab.state.get(name) === value);
    this.#moves.replaceChildren(...step.moves.map(({ label, values }) => element("button", {
      type: "button", "aria-pressed": String(hold(values)), onclick: () => this.#move(values),
    }, label)));
  }

  #move(values) {
    this.#lab.state.set(values);
    this.#plays = true;
    this.heard();
  }

  /** The training of a move is played as soon as it is there. */
  heard() {
    if (!this.#plays || this.#lab.panel("curves")?.stage !== "shown") return;
    this.#plays = false;
    this.#lab.panel("landscape").time.start();
  }
}
