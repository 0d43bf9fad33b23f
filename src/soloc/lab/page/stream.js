// Jobs of the server: started with a question, heard event by event, cancelled by a newer one.

import { postPatiently, remember } from "./ask.js";

const ENDS = new Set(["done", "failed", "cancelled"]);
const REMEMBERED = 30;

export class Stream {
  #path; #job = null; #source = null; #timer = null; #round = 0; #heard;

  /** `heard` has event(event), whose `kind` is progress, done, failed or cancelled (the last two
   *  with a `sentence`), refusal(sentence) and waiting(). */
  constructor(path, heard) {
    this.#path = path;
    this.#heard = heard;
  }

  /** Start the job of a question once the hand has rested; whatever ran before is cancelled. */
  start(body, rest = 0) {
    this.stop();
    const round = this.#round;
    this.#timer = setTimeout(() => { this.#timer = null; this.#begin(body, round); }, rest);
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

  async #begin(body, round) {
    const current = () => round === this.#round;
    try {
      const waiting = (sentence) => this.#heard.waiting(sentence);
      const answer = await postPatiently(this.#path, body, current, waiting);
      if (current()) this.#hear(answer.job, round);
      else cancel(answer.job);
    } catch (error) {
      if (current()) this.#heard.refusal(error.message);
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
      this.#heard.event(event);
    };
    source.onerror = () => {
      if (round !== this.#round || source.readyState !== EventSource.CLOSED) return;
      this.#source = this.#job = null;
      this.#heard.refusal("The lab does not answer any more; is it still running?");
    };
  }
}

function cancel(job) {
  fetch(`/api/jobs/${job}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

/** Asks a job whose events hold panels, with the interface of an `Asker`. */
export class JobAsker {
  #stream; #heard; #body = null; #finished = new Map(); #rest;

  /** As for an `Asker`; progress(event) gets what holds no panel. */
  constructor(path, heard, rest) {
    this.#heard = heard;
    this.#rest = rest;
    this.#stream = new Stream(path, {
      event: (event) => this.#hear(event),
      refusal: (sentence) => this.#end(sentence),
      waiting: (sentence) => heard.waiting(sentence),
    });
  }

  ask(body) {
    if (body === this.#body) return;
    this.stop();
    const known = this.#finished.get(body);
    if (known) { this.#heard.answer(known, body); return; }
    this.#body = body;
    this.#heard.busy(true);
    this.#stream.start(body, this.#rest);
  }

  stop() {
    if (this.#body === null) return;
    this.#body = null;
    this.#stream.stop();
    this.#heard.busy(false);
  }

  hasFinished(body) { return this.#finished.has(body); }

  /** Stop, because somebody asked to. */
  cancel(sentence) {
    this.#stream.stop();
    this.#end(sentence);
  }

  #hear(event) {
    if (event.panel) {
      const body = this.#body;
      if (event.kind === "done") {
        remember(this.#finished, body, event.panel, REMEMBERED);
        this.#body = null;
        this.#heard.busy(false);
      }
      this.#heard.answer(event.panel, body);
    } else if (event.waiting) this.#heard.waiting();
    else if (event.kind === "progress") this.#heard.progress(event);
    else this.#end(event.sentence);
  }

  #end(sentence) {
    const body = this.#body;
    this.#body = null;
    this.#heard.busy(false);
    this.#heard.refusal(sentence, body);
  }
}

