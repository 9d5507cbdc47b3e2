// @ts-check
// Questions before something is done, and buttons that say what became of it.

import { announce, field, h, id } from './dom.js';
import { say, trouble } from './words.js';

/**
 * Asks, and does it on yes. What goes wrong is said in the dialog, which stays open with all that was typed.
 *
 * @param {object} options
 * @param {string} options.title
 * @param {string} [options.text]
 * @param {any} [options.body] what else is asked
 * @param {string} options.yes
 * @param {boolean} [options.danger]
 * @param {string} [options.typed] what has to be typed first
 * @param {() => Promise<any>} options.act returns false if it was not done, which is said by then
 * @returns {Promise<boolean>} whether it was done
 */
export function ask({ title, text, body, yes, danger = false, typed, act }) {
  const titleId = id('dialog');
  const error = h('p', { class: 'error', role: 'alert' });
  const name = typed ? h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', name: 'typed' }) : null;
  const go = h('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, yes);
  const no = h('button', { type: 'button', class: 'plain', onclick: () => dialog.close() }, say('dialog.no'));
  if (name) {
    go.disabled = true;
    name.addEventListener('input', () => {
      go.disabled = name.value.trim() !== typed;
    });
  }
  const form = h(
    'form',
    { method: 'dialog', onsubmit: submit },
    h('h2', { id: titleId }, title),
    text ? h('p', {}, text) : null,
    body,
    name ? field(say('dialog.type', { name: typed ?? '' }), name) : null,
    error,
    h('div', { class: 'actions' }, go, no),
  );
  const dialog = h('dialog', { 'aria-labelledby': titleId }, form);
  let isDone = false;

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    go.disabled = true;
    error.textContent = '';
    try {
      isDone = (await act()) !== false;
    } catch (problem) {
      error.textContent = trouble(problem);
    }
    go.disabled = false;
    if (isDone) {
      dialog.close();
    }
  }

  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(isDone);
    });
  });
}

/**
 * A button that does something at once, and says beside it if that failed.
 *
 * @param {string} label
 * @param {() => Promise<string | void>} act returns what to tell
 * @param {Record<string, any>} [attributes]
 */
export function doing(label, act, attributes = {}) {
  const error = h('span', { class: 'error', role: 'alert' });
  const button = h(
    'button',
    {
      type: 'button',
      ...attributes,
      onclick: async () => {
        button.disabled = true;
        error.textContent = '';
        try {
          announce((await act()) ?? '');
        } catch (problem) {
          error.textContent = trouble(problem);
        } finally {
          button.disabled = false;
        }
      },
    },
    label,
  );
  return h('span', { class: 'doing' }, button, error);
}

/** What is said where something could not be shown. @param {any} problem */
export const failed = (problem) => h('p', { class: 'error', role: 'alert' }, trouble(problem));

/** Shows what is asked for when it is there, or why not. @param {Element} place @param {Promise<any>} asked @param {(answer: any) => any} show */
export async function fill(place, asked, show) {
  try {
    const shown = show(await asked);
    place.replaceChildren(...[shown].flat().filter(Boolean));
  } catch (problem) {
    place.replaceChildren(failed(problem));
  }
}
