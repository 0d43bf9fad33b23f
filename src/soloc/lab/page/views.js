// Views as the page knows them: what /api/about says of one, and what its script adds.
//
// A view is asked with the controls that its parts name. A script, views/<name>.js, may export
//   question(lab)       the question; null asks nothing, undefined when it is not known yet
//   shown(lab)          whether it has a place on the page in the present setting
//   leads               names of the controls that lead to it, there even when it has no place
//   follows             the panel whose stage changes its question
//   rest(lab, panel)    milliseconds for which the hand must rest before it asks
//   asJob(lab)          whether the question goes to the job; refusal(lab): why it is not asked
//   state               more fields of the address with their defaults, or a function of facts
//   groups(lab)         more groups of controls: {name, title, open, element, first}
//   sketched(panel)     whether an answer is on the page already, in a quicker way than a figure;
//   isSketched(panel)   and whether the figure follows by itself
//   built, drawn, staged, emptied (panel)   what happens then
//   overlay(panel, source, traces), figure(panel, figure)   what is drawn instead

import { phone } from "./dom.js";

/** The question that the controls ask: their values, in the bodies where they belong. */
export function plainQuestion(view, { state }) {
  const question = {};
  for (const { into, controls } of view.parts) {
    const values = state.pick(...controls);
    if (into) question[into] = { ...question[into], ...values };
    else Object.assign(question, values);
  }
  if (view.columns) question.columns = phone.matches ? 1 : view.columns;
  return question;
}

/** The view of a description, with its script. */
export async function viewOf(about) {
  const script = about.script ? (await import(`./views/${about.name}.js`)).default : {};
  const question = (lab) => plainQuestion(about, lab);
  return { question, ...about, ...script };
}
