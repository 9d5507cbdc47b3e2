// @ts-check
// What there is to go in for, said by hand: for a site that does not say so itself, or said something wrong.

import { act, get, queuePath } from './api.js';
import { doing } from './dialogs.js';
import { field, h } from './dom.js';
import { say } from './words.js';

/** @param {any} [pool] */
function row(pool = { name: '', remaining: 0, held: 0 }) {
  const count = (/** @type {string} */ name) => h('input', { type: 'number', min: 0, max: 10_000_000, step: 1, inputmode: 'numeric', name, value: pool[name] ?? 0 });
  const name = h('input', { type: 'text', maxlength: 64, name: 'pool', value: pool.name, spellcheck: 'false' });
  const remaining = count('remaining');
  const held = count('held');
  return {
    element: h('div', { class: 'admit' }, field(say('stock.pool'), name), field(say('stock.remaining'), remaining), field(say('stock.held'), held)),
    value: () => ({ name: name.value.trim(), remaining: Number(remaining.value), held: Number(held.value) }),
  };
}

/** @param {string} name of the queue */
export function stockForm(name) {
  const pools = h('div', {});
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  let isShown = false;

  /** @param {any} [pool] */
  function add(pool) {
    const one = row(pool);
    rows.push(one);
    pools.append(one.element);
    return one;
  }

  async function push() {
    // What the site says meanwhile is later than what was read before this was typed.
    const { stockFigures } = await get(queuePath(name));
    const said = rows.map((one) => one.value()).filter((pool) => pool.name !== '');
    const { taken } = await act(name, 'stock', { version: (stockFigures?.version ?? 0) + 1, pools: said });
    return say(taken ? 'stock.pushed' : 'stock.overtaken');
  }

  const more = h('button', { type: 'button', class: 'plain', onclick: () => add().element.querySelector('input').focus() }, say('stock.add'));
  const said = h('p', { class: 'quiet', role: 'status', id: 'said-stock' });
  const element = h(
    'div',
    { id: 'push-stock', role: 'group', 'aria-label': say('stock.title') },
    h('h3', {}, say('stock.title')),
    pools,
    h(
      'div',
      { class: 'acts' },
      doing(say('stock.push'), async () => (said.textContent = await push()), { id: 'act-stock' }),
      more,
    ),
    said,
  );

  return {
    element,
    /** Where nothing was typed yet, what was said last stands there. @param {any} queue */
    draw(queue) {
      element.hidden = !queue.stock;
      if (queue.stock && !isShown) {
        isShown = true;
        rows = [];
        pools.replaceChildren();
        (queue.stockFigures?.pools ?? [undefined]).forEach(add);
      }
    },
  };
}
