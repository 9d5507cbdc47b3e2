// @ts-check
// Cards with which something is made, and the secret that comes of it.

import { ask } from './dialogs.js';
import { field, h, id, put, wrong } from './dom.js';
import { say, trouble } from './words.js';

/**
 * A form that makes something. While that is under way its button rests; what is wrong with a field is said there.
 *
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.label of the button
 * @param {Record<string, any>} options.inputs by the names of the fields that the server speaks of
 * @param {any[]} options.fields what is shown, in this order
 * @param {() => Promise<any>} options.act makes it
 * @param {(made: any) => any} options.then
 */
export function makingCard({ title, label, inputs, fields, act, then }) {
  const titleId = id('make');
  const error = h('p', { class: 'error', role: 'alert' });
  const make = h('button', { type: 'submit', class: 'primary' }, label);
  const form = h('form', { novalidate: true, onsubmit: submit }, h('div', { class: 'fields' }, fields), error, h('div', { class: 'actions' }, make));

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    Object.values(inputs).forEach((input) => wrong(input, ''));
    put(error, '');
    make.disabled = true;
    try {
      const made = await act();
      form.reset();
      await then(made);
    } catch (problem) {
      const input = inputs[/** @type {any} */ (problem).field];
      if (input) {
        wrong(input, trouble(problem));
        input.focus();
      } else {
        put(error, trouble(problem));
      }
    } finally {
      make.disabled = false;
    }
  }

  return h('section', { class: 'card', 'aria-labelledby': titleId }, h('h2', { id: titleId }, title), form);
}

/** A list of words as people type it. @param {any} input @returns {string[]} */
export const words = (input) => input.value.split(/[\s,]+/).filter(Boolean);

/** What the server keeps but never says again. @param {{title: string, text: string, label: string, id: string, secret: string}} options */
export function shownOnce({ title, text, label, id: name, secret }) {
  const shown = h('input', { type: 'text', readonly: true, id: name, value: secret, spellcheck: 'false', onfocus: () => shown.select() });
  return ask({ title, text, body: field(label, shown), yes: say('access.copied'), act: async () => {} });
}
