// @ts-check
// Who outside is told what happens: made, tried, given another secret; and what did not arrive, sent again.

import { call, get, may, post } from './api.js';
import { ask, failed } from './dialogs.js';
import { announce, field, h, put } from './dom.js';
import { makingCard, shownOnce, words } from './making.js';
import { number, say, time } from './words.js';

const PATH = '/admin/webhooks';
const STATES = ['failed', 'pending', 'done'];
const PAGE = 50;
const DAY = 24 * 3_600_000;

/** @param {Element} main */
export function showWebhooks(main) {
  const list = h('div', {}, h('p', { class: 'quiet' }, say('loading')));
  main.replaceChildren(
    h('h1', { tabindex: -1 }, say('webhooks.title')),
    may('admin') ? makeCard(load) : '',
    h('section', { class: 'card', 'aria-labelledby': 'webhooks-title' }, h('h2', { id: 'webhooks-title' }, say('webhooks.all')), list),
  );

  async function load() {
    try {
      const { webhooks } = await get(`${PATH}?limit=100`);
      list.replaceChildren(table(webhooks, load));
    } catch (problem) {
      list.replaceChildren(failed(problem));
    }
  }
  load();
}

/** @param {any[]} webhooks @param {() => void} changed */
function table(webhooks, changed) {
  if (webhooks.length === 0) {
    return h('p', { class: 'quiet' }, say('webhooks.none'));
  }
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'webhooks-title' },
    h(
      'table',
      { id: 'webhooks' },
      h('thead', {}, h('tr', {}, ['name', 'url', 'queues', 'events', 'state'].map((key) => h('th', { scope: 'col' }, say(`webhooks.${key}`))), h('td', {}))),
      h('tbody', {}, webhooks.map((webhook) => row(webhook, changed))),
    ),
  );
}

/** @param {any} webhook @param {() => void} changed */
function row(webhook, changed) {
  return h(
    'tr',
    { class: webhook.enabled ? '' : 'over' },
    h('th', { scope: 'row' }, h('a', { href: `#/webhooks/${webhook.id}` }, webhook.name)),
    h('td', {}, webhook.url),
    h('td', {}, webhook.queues?.join(', ') ?? say('access.all')),
    h('td', {}, webhook.events?.join(', ') ?? say('webhooks.usual')),
    h('td', {}, webhook.enabled ? say('webhooks.on') : say('webhooks.off', { reason: webhook.because ?? '' })),
    h('td', {}, h('div', { class: 'actions' }, actions(webhook, changed))),
  );
}

/** @param {any} webhook @param {() => void} changed */
function actions(webhook, changed) {
  const path = `${PATH}/${encodeURIComponent(webhook.id)}`;
  const button = (/** @type {string} */ key, /** @type {() => Promise<any>} */ act, danger = false) =>
    h('button', { type: 'button', class: danger ? 'danger' : 'plain', 'aria-label': say(`webhooks.${key}Named`, { name: webhook.name }), onclick: act }, say(`webhooks.${key}`));
  const test = button('test', () =>
    ask({
      title: say('webhooks.test.title', { name: webhook.name }),
      text: say('webhooks.test.text'),
      yes: say('webhooks.test'),
      act: () => post(`${path}/test`, {}),
    }).then((isDone) => {
      if (isDone) {
        location.hash = `#/webhooks/${webhook.id}`;
      }
    }),
  );
  if (!may('admin')) {
    return webhook.enabled ? [test] : [];
  }
  const rotate = button('rotate', async () => {
    /** @type {any} */
    let made;
    const isDone = await ask({
      title: say('webhooks.rotate.title', { name: webhook.name }),
      text: say('webhooks.rotate.text'),
      yes: say('webhooks.rotate'),
      act: async () => {
        made = await post(`${path}/rotate`, {});
      },
    });
    if (isDone) {
      await shownSecret(made);
      changed();
    }
  });
  const toggle = button(webhook.enabled ? 'disable' : 'enable', async () => {
    const key = webhook.enabled ? 'disable' : 'enable';
    const isDone = await ask({
      title: say(`webhooks.${key}.title`, { name: webhook.name }),
      text: say(`webhooks.${key}.text`),
      yes: say(`webhooks.${key}`),
      danger: webhook.enabled,
      act: () => call('PUT', path, { enabled: !webhook.enabled }),
    });
    if (isDone) {
      changed();
    }
  });
  const remove = button(
    'delete',
    async () => {
      const isDone = await ask({
        title: say('webhooks.delete.title', { name: webhook.name }),
        text: say('webhooks.delete.text'),
        yes: say('webhooks.delete'),
        danger: true,
        act: () => call('DELETE', path),
      });
      if (isDone) {
        announce(say('webhooks.deleted'));
        changed();
      }
    },
    true,
  );
  return webhook.enabled ? [test, rotate, toggle, remove] : [toggle, remove];
}

/** @param {() => void} changed */
function makeCard(changed) {
  const url = h('input', { type: 'url', name: 'url', maxlength: 2_000, autocomplete: 'off', spellcheck: 'false', placeholder: 'https://shop.example/hooks/naru', required: true });
  const name = h('input', { type: 'text', name: 'name', maxlength: 64, autocomplete: 'off' });
  const queues = h('input', { type: 'text', name: 'queues', autocomplete: 'off', spellcheck: 'false', placeholder: 'CONCERT/1, SALE/*' });
  const events = h('input', { type: 'text', name: 'events', autocomplete: 'off', spellcheck: 'false', placeholder: 'sold-out, completed' });
  return makingCard({
    title: say('webhooks.new'),
    label: say('webhooks.make'),
    inputs: { url, name, queues, events },
    fields: [
      field(say('webhooks.url'), url, { hint: say('webhooks.urlHint') }),
      field(say('webhooks.name'), name, { hint: say('webhooks.nameHint') }),
      field(say('webhooks.queues'), queues, { hint: say('access.queuesHint') }),
      field(say('webhooks.events'), events, { hint: say('webhooks.eventsHint') }),
    ],
    act: () =>
      post(PATH, {
        url: url.value.trim(),
        ...(name.value.trim() ? { name: name.value.trim() } : {}),
        ...(words(queues).length ? { queues: words(queues) } : {}),
        ...(words(events).length ? { events: words(events) } : {}),
      }),
    then: (made) => {
      changed();
      return shownSecret(made);
    },
  });
}

/** @param {any} made */
const shownSecret = (made) =>
  shownOnce({ title: say('webhooks.made', { name: made.name }), text: say('webhooks.once'), label: say('webhooks.secret'), id: 'new-secret', secret: made.secret });

/** What was sent to one of them. @param {Element} main @param {string} id */
export function showDeliveries(main, id) {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const list = h('div', {}, h('p', { class: 'quiet' }, say('loading')));
  const heading = h('h1', { tabindex: -1 }, say('webhooks.title'));
  const state = h('select', { name: 'state', onchange: () => load() }, STATES.map((value) => h('option', { value }, say(`webhooks.${value}`))));
  const all = h(
    'button',
    {
      type: 'button',
      class: 'plain',
      id: 'replay-failed',
      onclick: async () => {
        let count = 0;
        const isDone = await ask({
          title: say('webhooks.replayFailed.title'),
          text: say('webhooks.replayFailed.text'),
          yes: say('webhooks.replayFailed'),
          act: async () => {
            count = (await post(`${path}/replay`, { since: new Date(Date.now() - DAY).toISOString() })).replayed;
          },
        });
        if (isDone) {
          announce(say('webhooks.replayed', { count: number(count) }));
          load();
        }
      },
    },
    say('webhooks.replayFailed'),
  );
  main.replaceChildren(
    heading,
    h('p', {}, h('a', { href: '#/webhooks' }, say('webhooks.back'))),
    h(
      'section',
      { class: 'card', 'aria-labelledby': 'deliveries-title' },
      h('h2', { id: 'deliveries-title' }, say('webhooks.deliveries')),
      h('div', { class: 'fields' }, field(say('webhooks.state'), state)),
      h('div', { class: 'actions' }, all),
      list,
    ),
  );

  async function load() {
    try {
      const [webhook, found] = await Promise.all([get(path), get(`${path}/deliveries?limit=${PAGE}&state=${state.value}`)]);
      put(heading, webhook.name);
      list.replaceChildren(deliveries(found.deliveries));
    } catch (problem) {
      list.replaceChildren(failed(problem));
    }
  }

  /** @param {any[]} rows */
  function deliveries(rows) {
    if (rows.length === 0) {
      return h('p', { class: 'quiet' }, say('webhooks.noDeliveries'));
    }
    return h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'deliveries-title' },
      h(
        'table',
        { id: 'deliveries' },
        h('thead', {}, h('tr', {}, ['at', 'event', 'queue', 'tries', 'error'].map((key) => h('th', { scope: 'col' }, say(`webhooks.${key}`))), h('td', {}))),
        h(
          'tbody',
          {},
          rows.map((row) =>
            h(
              'tr',
              {},
              h('td', { class: 'time' }, time(row.createdAt)),
              h('th', { scope: 'row' }, row.event),
              h('td', {}, row.queue ?? ''),
              h('td', {}, number(row.tries)),
              h('td', {}, row.error ?? '–'),
              h(
                'td',
                {},
                h(
                  'button',
                  {
                    type: 'button',
                    class: 'plain',
                    'aria-label': say('webhooks.replayNamed', { event: row.event, time: time(row.createdAt) }),
                    onclick: async () => {
                      try {
                        await post(`${path}/deliveries/${encodeURIComponent(row.id)}/replay`, {});
                        announce(say('webhooks.replayed', { count: number(1) }));
                        load();
                      } catch (problem) {
                        list.prepend(failed(problem));
                      }
                    },
                  },
                  say('webhooks.replay'),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }
  load();
}
