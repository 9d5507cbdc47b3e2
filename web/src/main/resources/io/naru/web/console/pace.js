// @ts-check
// What capacity, rate and turn come to, as sums and in words. Nothing here touches the page.

import { decimal, number, say, span } from './words.js';

/** @typedef {{maxCapacity: number, entryBatchSize: number, entryIntervalSeconds: number, passTtlSeconds: number}} Pace */

/** How many may go in a second. @param {Pace} pace */
export const perSecond = (pace) => pace.entryBatchSize / pace.entryIntervalSeconds;

/** How many a second get in once the house is full, if everybody uses the whole turn. @param {Pace} pace */
export const perSecondWhenFull = (pace) => pace.maxCapacity / pace.passTtlSeconds;

/** A rate as batch and interval, in whole numbers: 0.5 a second is one every two. @param {number} rate @returns {[number, number]} */
export function batchOf(rate) {
  for (const interval of [1, 2, 3, 4, 5, 10, 12, 15, 20, 30, 60]) {
    const batch = rate * interval;
    if (Math.abs(batch - Math.round(batch)) < 1e-6 && batch >= 1) {
      return [Math.round(batch), interval];
    }
  }
  return rate >= 1 ? [Math.round(rate), 1] : [1, Math.min(3_600, Math.round(1 / rate))];
}

/** What a queue of this pace does, a sentence each. @param {Pace} pace */
export function inWords(pace) {
  const rate = perSecond(pace);
  const full = perSecondWhenFull(pace);
  return [
    say('pace.capacity', { n: number(pace.maxCapacity) }),
    say('pace.rate', { n: number(pace.entryBatchSize), rate: decimal(rate), interval: span(pace.entryIntervalSeconds) }),
    say('pace.turn', { turn: span(pace.passTtlSeconds) }),
    full < rate
      ? say('pace.boundByCapacity', { rate: decimal(full), seconds: span(pace.maxCapacity / rate) })
      : say('pace.boundByRate', { rate: decimal(rate) }),
    say('pace.tenThousand', { time: span(10_000 / Math.min(rate, full)) }),
  ];
}

/**
 * What a change of pace would do to this queue, a sentence each.
 *
 * @param {any} queue as it is
 * @param {Pace} next
 */
export function effects(queue, next) {
  const { waiting, inside } = queue.figures;
  const said = [];
  if (next.maxCapacity !== queue.maxCapacity) {
    const room = next.maxCapacity - inside;
    said.push(
      room <= 0
        ? say('effect.capacityBelow', { inside: number(inside), n: number(next.maxCapacity) })
        : say('effect.capacityRoom', { room: number(room) }),
    );
  }
  if (perSecond(next) !== perSecond(queue)) {
    said.push(
      say(perSecond(next) > perSecond(queue) ? 'effect.faster' : 'effect.slower', {
        from: decimal(perSecond(queue)),
        to: decimal(perSecond(next)),
      }),
    );
  }
  if (waiting > 0 && (perSecond(next) !== perSecond(queue) || next.maxCapacity !== queue.maxCapacity)) {
    said.push(say('effect.line', { n: number(waiting), time: span(waiting / perSecond(next)) }));
  }
  if (next.passTtlSeconds !== queue.passTtlSeconds) {
    said.push(say('effect.turn', { turn: span(next.passTtlSeconds) }));
  }
  return said;
}
