// @ts-check
// Who did what, when and from where.

import { get } from './api.js';
import { doing, failed } from './dialogs.js';
import { h } from './dom.js';
import { settingInWords, valueInWords } from './values.js';
import { say, sayOr, time } from './words.js';

const PAGE = 20;

/** What was changed, from and to. @param {any} row */
function changed(row) {
  const before = row.before ?? {};
  const after = row.after ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) =>
    h(
      'span',
      { class: 'change' },
      `${settingInWords(name)} `,
      name in before ? [h('span', { class: 'from' }, valueInWords(name, before[name])), ' → '] : null,
      h('strong', {}, valueInWords(name, after[name])),
    ),
  );
}

/** @param {any} row @param {boolean} withQueue */
function line(row, withQueue) {
  const isDone = !row.outcome || row.outcome === 'DONE';
  return h(
    'tr',
    {},
    h('td', { class: 'time' }, time(row.at)),
    h('td', {}, h('strong', {}, row.who), h('span', { class: 'quiet' }, ` ${sayOr(`role.${row.role}`, row.role ?? '')} ${row.from ?? ''}`)),
    withQueue ? h('td', {}, row.queue ? h('a', { href: `#/queues/${row.queue}` }, row.queue) : '') : null,
    h('td', {}, sayOr(`act.${row.act}`, row.act), isDone ? null : h('span', { class: 'quiet' }, ` (${sayOr(`outcome.${row.outcome}`, row.outcome)})`)),
    h('td', {}, changed(row)),
  );
}

/**
 * A table that shows newer rows as they come and older ones when asked to.
 *
 * @param {string} path
 * @param {boolean} [withQueue] whether the rows are of many queues
 */
export function auditTable(path, withQueue = false) {
  const rows = h('tbody', {});
  const place = h('div', {}, h('p', { class: 'quiet' }, say('loading')));
  const more = doing(say('more'), older, { class: 'plain' });
  /** @type {string | undefined} */
  let next;
  let newest = '';
  let isShown = false;

  const page = (/** @type {string | undefined} */ after) =>
    get(`${path}?limit=${PAGE}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`);

  function draw() {
    more.hidden = next === undefined;
    if (!isShown) {
      isShown = true;
      place.replaceChildren(
        h(
          'div',
          { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': say('audit.title') },
          h(
            'table',
            { class: 'audit' },
            h(
              'thead',
              {},
              h('tr', {}, ['time', 'who', ...(withQueue ? ['queue'] : []), 'act', 'change'].map((name) => h('th', { scope: 'col' }, say(`audit.${name}`)))),
            ),
            rows,
          ),
        ),
        more,
      );
    }
    if (!rows.hasChildNodes()) {
      rows.append(h('tr', {}, h('td', { colspan: withQueue ? 5 : 4, class: 'quiet' }, say('audit.none'))));
    }
  }

  async function load() {
    try {
      const { audit, next: after } = await page(undefined);
      const first = audit.length ? String(audit[0].id) : '';
      if (isShown && first === newest) {
        return;
      }
      newest = first;
      next = after;
      rows.replaceChildren(...audit.map((/** @type {any} */ row) => line(row, withQueue)));
      draw();
    } catch (problem) {
      isShown = false;
      place.replaceChildren(failed(problem));
    }
  }

  async function older() {
    const { audit, next: after } = await page(next);
    next = after;
    rows.append(...audit.map((/** @type {any} */ row) => line(row, withQueue)));
    draw();
    return say('audit.loaded', { n: audit.length });
  }

  load();
  return { element: place, load };
}

/** The whole of it. @param {Element} main */
export function showAudit(main) {
  const table = auditTable('/admin/audit', true);
  main.replaceChildren(h('h1', { tabindex: -1 }, say('audit.title')), h('section', { class: 'card' }, table.element));
}
