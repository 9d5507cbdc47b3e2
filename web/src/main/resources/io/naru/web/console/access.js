// @ts-check
// Keys of people who work here: made, shown once, revoked.

import { call, get, post } from './api.js';
import { ask, failed } from './dialogs.js';
import { announce, field, h } from './dom.js';
import { makingCard, shownOnce, words } from './making.js';
import { say, sayOr, time } from './words.js';

const ROLES = ['viewer', 'operator', 'admin', 'signal'];
const PAGE = 100;

/** @param {Element} main */
export function showAccess(main) {
  const list = h('div', {}, h('p', { class: 'quiet' }, say('loading')));
  main.replaceChildren(h('h1', { tabindex: -1 }, say('access.title')), makeCard(load), h('section', { class: 'card', 'aria-labelledby': 'keys-title' }, h('h2', { id: 'keys-title' }, say('access.keys')), list));

  async function load() {
    try {
      const keys = await all();
      list.replaceChildren(table(keys, load));
    } catch (problem) {
      list.replaceChildren(failed(problem));
    }
  }
  load();
}

/** Bounded: nobody has so many people. */
async function all() {
  const keys = [];
  /** @type {string | undefined} */
  let after;
  do {
    const answer = await get(`/admin/access-keys?limit=${PAGE}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`);
    keys.push(...answer.accessKeys);
    after = answer.next;
  } while (after !== undefined && keys.length < 2_000);
  return keys;
}

/** @param {any[]} keys @param {() => void} changed */
function table(keys, changed) {
  if (keys.length === 0) {
    return h('p', { class: 'quiet' }, say('access.none'));
  }
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'keys-title' },
    h(
      'table',
      { id: 'keys' },
      h('thead', {}, h('tr', {}, ['name', 'role', 'queues', 'used', 'expires'].map((key) => h('th', { scope: 'col' }, say(`access.${key}`))), h('td', {}))),
      h('tbody', {}, keys.map((key) => row(key, changed))),
    ),
  );
}

/** @param {any} key @param {() => void} changed */
function row(key, changed) {
  const isOver = key.revokedAt || (key.expiresAt && Date.parse(key.expiresAt) <= Date.now());
  return h(
    'tr',
    { class: isOver ? 'over' : '' },
    h('th', { scope: 'row' }, key.name),
    h('td', {}, sayOr(`role.${key.role}`, key.role)),
    h('td', {}, key.queues?.length ? key.queues.join(', ') : say('access.all')),
    h('td', {}, key.lastUsedAt ? time(key.lastUsedAt) : '–'),
    h('td', {}, key.revokedAt ? say('access.revokedAt', { time: time(key.revokedAt) }) : key.expiresAt ? time(key.expiresAt) : say('access.never')),
    h(
      'td',
      {},
      isOver
        ? null
        : h(
            'button',
            {
              type: 'button',
              class: 'danger',
              'aria-label': say('access.revokeNamed', { name: key.name }),
              onclick: async () => {
                const isDone = await ask({
                  title: say('access.revoke.title', { name: key.name }),
                  text: say('access.revoke.text'),
                  yes: say('access.revoke'),
                  danger: true,
                  act: () => call('DELETE', `/admin/access-keys/${encodeURIComponent(key.id)}`),
                });
                if (isDone) {
                  announce(say('access.revoked'));
                  changed();
                }
              },
            },
            say('access.revoke'),
          ),
    ),
  );
}

/** @param {() => void} changed */
function makeCard(changed) {
  const name = h('input', { type: 'text', name: 'name', maxlength: 100, autocomplete: 'off', required: true });
  const role = h('select', { name: 'role' }, ROLES.map((value) => h('option', { value }, say(`role.${value}`))));
  const queues = h('input', { type: 'text', name: 'queues', autocomplete: 'off', spellcheck: 'false', placeholder: 'CONCERT/1, SALE/*' });
  const expires = h('input', { type: 'datetime-local', name: 'expires' });
  return makingCard({
    title: say('access.new'),
    label: say('access.make'),
    inputs: { name, role, queues, expiresAt: expires },
    fields: [
      field(say('access.name'), name, { hint: say('access.nameHint') }),
      field(say('access.role'), role),
      field(say('access.queues'), queues, { hint: say('access.queuesHint') }),
      field(say('access.expires'), expires, { hint: say('access.expiresHint') }),
    ],
    act: () =>
      post('/admin/access-keys', {
        name: name.value.trim(),
        role: role.value,
        ...(words(queues).length ? { queues: words(queues) } : {}),
        ...(expires.value ? { expiresAt: new Date(expires.value).toISOString() } : {}),
      }),
    then: (made) => {
      changed();
      // It is kept as a hash.
      return shownOnce({ title: say('access.made', { name: made.name }), text: say('access.once'), label: say('access.key'), id: 'new-key', secret: made.key });
    },
  });
}
