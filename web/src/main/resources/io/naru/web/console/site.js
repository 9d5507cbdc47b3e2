// @ts-check
// How the site did in the last hour, and the rate that follows it, where one does.

import { get, queuePath } from './api.js';
import { chart } from './chart.js';
import { say, sayOr } from './words.js';

const MINUTE = 60_000;
const HOUR = 60;
/** What was asked before is kept: a point a second for an hour is much to ask for again. */
const AGAIN = 2;

/**
 * @param {string} name of the queue
 * @returns {(times: number[]) => Promise<any[]>} asks, and draws these minutes
 */
export function siteCharts(name) {
  /** By minute: the worst answers and the last rate, with what made it so. @type {Map<number, {p95: number, rate: number, why: string}>} */
  const known = new Map();

  /** @param {any[]} points of every second, oldest first */
  function keep(points) {
    const isFirst = known.size === 0;
    /** @type {Map<number, any[]>} */
    const minutes = new Map();
    for (const point of points) {
      const minute = Math.floor(Date.parse(point.at) / MINUTE) * MINUTE;
      minutes.set(minute, [...(minutes.get(minute) ?? []), point]);
    }
    [...minutes].forEach(([minute, its], i) => {
      // Of the oldest only a part may have been asked for.
      if (isFirst || i > 0 || !known.has(minute)) {
        const last = its[its.length - 1];
        known.set(minute, { p95: Math.max(...its.map(({ p95Millis }) => p95Millis)), rate: last.ratePerSecond, why: last.reason });
      }
    });
  }

  return async (times) => {
    const { history } = await get(queuePath(name, `/rate?minutes=${known.size === 0 ? HOUR : AGAIN}`));
    keep(history);
    [...known.keys()].filter((minute) => minute < times[0] - MINUTE).forEach((minute) => known.delete(minute));
    const minutes = times.map((at) => known.get(Math.floor(at / MINUTE) * MINUTE));
    const why = minutes.findLast(Boolean)?.why;
    const because = why ? ` · ${sayOr(`why.${why}`, why)}` : '';
    return [
      chart({ title: say('chart.site'), times, series: [{ name: say('chart.p95'), kind: 'latency', values: minutes.map((minute) => minute?.p95 ?? null) }] }),
      chart({ title: `${say('chart.rateTitle')}${because}`, times, series: [{ name: say('chart.rate'), kind: 'admitted', values: minutes.map((minute) => minute?.rate ?? null) }] }),
    ];
  };
}
