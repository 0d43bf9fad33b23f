// Questions to the server: one in flight per asker, the latest wins, answers remembered.

const REMEMBERED = 60;
const LATER = new Set([429, 503]); // busy: the same question is asked again
const answers = new Map();
const JSON_BODY = { "Content-Type": "application/json" };

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const GONE = "The lab does not answer; it is asked again until it does.";

/** An error after which the same question is asked again, in so many seconds. */
const toAskAgain = (sentence, seconds) => Object.assign(new Error(sentence), { later: seconds });

/** POST a body; the answer as JSON. A refusal is an Error with its sentence; if busy, `.later`. */
export async function post(path, body, headers = JSON_BODY) {
  const response = await fetch(path, {
    method: "POST", headers: { Accept: "application/json", ...headers }, body,
  }).catch(() => { throw toAskAgain(GONE, 1); });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const sentence = answer.detail ?? `The lab answered ${response.status}.`;
  if (!LATER.has(response.status)) throw new Error(sentence);
  throw toAskAgain("still computing …", Number(response.headers.get("Retry-After") ?? 1));
}

/** The same, asked again and again while the lab is busy and `wanted()` says that it matters. */
export async function postPatiently(path, body, wanted, onWait, headers = JSON_BODY) {
  for (;;) {
    try {
      return await post(path, body, headers);
    } catch (error) {
      if (!error.later || !wanted()) throw error;
      onWait(error.message);
      await sleep(1000 * error.later);
      if (!wanted()) throw error;
    }
  }
}

export class Asker {
  #path; #busy = false; #next = null; #heard;

  /** `heard` has answer(answer, body), refusal(sentence, body), busy(flag), waiting(sentence). */
  constructor(path, heard) {
    this.#path = path;
    this.#heard = heard;
  }

  /** Ask; a question that waits behind the one in flight is replaced. */
  ask(body) {
    this.#next = body;
    if (!this.#busy) this.#work();
  }

  /** What waits is not asked any more. */
  stop() { this.#next = null; }

  async #work() {
    this.#busy = true;
    while (this.#next !== null) {
      const body = this.#next;
      this.#next = null;
      const key = `${this.#path} ${body}`;
      const known = answers.get(key);
      if (!known) this.#heard.busy(true);
      try {
        const answer = known ?? await this.#asked(body);
        remember(answers, key, answer, REMEMBERED);
        await this.#heard.answer(answer, body);
      } catch (error) {
        this.#heard.refusal(error.message, body);
      }
    }
    this.#busy = false;
    this.#heard.busy(false);
  }

  #asked(body) {
    return postPatiently(this.#path, body, () => this.#next === null,
      (sentence) => this.#heard.waiting(sentence));
  }
}

/** Keep a value, and of all of them the latest `most`. */
export function remember(known, key, value, most) {
  known.delete(key);
  known.set(key, value);
  if (known.size > most) known.delete(known.keys().next().value);
}

/** The table of a question as CSV text, with all digits. */
export async function csv(path, body) {
  const response = await fetch(path, {
    method: "POST", headers: { ...JSON_BODY, Accept: "text/csv" }, body,
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
  const line = (_, i) => names.map((name) => cell(table[name][i])).join(",");
  return [names.map(cell).join(","), ...(table[names[0]] ?? []).map(line)].join("\n") + "\n";
}
