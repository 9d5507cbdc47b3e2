// @ts-check
// What those are told who have no place yet: in the lobby, during the draw, and in the moment after arriving. wait.js loads
// this where it is needed.

import { at, number, say } from './words.js';

/** So long after its time a coin is late. */
const LATE = 15_000;

/**
 * @param {any} entry somebody without a place
 * @param {any} draw how far the draw is, as it was last heard of
 * @param {number} now by the server's clock
 * @returns {{state: 'lobby' | 'drawing' | 'queued' | 'settling', text: string, more: string, until: number}}
 */
export function lobbyOf({ status }, draw, now) {
  const { phase, kind, people = 0, round, coinAt, opensAt } = draw ?? {};
  if (status !== 'LOBBY') {
    const state = phase ? 'queued' : 'settling';
    return { state, text: say(`${state}.text`), more: '', until: 0 };
  }
  if (phase === 'LOBBY') {
    const text = `${say('lobby.text')} ${say(kind === 'COIN' ? 'lobby.coin' : 'lobby.seed')}`;
    return { state: 'lobby', text, more: counted('lobby', people), until: Date.parse(opensAt) };
  }
  const time = Date.parse(coinAt ?? '');
  const words = round ? { n: String(round), time: at(time) } : {};
  const coin = round ? ` ${say(now > time + LATE ? 'drawing.late' : 'drawing.coin', words)}` : '';
  return { state: 'drawing', text: say('drawing.text') + coin, more: counted('drawing', people), until: 0 };
}

/** @param {'lobby' | 'drawing'} state @param {number} n */
function counted(state, n) {
  return n === 0 ? '' : n === 1 ? say(`${state}.people.one`) : say(`${state}.people.many`, { n: number(n) });
}
