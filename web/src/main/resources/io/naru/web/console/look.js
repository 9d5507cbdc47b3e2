// @ts-check
// How the waiting page looks, with the page itself beside the form: ours, framed, dressed as it would be.

import { get, may, queuePath } from './api.js';
import { failed } from './dialogs.js';
import { announce, field, h, put, wrong } from './dom.js';
import { textEdits } from './edits.js';
import { wordsEditor } from './message.js';
import { subNav } from './queue.js';
import { current, inLanguage, say, trouble } from './words.js';

const VISITORS = ['en', 'ko', 'ja'];
const COLOR = /^#[0-9a-f]{6}$/i;

/** @param {Element} main @param {string} name */
export async function showLook(main, name) {
  let queue;
  try {
    queue = await get(queuePath(name));
  } catch (problem) {
    main.replaceChildren(h('h1', { tabindex: -1 }, name), failed(problem));
    return;
  }
  const canEdit = may('operator');
  const title = wordsEditor({ label: say('setting.title'), value: queue.title, max: 200, changed: dress });
  const message = wordsEditor({ label: say('setting.message'), value: queue.message, max: 500, isLong: true, changed: dress });
  const endText = 'endText' in queue ? wordsEditor({ label: say('setting.endText'), value: queue.endText, max: 500, isLong: true }) : null;
  const endUrl = h('input', { type: 'url', name: 'endUrl', maxlength: 2_000, value: queue.endUrl ?? '' });
  const picker = h('input', { type: 'color', 'aria-label': say('look.picker'), value: COLOR.test(queue.color) ? queue.color : '#0b6e75' });
  const color = h('input', { type: 'text', name: 'color', maxlength: 7, spellcheck: 'false', value: queue.color ?? '', placeholder: '#0b6e75' });
  const logo = h('input', { type: 'url', name: 'logoUrl', maxlength: 2_000, value: queue.logoUrl ?? '' });
  const visitor = h('select', { id: 'visitor' }, VISITORS.map((language) => h('option', { value: language, selected: language === current() }, say(`language.${language}`))));
  const frame = h('iframe', { title: say('look.preview'), src: `/console/preview/${visitor.value}`, onload: dress });
  const error = h('p', { class: 'error', role: 'alert' });
  const said = h('p', { class: 'quiet' });
  const save = h('button', { type: 'submit', class: 'primary' }, say('look.save'));
  const form = textEdits({
    name,
    queue,
    editors: { title, message, ...(endText ? { endText } : {}) },
    inputs: { color, logoUrl: logo, ...(endText ? { endUrl } : {}) },
    changed: dress,
    seen: () => save.focus(),
  });

  picker.addEventListener('input', () => {
    color.value = picker.value;
    dress();
  });
  color.addEventListener('input', () => {
    if (COLOR.test(color.value)) {
      picker.value = color.value;
    }
    dress();
  });
  logo.addEventListener('input', dress);
  visitor.addEventListener('change', () => frame.contentWindow?.location.replace(`/console/preview/${visitor.value}`));

  /** Puts on what is in the form. The framed page has no scripts, and texts stay texts. */
  function dress() {
    const page = frame.contentDocument;
    const heading = page?.getElementById('title');
    if (!page || !heading) {
      return;
    }
    heading.dataset.own ??= heading.textContent ?? '';
    heading.textContent = inLanguage(title.value(), visitor.value) || heading.dataset.own;
    worn(page, 'message', 'p', inLanguage(message.value(), visitor.value), (element, text) => {
      element.className = 'message';
      element.textContent = text;
      heading.after(element);
    });
    worn(page, 'logo', 'img', /^https?:\/\//.test(logo.value) ? logo.value : '', (element, src) => {
      element.alt = '';
      element.src = src;
      heading.before(element);
    });
    const sheet = page.querySelector('link[rel=stylesheet]');
    const folder = sheet?.getAttribute('href')?.replace(/[^/]*$/, '');
    worn(page, 'brand', 'link', COLOR.test(color.value) ? `${folder}brand-${color.value.slice(1).toLowerCase()}.css` : '', (element, href) => {
      element.rel = 'stylesheet';
      element.href = href;
      page.head.append(element);
    });
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    wrong(color, '');
    wrong(logo, '');
    wrong(endUrl, '');
    put(error, '');
    put(said, '');
    try {
      if (await form.save()) {
        put(said, say('look.saved'));
        announce(say('look.saved'));
      }
    } catch (problem) {
      refused(problem);
    }
  }

  /** @param {any} problem */
  function refused(problem) {
    const input = { color, logoUrl: logo, endUrl }[/** @type {'color'} */ (problem.field)];
    if (input) {
      wrong(input, trouble(problem));
      input.focus();
    } else {
      put(error, trouble(problem));
    }
  }

  main.replaceChildren(
    h('div', { class: 'head' }, h('h1', { tabindex: -1 }, name, h('span', { class: 'quiet' }, ` ${say('nav.look')}`))),
    subNav(name, 'look'),
    h(
      'div',
      { class: 'columns look' },
      h(
        'form',
        { class: 'card', novalidate: true, onsubmit: submit },
        h(
          'fieldset',
          { disabled: !canEdit },
          h('legend', { class: 'unseen' }, say('nav.look')),
          title.element,
          message.element,
          colorField(),
          field(say('setting.logoUrl'), logo),
          endText ? [endText.element, field(say('setting.endUrl'), endUrl)] : null,
          form.notice,
          error,
          said,
          canEdit ? h('div', { class: 'actions' }, save) : null,
        ),
      ),
      h('section', { class: 'card preview', 'aria-labelledby': 'preview-title' }, h('h2', { id: 'preview-title' }, say('look.preview')), field(say('look.visitor'), visitor), frame),
    ),
  );

  function colorField() {
    const element = field(say('setting.color'), color, { hint: say('look.colorHint') });
    const both = h('span', { class: 'color' });
    color.replaceWith(both);
    both.append(picker, color);
    return element;
  }
}

/**
 * An element that is there while there is something to show.
 *
 * @param {Document} page @param {string} id @param {string} tag @param {string} value @param {(element: any, value: string) => void} wear
 */
function worn(page, id, tag, value, wear) {
  const known = page.getElementById(id);
  if (!value) {
    known?.remove();
    return;
  }
  const element = known ?? page.createElement(tag);
  element.id = id;
  wear(element, value);
}
