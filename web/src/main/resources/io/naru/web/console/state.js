// @ts-check
// What state a queue is in, in words: the same on its own screen and in the list of all.

import { h } from './dom.js';
import { number, say, time } from './words.js';

/** What the operator allows, in one word, also of servers that do not say it. @param {any} queue */
export const stateOf = (queue) => queue.state ?? (queue.isActive ? 'OPEN' : 'INACTIVE');

/** Whether a moment that was set is still to come. @param {any} queue @param {string | null} [moment] */
const isToCome = (queue, moment) => Boolean(moment) && Date.parse(/** @type {string} */ (moment)) > Date.parse(queue.at);

/** Whether it is entered later by itself. @param {any} queue */
const isEarly = (queue) => queue.entryOpen && isToCome(queue, queue.lobbyOpensAt ?? queue.opensAt);

/** As visitors find it: within the times that are set, and with what there is. @param {any} queue */
function wordOf(queue) {
  const now = queue.stateNow ?? stateOf(queue);
  if (now !== 'ENDED' && isEarly(queue)) {
    // A pause outlasts the opening, so it comes first.
    return queue.admissionPaused ? 'PAUSED' : 'EARLY';
  }
  if (now !== 'OPEN') {
    return now;
  }
  if (queue.lobbyOpensAt && isToCome(queue, queue.opensAt)) {
    return 'LOBBY';
  }
  if (queue.pausedBy === 'draw') {
    return 'DRAW';
  }
  return queue.pausedBy === 'stock' && queue.stockNow !== 'stale' ? queue.stockNow : 'OPEN';
}

/** @param {any} queue */
export function badge(queue) {
  const word = wordOf(queue);
  return h('span', { class: 'state', 'data-state': word }, say(`state.${word}`));
}

/** Since when it is in its state, as far as that is kept; or until when. @param {any} queue */
function when(queue) {
  if (isEarly(queue)) {
    return queue.lobbyOpensAt ? say('state.lobbyOpens', { time: time(queue.lobbyOpensAt) }) : say('state.opens', { time: time(queue.opensAt) });
  }
  const word = wordOf(queue);
  if (word === 'LOBBY') {
    return say('state.drawn', { time: time(queue.opensAt) });
  }
  const isClosedByTime = word === 'CLOSED' && queue.entryOpen && queue.closesAt;
  const at = isClosedByTime ? queue.closesAt : { OPEN: queue.activatedAt, INACTIVE: queue.deactivatedAt, ENDED: queue.endedAt }[word];
  return at ? say('state.since', { time: time(at) }) : '';
}

/** What keeps everybody from going in, if the badge does not say it. @param {any} queue */
function held(queue) {
  if (queue.admissionPaused) {
    return queue.pausedReason;
  }
  switch (queue.pausedBy) {
    case 'store':
      return say('health.away');
    case 'schedule':
      return isToCome(queue, queue.notBefore) ? say('state.notBefore', { time: time(queue.notBefore) }) : '';
    case 'stock':
      return ofStock(queue);
    default:
      return '';
  }
}

/** @param {any} queue */
function ofStock({ stockNow, stockFigures, stateNow }) {
  if (stockNow === 'paying') {
    return say('state.unpaid', { n: number(stockFigures.held) });
  }
  return stockNow === 'stale' ? say('state.stale') : stateNow === 'OPEN' ? '' : say('state.sold-out');
}

/** What there is to say beside the badge; empty if nothing. @param {any} queue */
export const standing = (queue) => [when(queue), held(queue)].filter(Boolean).join(' · ');
