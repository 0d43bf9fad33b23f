// Jobs of the server: started with a question, heard event by event, and cancelled as soon as a newer question comes.

const ENDS = new Set(["done", "failed", "cancelled"]);

export class Stream {
  #path; #job = null; #source = null; #timer = null; #round = 0;

  /** `onEvent(event)` gets every event; its `kind` is progress, done, failed (with a `sentence`) or cancelled. */
  constructor(path, { onEvent, onRefusal, wait = 0 }) {
    this.#path = path;
    Object.assign(this, { onEvent, onRefusal, wait });
  }

  get busy() { return this.#source !== null || this.#timer !== null; }

  /** Start the job of a question once the hand has rested; whatever ran before is cancelled. */
  start(question) {
    this.stop();
    const round = this.#round;
    this.#timer = setTimeout(() => { this.#timer = null; this.#begin(question, round); }, this.wait);
  }

  /** Cancel what runs, if anything does. */
  stop() {
    this.#round += 1;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
    if (this.#job) cancel(this.#job);
    this.#job = null;
  }

  /** Listen to a job that another question has started. */
  listen(job) {
    this.stop();
    this.#hear(job, this.#round);
  }

  async #begin(question, round) {
    try {
      const response = await fetch(this.#path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.detail ?? `The lab answered ${response.status}.`);
      if (round !== this.#round) cancel(answer.job);
      else this.#hear(answer.job, round);
    } catch (error) {
      if (round === this.#round) this.onRefusal(error.message);
    }
  }

  #hear(job, round) {
    this.#job = job;
    const source = new EventSource(`/api/jobs/${job}/events`);
    this.#source = source;
    source.onmessage = (message) => {
      if (round !== this.#round) return;
      const event = JSON.parse(message.data);
      if (ENDS.has(event.kind)) {
        source.close();
        this.#source = this.#job = null;
      }
      this.onEvent(event);
    };
    source.onerror = () => {
      if (round !== this.#round || source.readyState !== EventSource.CLOSED) return;
      this.#source = this.#job = null;
      this.onRefusal("The lab does not answer any more; is it still running?");
    };
  }
}

function cancel(job) { fetch(`/api/jobs/${job}`, { method: "DELETE", keepalive: true }).catch(() => {}); }

/** For a view whose panel fills in: what its path answers is drawn at once, what its job finds replaces it as it comes. */
export function filling(jobPath, wait = 250) {
  const finished = new Map();
  let wanted = null;
  let stream = null;
  return {
    built(panel) {
      stream = new Stream(jobPath, {
        wait,
        onEvent: (event) => {
          if (event.panel) {
            if (event.kind === "done") remember(finished, wanted, event.panel);
            panel.show(event.panel, JSON.parse(wanted));
          } else if (event.kind === "failed") panel.refuse(event.sentence);
          panel.element.classList.toggle("busy", event.kind === "progress");
        },
        onRefusal: (sentence) => panel.refuse(sentence),
      });
    },
    drawn(panel) {
      const question = JSON.stringify(panel.asked);
      if (question === wanted) return;
      wanted = question;
      const known = finished.get(question);
      if (known) { stream.stop(); panel.show(known, panel.asked); }
      else stream.start(panel.asked);
    },
  };
}

function remember(known, key, panel) {
  known.set(key, panel);
  if (known.size > 30) known.delete(known.keys().next().value);
}
