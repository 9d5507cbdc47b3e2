// @ts-check
// The draw of a queue: how far it is, what is published of it, and the coin, which an operator may bring by hand.

import { act, get, may } from './api.js';
import { ask, failed } from './dialogs.js';
import { announce, every, field, h, put } from './dom.js';
import { number, say, time } from './words.js';

/** How often to look while it goes on. */
const LOOK = 2_000;

/** @param {string} name of the queue */
export function drawCard(name) {
  const state = h('p', { role: 'status', id: 'draw-state' });
  const facts = h('dl', { class: 'facts', id: 'draw-facts' });
  const coin = h('button', { type: 'button', id: 'act-draw', onclick: () => bring() }, say('draw.bring'));
  const element = h(
    'section',
    { class: 'card', id: 'draw', 'aria-labelledby': 'draw-title', hidden: true },
    h('h2', { id: 'draw-title' }, say('draw.title')),
    state,
    facts,
    may('operator') ? h('p', { class: 'actions' }, coin) : null,
  );
  /** As it was told last. @type {any} */
  let draw = null;
  let phase = 'NONE';
  let isAsking = false;

  async function look() {
    if (isAsking) {
      return;
    }
    isAsking = true;
    try {
      draw = await get(`/queue/${name}/draw`);
      show();
    } catch (problem) {
      state.replaceChildren(failed(problem));
    } finally {
      isAsking = false;
    }
  }

  function show() {
    const isWaiting = draw.phase === 'CLOSED' && draw.round > 0;
    element.dataset.phase = draw.phase;
    put(state, isWaiting ? say('draw.state.coin', { round: String(draw.round), time: time(draw.coinAt) }) : say(`draw.state.${draw.phase}`));
    coin.hidden = !isWaiting;
    facts.replaceChildren(
      ...fact('draw.kind', say(`value.draw.${draw.kind}`)),
      ...fact('draw.count', draw.count === undefined ? '' : number(draw.count)),
      ...fact('draw.settled', draw.phase === 'DRAWN' ? number(draw.settled) : ''),
      ...fact('draw.commitment', draw.commitment),
      ...fact('draw.root', draw.root),
      ...fact('draw.signature', draw.signature),
      ...fact('draw.seed', draw.seed),
    );
  }

  async function bring() {
    const signature = h('input', { type: 'text', name: 'signature', maxlength: 96, autocomplete: 'off', spellcheck: 'false' });
    const { round, chain } = draw;
    await ask({
      title: say('draw.bring.title', { round: String(round) }),
      text: say('draw.bring.text', { chain, round: String(round) }),
      body: field(say('draw.bring.signature'), signature, { hint: say('draw.bring.hint') }),
      yes: say('draw.bring.yes'),
      act: async () => {
        await act(name, 'draw', { round, signature: signature.value.trim() });
        announce(say('draw.bring.done'));
      },
    });
    await look();
  }

  every(element, LOOK, () => {
    // What everybody may read is up to a second older than what operators are told.
    const isOld = phase !== 'NONE' && draw?.phase !== phase;
    if (isOld || phase === 'CLOSED' || phase === 'DRAWN') {
      look();
    }
  });

  return {
    element,
    /** @param {any} queue */
    draw(queue) {
      const now = queue.drawPhase ?? 'NONE';
      element.hidden = now === 'NONE';
      if (now !== phase) {
        phase = now;
        if (now !== 'NONE') {
          look();
        }
      }
    },
  };
}

/** @param {string} label @param {string} [value] */
function fact(label, value) {
  return value ? [h('dt', {}, say(label)), h('dd', {}, value)] : [];
}
