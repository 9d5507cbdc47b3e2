// @ts-check
// Looks somebody up: where they stand, what happened to them, why they are not in yet; and lets the operator act.

import { call, get, may, post, queuePath } from './api.js';
import { ask, failed } from './dialogs.js';
import { announce, field, h } from './dom.js';
import { decimal, number, say, sayOr, span, time } from './words.js';

const MOMENTS = ['at', 'until', 'notBefore', 'opensAt'];

/** Numbers, spans and moments of an explanation as people write them. @param {any} values */
function spoken(values) {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      MOMENTS.includes(name) ? time(value) : typeof value !== 'number' ? value : /Seconds$/.test(name) ? span(value) : name === 'perSecond' ? decimal(value) : number(value),
    ]),
  );
}

/** In our own words; a code that is new to us comes with English ones. @param {any} reason */
function explained({ code, text, values }) {
  const key = code === 'behind' && values.ahead === 0 ? 'explain.first' : `explain.${code}`;
  const said = sayOr(key, text, spoken(values));
  return values?.reason && code === 'paused-by-operator' ? `${said} ${values.reason}` : said;
}

/** @param {any} entry */
function entryCard(entry) {
  const facts = [
    entry.position !== undefined ? [say('person.place'), number(entry.position)] : null,
    entry.ahead !== undefined ? [say('person.ahead'), number(entry.ahead)] : null,
    ['joinedAt', 'enteredAt', 'endedAt', 'passExpiresAt']
      .filter((name) => entry[name])
      .map((name) => [say(`person.${name}`), time(entry[name])]),
    entry.reason ? [say('person.reason'), sayOr(`reason.${entry.reason}`, entry.reason)] : null,
    entry.passId ? [say('person.pass'), h('code', {}, entry.passId)] : null,
  ];
  const pairs = /** @type {any[]} */ (facts.filter(Boolean)).flatMap((fact) => (Array.isArray(fact[0]) ? fact : [fact]));
  return h(
    'article',
    { class: 'entry' },
    h('h3', {}, sayOr(`status.${entry.status}`, entry.status)),
    h('dl', {}, pairs.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    entry.history?.length
      ? h(
          'ol',
          { class: 'history' },
          entry.history.map((/** @type {any} */ step) => h('li', {}, h('span', { class: 'time' }, time(step.at)), ' ', sayOr(`history.${step.what}`, step.what))),
        )
      : null,
  );
}

/** @param {string} name of the queue */
export function peopleCard(name) {
  const input = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', name: 'find', maxlength: 4_000 });
  const found = h('div', { class: 'found' });

  /** @param {any} person */
  function show(person) {
    const live = person.entries.find((/** @type {any} */ entry) => entry.status === 'WAITING' || entry.status === 'ENTERED');
    const path = queuePath(name, `/people/${encodeURIComponent(person.user)}`);
    const acts = [
      live && may('operator') ? button('remove', () => post(`${path}/remove`), person) : null,
      live?.status === 'ENTERED' && may('operator') ? button('revoke', () => post(`${path}/revoke`), person) : null,
      may('admin') ? button('erase', () => call('DELETE', path), person) : null,
    ];
    found.replaceChildren(
      h('h3', { class: 'user', tabindex: -1 }, person.user),
      person.explain?.length ? h('ul', { class: 'explain' }, person.explain.map((/** @type {any} */ reason) => h('li', { 'data-code': reason.code }, explained(reason)))) : '',
      ...person.entries.map(entryCard),
      h('div', { class: 'actions' }, acts),
    );
    found.querySelector('h3')?.focus();
  }

  /** @param {'remove' | 'revoke' | 'erase'} what @param {() => Promise<any>} act @param {any} person */
  function button(what, act, person) {
    return h(
      'button',
      {
        type: 'button',
        class: what === 'erase' ? 'danger' : '',
        onclick: async () => {
          const isDone = await ask({
            title: say(`person.${what}.title`),
            text: say(`person.${what}.text`, { user: person.user }),
            yes: say(`person.${what}`),
            danger: true,
            ...(what === 'erase' ? { typed: person.user } : {}),
            act,
          });
          if (!isDone) {
            return;
          }
          announce(say(`person.${what}.done`));
          if (what === 'erase') {
            input.value = '';
            found.replaceChildren(h('p', {}, say('person.erase.done')));
          } else {
            await look(person.user);
          }
        },
      },
      say(`person.${what}`),
    );
  }

  /** @param {string} text */
  async function look(text) {
    try {
      show(await get(queuePath(name, `/people?find=${encodeURIComponent(text)}`)));
    } catch (problem) {
      found.replaceChildren(failed(problem));
    }
  }

  const form = h(
    'form',
    {
      role: 'search',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (input.value.trim()) {
          look(input.value.trim());
        }
      },
    },
    h('div', { class: 'find' }, field(say('person.find'), input), h('button', { type: 'submit' }, say('person.look'))),
  );
  return h('section', { class: 'card', id: 'people', 'aria-labelledby': 'people-title' }, h('h2', { id: 'people-title' }, say('person.title')), form, found);
}
