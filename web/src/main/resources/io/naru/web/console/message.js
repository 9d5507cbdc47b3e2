// @ts-check
// Words of the operator by language: an editor with a tab per language, and the message of a queue.

import { may } from './api.js';
import { doing } from './dialogs.js';
import { h, id } from './dom.js';
import { textEdits } from './edits.js';
import { asWords, byLanguage, languageName, number, say } from './words.js';

/** `''` is for visitors of every language that has no words of its own. */
const LANGUAGES = ['', 'ko', 'en', 'ja'];

/**
 * @param {object} options
 * @param {string} options.label
 * @param {any} options.value as the queue has it
 * @param {number} options.max characters
 * @param {boolean} [options.isLong]
 * @param {() => void} [options.changed]
 */
export function wordsEditor({ label, value, max, isLong = false, changed = () => {} }) {
  const words = byLanguage(value);
  let shown = LANGUAGES.find((language) => words[language]) ?? '';
  const labelId = id('words');
  const text = h(isLong ? 'textarea' : 'input', {
    ...(isLong ? { rows: 2 } : { type: 'text' }),
    maxlength: max,
    'aria-labelledby': labelId,
    oninput: () => {
      words[shown] = text.value;
      mark();
      changed();
    },
  });
  const tabs = LANGUAGES.map((language) =>
    h(
      'button',
      {
        type: 'button',
        'data-language': language || 'any',
        onclick: () => {
          shown = language;
          draw();
          text.focus();
        },
      },
      languageName(language),
    ),
  );

  function mark() {
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-pressed', String(LANGUAGES[i] === shown));
      tab.toggleAttribute('data-filled', Boolean(words[LANGUAGES[i]]));
    });
  }

  function draw() {
    text.value = words[shown] ?? '';
    text.lang = shown;
    mark();
  }

  draw();
  return {
    element: h(
      'div',
      { class: 'field words' },
      h('span', { id: labelId, class: 'label' }, label),
      h('div', { class: 'languages', role: 'group', 'aria-label': say('language.choose') }, tabs),
      text,
    ),
    /** As the server takes it: what is empty is left out. @returns {any} */
    value: () => asWords(words),
    /** @param {string} language @param {string} text */
    put(language, text) {
      words[language] = text;
      draw();
    },
  };
}

/**
 * The message to everybody in line. @param {string} name
 * @param {() => any} latest the queue as it was told last
 */
export function messageCard(name, latest) {
  const canEdit = may('operator');
  const shown = h('ul', { class: 'spoken' });
  let drawn = '';
  const editor = wordsEditor({ label: say('message.label'), value: latest().message, max: 500, isLong: true });
  const form = textEdits({
    name,
    queue: latest(),
    editors: { message: editor },
    seen: () => publish.querySelector('button')?.focus(),
  });
  const publish = doing(
    say('message.publish'),
    async () => {
      const saved = await form.save();
      if (!saved) {
        said.textContent = '';
        return '';
      }
      said.textContent = say('message.published', { n: number(latest().streams ?? 0) });
      show(saved);
      return said.textContent ?? '';
    },
    { class: 'primary' },
  );
  const said = h('p', { class: 'quiet' });

  /** What is on every page. @param {any} queue */
  function show(queue) {
    const now = JSON.stringify(queue.message ?? '');
    if (now === drawn) {
      return;
    }
    drawn = now;
    const words = Object.entries(byLanguage(queue.message)).filter(([, text]) => text);
    shown.replaceChildren(
      ...(words.length
        ? words.map(([language, text]) =>
            h('li', {}, h('span', { class: 'quiet' }, languageName(language)), ' ', h('span', { lang: language }, text)),
          )
        : [h('li', { class: 'quiet' }, say('message.none'))]),
    );
  }

  show(latest());
  const element = h(
    'section',
    { class: 'card', id: 'message', 'aria-labelledby': 'message-title' },
    h('h2', { id: 'message-title' }, say('message.title')),
    h('p', { class: 'quiet' }, say('message.now')),
    shown,
    canEdit ? [editor.element, form.notice, publish, said] : null,
  );
  return {
    element,
    /** @param {any} queue */
    draw(queue) {
      show(queue);
      form.told(queue);
    },
  };
}
