// @ts-check
// All queues that may be seen, with their state and figures.

import { get, isLimited, may, nameOf } from './api.js';
import { failed } from './dialogs.js';
import { every, h } from './dom.js';
import { badge, standing } from './state.js';
import { inLanguage, number, say, span } from './words.js';

const PAGE = 50;
/** With a filter all names are looked through, but not without end. */
const MAX_LOOKED = 5_000;
const REFRESH = 3_000;

/** @param {Element} main */
export function showQueues(main) {
  const filter = h('input', { type: 'search', id: 'filter', autocomplete: 'off', spellcheck: 'false', 'aria-label': say('queues.filter'), placeholder: say('queues.filter') });
  const rows = h('tbody', {});
  const note = h('p', { class: 'quiet', role: 'status' });
  const trouble = h('div', {});
  const previous = h('button', { type: 'button', class: 'plain', onclick: () => page(-1) }, say('queues.previous'));
  const next = h('button', { type: 'button', class: 'plain', onclick: () => page(1) }, say('queues.next'));
  /** Where each page that was seen begins. @type {(string | undefined)[]} */
  let starts = [undefined];
  let asked = 0;

  /** @param {number} step */
  function page(step) {
    if (step < 0) {
      starts.pop();
    } else if (following) {
      starts.push(following);
    }
    load();
  }
  /** @type {string | undefined} */
  let following;

  /** @param {string | undefined} after @param {number} limit */
  const some = (after, limit) => get(`/admin/queues?limit=${limit}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`);

  /** @param {any} queue @param {string} wanted */
  const fits = (queue, wanted) => `${nameOf(queue)} ${JSON.stringify(queue.title ?? '')}`.toLowerCase().includes(wanted);

  /** @param {string} wanted @returns {Promise<any>} */
  async function matching(wanted) {
    const found = [];
    let looked = 0;
    /** @type {string | undefined} */
    let after;
    do {
      const answer = await some(after, 1_000);
      looked += answer.queues.length;
      found.push(...answer.queues.filter((/** @type {any} */ queue) => fits(queue, wanted)));
      after = answer.next;
    } while (after !== undefined && found.length < PAGE && looked < MAX_LOOKED);
    return { queues: found.slice(0, PAGE), hasMore: after !== undefined || found.length > PAGE };
  }

  async function load() {
    const wanted = filter.value.trim().toLowerCase();
    const number = ++asked;
    try {
      const answer = wanted ? await matching(wanted) : await some(starts[starts.length - 1], PAGE);
      if (number === asked) {
        trouble.replaceChildren();
        following = answer.next;
        draw(answer, wanted);
      }
    } catch (problem) {
      trouble.replaceChildren(failed(problem));
    }
  }

  /** @param {any} answer @param {string} wanted */
  function draw({ queues, hasMore }, wanted) {
    const focused = rows.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
    rows.replaceChildren(...queues.map(row));
    if (focused) {
      rows.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    }
    note.textContent = queues.length === 0 ? say(wanted ? 'queues.noMatch' : 'queues.none') : hasMore ? say('queues.someMatches', { n: queues.length }) : '';
    previous.hidden = Boolean(wanted) || starts.length === 1;
    next.hidden = Boolean(wanted) || following === undefined;
  }

  filter.addEventListener('input', () => {
    starts = [undefined];
    load();
  });
  main.replaceChildren(
    h(
      'div',
      { class: 'head row' },
      h('h1', { tabindex: -1 }, say('queues.title')),
      may('admin') && !isLimited() ? h('a', { class: 'button primary', id: 'new-queue', href: '#/new' }, say('queues.new')) : null,
    ),
    h(
      'section',
      { class: 'card', 'aria-label': say('queues.title') },
      filter,
      trouble,
      h(
        'div',
        { class: 'scroll whole', tabindex: 0, role: 'group', 'aria-label': say('queues.title') },
        h(
          'table',
          { class: 'queues' },
          h('thead', {}, h('tr', {}, ['name', 'state', 'waiting', 'inside', 'first'].map((name) => h('th', { scope: 'col', class: /waiting|inside|first/.test(name) ? 'n' : '' }, say(`queues.${name}`))))),
          rows,
        ),
      ),
      note,
      h('div', { class: 'actions' }, previous, next),
    ),
  );
  load();
  every(rows, REFRESH, load);
}

/** @param {any} queue */
function row(queue) {
  const name = nameOf(queue);
  const title = inLanguage(queue.title);
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, h('a', { href: `#/queues/${name}` }, name), title ? h('span', { class: 'quiet' }, ` ${title}`) : null),
    h('td', { class: 'standing' }, badge(queue), h('span', { class: 'quiet' }, standing(queue))),
    h('td', { class: 'n' }, number(queue.figures.waiting)),
    h('td', { class: 'n' }, `${number(queue.figures.inside)} / ${number(queue.maxCapacity)}`),
    h('td', { class: 'n' }, queue.figures.waiting ? span(queue.figures.longestWaitSeconds) : '–'),
  );
}
