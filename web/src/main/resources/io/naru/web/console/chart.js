// @ts-check
// Lines over the last hour, as SVG of our own: no library, no build step, and a table of the same for whoever sees none.

import { h, id, svg } from './dom.js';
import { clock, decimal, number, say } from './words.js';

const WIDTH = 600;
const HEIGHT = 120;
const BOTTOM = 16;

/** A round number not below n, to end an axis with. @param {number} n */
export function ceiling(n) {
  if (n <= 4) {
    return 4;
  }
  const power = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 4, 5, 10].map((m) => m * power).find((m) => m >= n) ?? n;
}

/**
 * @param {object} options
 * @param {string} options.title
 * @param {number[]} options.times the moments, oldest first
 * @param {{name: string, kind: string, values: (number | null)[]}[]} options.series null where nothing is known
 */
export function chart({ title, times, series }) {
  const top = ceiling(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const x = (/** @type {number} */ i) => (times.length < 2 ? 0 : (i / (times.length - 1)) * WIDTH);
  const y = (/** @type {number} */ value) => HEIGHT - (value / top) * (HEIGHT - 4);
  const titleId = id('chart');
  const lasts = series.map(({ name, values }) => `${name} ${number(values.findLast((value) => value !== null) ?? 0)}`);
  return h(
    'figure',
    { class: 'chart' },
    h(
      'figcaption',
      {},
      h('span', { id: titleId }, title),
      series.map(({ name, kind }) => h('span', { class: `key ${kind}` }, name)),
    ),
    h(
      'div',
      { class: 'plot' },
      svg(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT + BOTTOM}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${lasts.join(', ')}` },
        [0, 0.5, 1].map((part) => svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: y(part * top), y2: y(part * top) })),
        series.map(({ kind, values }) => svg('path', { class: `line ${kind}`, d: path(values, x, y) })),
      ),
      h('span', { class: 'top quiet', 'aria-hidden': 'true' }, number(top)),
      h('span', { class: 'middle quiet', 'aria-hidden': 'true' }, number(top / 2)),
    ),
    h(
      'div',
      { class: 'axis quiet', 'aria-hidden': 'true' },
      h('span', {}, times.length ? clock(times[0]) : ''),
      h('span', {}, times.length ? clock(times[times.length - 1]) : ''),
    ),
    table(title, times, series),
  );
}

/** @param {(number | null)[]} values @param {(i: number) => number} x @param {(value: number) => number} y */
function path(values, x, y) {
  let isDown = false;
  return values
    .map((value, i) => {
      if (value === null) {
        isDown = false;
        return '';
      }
      // A point alone is seen as one.
      const isAlone = !isDown && (values[i + 1] ?? null) === null;
      const step = `${isDown ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}${isAlone ? 'h0' : ''}`;
      isDown = true;
      return step;
    })
    .join('');
}

/** @param {string} title @param {number[]} times @param {{name: string, values: (number | null)[]}[]} series */
function table(title, times, series) {
  return h(
    'details',
    {},
    h('summary', {}, say('chart.table')),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': title },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, say('chart.time')), series.map(({ name }) => h('th', { scope: 'col', class: 'n' }, name)))),
        h(
          'tbody',
          {},
          times
            .map((at, i) =>
              h(
                'tr',
                {},
                h('th', { scope: 'row' }, clock(at)),
                series.map(({ values }) => h('td', { class: 'n' }, values[i] === null ? '–' : decimal(values[i] ?? 0))),
              ),
            )
            .reverse(),
        ),
      ),
    ),
  );
}
