// The state of the page: flat names and values, kept in the address: a link shows the same.

import { STORY } from "./story.js";

const REST = 120; // milliseconds: browsers refuse hundreds of changes of the address per minute
const APART = 1000; // changes that are further apart are two entries of the history
const MOMENTS = new Set(["t", "run"]); // playing leaves no trail

export class State {
  #base;
  #values = {};
  #listeners = [];
  #timer = null;
  #written = -Infinity;
  #enters = false;

  /** `base(query)`: fields with their values where the address says nothing. */
  constructor(base) {
    this.#base = base;
    this.readAddress();
  }

  /** What the address says wins, in the kind of the default. */
  readAddress() {
    clearTimeout(this.#timer);
    this.#enters = false;
    this.#mark(false);
    const query = new URLSearchParams(location.search);
    this.#values = this.#base(query);
    for (const [name, fallback] of Object.entries(this.#values)) {
      if (!query.has(name)) continue;
      const text = query.get(name);
      if (typeof fallback === "number") {
        const value = Number(text);
        if (text !== "" && Number.isFinite(value)) this.#values[name] = value;
      } else if (typeof fallback === "boolean") this.#values[name] = text === "1";
      else this.#values[name] = text;
    }
    this.hidden = new Set((query.get("hide") ?? "").split(",").filter(Boolean));
  }

  get(name) { return this.#values[name]; }

  /** What an address may set. */
  names() { return Object.keys(this.#values); }

  /** Several values by name, as an object. */
  pick(...names) { return Object.fromEntries(names.map((name) => [name, this.#values[name]])); }

  /** Change values and tell everybody. */
  set(patch) {
    const differs = (name) => name in this.#values && this.#values[name] !== patch[name];
    const changed = Object.keys(patch).filter(differs);
    if (!changed.length) return;
    for (const name of changed) this.#values[name] = patch[name];
    this.#writeAddress(changed);
    this.tell(changed);
  }

  tell(changed = Object.keys(this.#values)) {
    for (const listener of this.#listeners) listener(new Set(changed));
  }

  onChange(listener) { this.#listeners.push(listener); }

  /** The address of this state: only what differs from what would be there without. */
  address() {
    const where = this.get("view") === STORY ? ["view", "step"] : ["view"];
    const query = new URLSearchParams(this.pick(...where));
    const base = this.#base(query);
    for (const [name, value] of Object.entries(this.#values)) {
      if (value === base[name]) continue;
      query.set(name, typeof value === "boolean" ? String(Number(value)) : String(value));
    }
    if (this.hidden.size) query.set("hide", [...this.hidden].join(","));
    return `?${query.toString().replaceAll("%2C", ",").replaceAll("%3B", ";")}`;
  }

  /** Written when the hand rests; back and forward go from one rest to the other. */
  #writeAddress(changed) {
    const now = performance.now();
    const trail = changed.some((name) => !MOMENTS.has(name));
    const far = now - this.#written > APART || changed.includes("view") || changed.includes("step");
    if (trail) this.#written = now;
    this.#enters ||= trail && far;
    clearTimeout(this.#timer);
    this.#mark(true);
    this.#timer = setTimeout(() => {
      const how = this.#enters ? "pushState" : "replaceState";
      this.#enters = false;
      const address = this.address();
      if (address !== location.search) history[how](null, "", address);
      this.#mark(false);
    }, REST);
  }

  /** Whether the address is behind the state, for whoever waits for it. */
  #mark(behind) {
    const { dataset } = document.documentElement;
    if (behind) dataset.address = "behind";
    else delete dataset.address;
  }
}
