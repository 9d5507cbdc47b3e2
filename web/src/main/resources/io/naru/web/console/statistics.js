// @ts-check
// After the sale: how long people waited, who gave up, who got in.

import { get, queuePath } from './api.js';
import { fill } from './dialogs.js';
import { h } from './dom.js';
import { subNav } from './queue.js';
import { number, percent, say, span } from './words.js';

const PERCENTILES = ['average', 'p50', 'p90', 'p95', 'p99', 'max'];

/** @param {Element} main @param {string} name */
export async function showStatistics(main, name) {
  const place = h('div', {}, h('p', { class: 'quiet' }, say('loading')));
  main.replaceChildren(
    h('div', { class: 'head' }, h('h1', { tabindex: -1 }, name, h('span', { class: 'quiet' }, ` ${say('nav.statistics')}`))),
    subNav(name, 'statistics'),
    place,
  );
  await fill(place, get(queuePath(name, '/statistics')), (statistics) => [
    totals(statistics),
    waits(statistics),
    abandonment(statistics.abandonment ?? []),
    h('p', {}, h('a', { class: 'button', id: 'csv', href: queuePath(name, '/statistics?format=csv'), download: `${name.replace('/', '-')}.csv` }, say('statistics.csv'))),
  ]);
}

/** @param {any} statistics */
function totals(statistics) {
  const pair = (/** @type {string} */ key, /** @type {string} */ value) =>
    h('div', {}, h('dt', {}, say(key)), h('dd', { 'data-statistic': key }, value));
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'totals-title' },
    h('h2', { id: 'totals-title' }, say('statistics.totals')),
    h(
      'dl',
      { class: 'totals' },
      ['joined', 'entered', 'completed', 'left', 'expired'].map((key) => pair(`total.${key}`, number(statistics[key]))),
      pair('statistics.gotIn', percent(statistics.gotInShare)),
      pair('statistics.noShows', number(statistics.noShows)),
    ),
  );
}

/** @param {any} statistics */
function waits(statistics) {
  const of = (/** @type {any} */ spans, /** @type {string} */ key) => (spans && spans.count > 0 && spans[key] !== null ? span(spans[key]) : '–');
  const rows = [
    ['statistics.wait', statistics.waitSeconds],
    ['statistics.inside', statistics.insideSeconds],
  ];
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'waits-title' },
    h('h2', { id: 'waits-title' }, say('statistics.spans')),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'waits-title' },
      h(
        'table',
        { id: 'percentiles' },
        h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col', class: 'n' }, say('statistics.people')), PERCENTILES.map((key) => h('th', { scope: 'col', class: 'n' }, say(`statistics.${key}`))))),
        h(
          'tbody',
          {},
          rows.map(([label, spans]) =>
            h('tr', {}, h('th', { scope: 'row' }, say(label)), h('td', { class: 'n' }, number(spans?.count ?? 0)), PERCENTILES.map((key) => h('td', { class: 'n' }, of(spans, key)))),
          ),
        ),
      ),
    ),
  );
}

/** @param {any[]} rows */
function abandonment(rows) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'abandonment-title' },
    h('h2', { id: 'abandonment-title' }, say('statistics.abandonment')),
    h('p', { class: 'quiet' }, say('statistics.abandonmentHint')),
    rows.length === 0
      ? h('p', {}, say('statistics.nothing'))
      : h(
          'div',
          { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'abandonment-title' },
          h(
            'table',
            { id: 'abandonment' },
            h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, say('statistics.waited')), ['people', 'leftShare'].map((key) => h('th', { scope: 'col', class: 'n' }, say(`statistics.${key}`))))),
            h(
              'tbody',
              {},
              rows.map((row) =>
                h(
                  'tr',
                  {},
                  h('th', { scope: 'row' }, row.waitedToSeconds === null || row.waitedToSeconds === undefined ? say('statistics.from', { a: span(row.waitedFromSeconds) }) : `${span(row.waitedFromSeconds)} – ${span(row.waitedToSeconds)}`),
                  h('td', { class: 'n' }, number(row.people)),
                  h('td', { class: 'n' }, h('meter', { min: 0, max: Math.max(1, row.people), value: row.left, 'aria-hidden': 'true' }), ' ', row.people > 0 ? percent(row.left / row.people) : '–'),
                ),
              ),
            ),
          ),
        ),
  );
}
