// Questions to the server: one in flight per asker, the latest wins, answers remembered.

const REMEMBERED = 60;
const answers = new Map();

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body,
  }).catch(() => { throw new Error("The lab does not answer; is it still running?"); });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail ?? `The lab answered ${response.status}.`);
  return answer;
}

export class Asker {
  #path; #busy = false; #next = null; #last = null;

  /** `onAnswer(answer, body)` and `onRefusal(sentence)` are called in the order of the questions; `onBusy(flag)` around them. */
  constructor(path, { onAnswer, onRefusal, onBusy = () => {} }) {
    this.#path = path;
    Object.assign(this, { onAnswer, onRefusal, onBusy });
  }

  get idle() { return !this.#busy && this.#next === null; }

  /** Ask, unless this is what was asked last. */
  ask(question) {
    const body = JSON.stringify(question);
    if (body === this.#last) return;
    this.#last = body;
    this.#next = body;
    if (!this.#busy) this.#work();
  }

  forget() { this.#last = null; }

  async #work() {
    this.#busy = true;
    while (this.#next !== null) {
      const body = this.#next;
      this.#next = null;
      const key = `${this.#path} ${body}`;
      const known = answers.get(key);
      if (!known) this.onBusy(true);
      try {
        const answer = known ?? await post(this.#path, body);
        remember(key, answer);
        await this.onAnswer(answer, body);
      } catch (error) {
        this.onRefusal(error.message);
        this.#last = null;
      }
    }
    this.#busy = false;
    this.onBusy(false);
  }
}

function remember(key, answer) {
  answers.delete(key);
  answers.set(key, answer);
  if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value);
}

/** The table of a question as CSV text, with all digits. */
export async function csv(path, question) {
  const response = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", Accept: "text/csv" }, body: JSON.stringify(question),
  });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.text();
}

/** The same from a table that the page already has. */
export function csvOf(table) {
  const names = Object.keys(table);
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = (table[names[0]] ?? []).map((_, i) => names.map((name) => cell(table[name][i])).join(","));
  return [names.map(cell).join(","), ...rows].join("\n") + "\n";
}
