// @ts-check
// The console: who is here, which screen they see, and the way between screens.
//
// For those who test it, these stay as they are: #key and #sign-in; #filter and #new-queue; #figures with
// [data-figure] and [data-total]; #act-…; #settings, #message, #people, #audit; [data-state] of a queue.

import { showAccess } from './access.js';
import { current, isLimited, may, resume, signedOut, signIn, signOut } from './api.js';
import { showAudit } from './audit.js';
import { failed } from './dialogs.js';
import { announce, field, h, put } from './dom.js';
import { showLook } from './look.js';
import { showQueue } from './queue.js';
import { showQueues } from './queues.js';
import { showStatistics } from './statistics.js';
import { showDeliveries, showWebhooks } from './webhooks.js';
import { showWizard } from './wizard.js';
import { choose, current as language, languages, say, sayOr, trouble } from './words.js';

const top = /** @type {HTMLElement} */ (document.getElementById('top'));
const main = /** @type {HTMLElement} */ (document.getElementById('main'));

/** What to do when the screen that is shown is left. @type {() => void} */
let leave = () => {};
let shows = 0;

/** A queue's name is in the address; what cannot be one is not looked for. */
const QUEUE = /^#\/queues\/([^/]+\/[^/]+)(?:\/(look|statistics))?$/;

const WEBHOOK = /^#\/webhooks(?:\/([0-9a-f]+))?$/;

async function route() {
  leave();
  leave = () => {};
  document.querySelectorAll('dialog').forEach((dialog) => dialog.close());
  const show = ++shows;
  drawTop();
  if (!current()) {
    showSignIn();
  } else {
    const left = await screen();
    if (show !== shows) {
      left?.();
      return;
    }
    leave = left ?? leave;
  }
  const heading = main.querySelector('h1');
  document.title = `${heading?.textContent ?? ''} · Naru`;
  heading?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** @returns {Promise<(() => void) | void>} */
async function screen() {
  const { hash } = location;
  const queue = QUEUE.exec(hash);
  if (queue) {
    const name = queue[1];
    return queue[2] === 'look' ? showLook(main, name) : queue[2] === 'statistics' ? showStatistics(main, name) : showQueue(main, name);
  }
  if (hash === '#/new' && may('admin')) {
    return showWizard(main);
  }
  if (hash === '#/access' && may('admin')) {
    return showAccess(main);
  }
  const webhook = WEBHOOK.exec(hash);
  if (webhook && may('operator') && !isLimited()) {
    return webhook[1] ? showDeliveries(main, webhook[1]) : showWebhooks(main);
  }
  if (hash === '#/audit' && may('admin')) {
    return showAudit(main);
  }
  return showQueues(main);
}

function drawTop() {
  const session = current();
  const link = (/** @type {string} */ href, /** @type {string} */ text) =>
    h('a', { href, 'aria-current': location.hash === href || (href === '#/' && !location.hash) ? 'page' : null }, text);
  top.replaceChildren(
    h('a', { class: 'skip', href: '#main', onclick: skip }, say('skip')),
    h('strong', { class: 'brand' }, 'Naru'),
    session
      ? h(
          'nav',
          { 'aria-label': say('nav.main') },
          link('#/', say('queues.title')),
          may('operator') && !isLimited() ? link('#/webhooks', say('webhooks.title')) : null,
          may('admin') && !isLimited() ? [link('#/access', say('access.title')), link('#/audit', say('audit.title'))] : null,
        )
      : h('span', {}),
    h(
      'div',
      { class: 'who' },
      h(
        'select',
        {
          id: 'language',
          'aria-label': say('language.console'),
          onchange: (/** @type {any} */ event) => {
            choose(event.target.value);
            route();
          },
        },
        languages.map((tag) => h('option', { value: tag, lang: tag, selected: tag === language() }, say(`language.${tag}`))),
      ),
      session ? h('span', { class: 'quiet' }, whoIs(session)) : null,
      session ? h('button', { type: 'button', class: 'plain', id: 'sign-out', onclick: out }, say('signOut')) : null,
    ),
  );
}

/** With the role, where the name does not say it. @param {{who: string, role: string}} session */
function whoIs({ who, role }) {
  const word = sayOr(`role.${role}`, role);
  return who === role ? word : `${who} · ${word}`;
}

/** The address after # is where one is; a plain link to #main would leave it. @param {Event} event */
function skip(event) {
  event.preventDefault();
  main.focus();
}

async function out() {
  try {
    await signOut();
  } finally {
    location.hash = '#/';
    await route();
  }
}

/** @param {string} [text] why one has to sign in again */
function showSignIn(text = '') {
  const key = h('input', { type: 'password', id: 'key', name: 'key', autocomplete: 'current-password', spellcheck: 'false', required: true });
  const error = h('p', { class: 'error', role: 'alert' }, text);
  const button = h('button', { type: 'submit', class: 'primary', id: 'sign-in' }, say('signIn.button'));
  main.replaceChildren(
    h(
      'form',
      {
        class: 'card sign-in',
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          button.disabled = true;
          put(error, '');
          try {
            // A browser does not keep the cookie of a page that came over plain http from another machine.
            if (await signIn(key.value.trim())) {
              await route();
            } else {
              put(error, say('signIn.notKept'));
            }
          } catch (problem) {
            put(error, /** @type {any} */ (problem).status === 401 ? say('signIn.wrong') : trouble(problem));
          } finally {
            button.disabled = false;
          }
        },
      },
      h('h1', { tabindex: -1 }, say('signIn.title')),
      field(say('signIn.key'), key, { hint: say('signIn.hint') }),
      error,
      h('div', { class: 'actions' }, button),
    ),
  );
}

signedOut.addEventListener('signed-out', async () => {
  if (!current()) {
    return;
  }
  try {
    await resume();
  } catch {
    return;
  }
  if (!current()) {
    leave();
    leave = () => {};
    shows++;
    drawTop();
    showSignIn(say('signIn.again'));
    announce(say('signIn.again'));
    main.querySelector('input')?.focus();
  }
});

addEventListener('hashchange', route);
try {
  await resume();
  await route();
} catch (problem) {
  drawTop();
  main.replaceChildren(failed(problem));
}
