// The state of the page: flat names and values, kept in the address: a link shows the same.

export class State {
  #defaults = {};
  #values = {};
  #listeners = [];
  #timer = null;

  /** Fields with their default values; what the address says wins, in the kind of the default. */
  constructor(defaults) {
    this.#defaults = { ...defaults };
    this.readAddress();
  }

  readAddress() {
    const query = new URLSearchParams(location.search);
    this.#values = { ...this.#defaults };
    for (const [name, fallback] of Object.entries(this.#defaults)) {
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

  /** Several values by name, as an object. */
  pick(...names) { return Object.fromEntries(names.map((name) => [name, this.#values[name]])); }

  /** Change values and tell everybody. */
  set(patch) {
    const differs = (name) => name in this.#values && this.#values[name] !== patch[name];
    const changed = Object.keys(patch).filter(differs);
    if (!changed.length) return;
    for (const name of changed) this.#values[name] = patch[name];
    this.#writeAddress();
    this.tell(changed);
  }

  tell(changed = Object.keys(this.#values)) {
    for (const listener of this.#listeners) listener(new Set(changed));
  }

  onChange(listener) { this.#listeners.push(listener); }

  /** The address of this state: only what differs from the defaults. */
  address() {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#values)) {
      if (value === this.#defaults[name]) continue;
      query.set(name, typeof value === "boolean" ? String(Number(value)) : String(value));
    }
    if (this.hidden.size) query.set("hide", [...this.hidden].join(","));
    const text = query.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
    return text ? `?${text}` : location.pathname;
  }

  // Browsers refuse more than a few hundred changes of the address per minute: write at rest.
  #writeAddress() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => history.replaceState(null, "", this.address()), 120);
  }
}
