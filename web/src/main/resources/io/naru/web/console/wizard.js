// @ts-check
// A new queue, from what its operator knows: how much their site can take.

import { call, get, Problem, queuePath } from './api.js';
import { field, h, put, wrong } from './dom.js';
import { batchOf, inWords } from './pace.js';
import { say, trouble } from './words.js';

/** @param {Element} main */
export function showWizard(main) {
  const type = h('input', { type: 'text', name: 'type', value: 'CONCERT', maxlength: 40, autocomplete: 'off', spellcheck: 'false', required: true });
  const eventId = h('input', { type: 'text', name: 'id', maxlength: 60, autocomplete: 'off', spellcheck: 'false', required: true });
  const title = h('input', { type: 'text', name: 'title', maxlength: 200 });
  const target = h('input', { type: 'url', name: 'target', maxlength: 2_000, placeholder: 'https://shop.example/' });
  const capacity = h('input', { type: 'number', name: 'capacity', min: 1, max: 10_000_000, value: 500, inputmode: 'numeric' });
  const rate = h('input', { type: 'number', name: 'rate', min: 0.001, max: 100_000, step: 'any', value: 20, inputmode: 'decimal' });
  const minutes = h('input', { type: 'number', name: 'minutes', min: 0.2, max: 1_440, step: 'any', value: 5, inputmode: 'decimal' });
  const words = h('ul', { id: 'in-words', 'aria-live': 'polite' });
  const error = h('p', { class: 'error', role: 'alert' });
  const make = h('button', { type: 'submit', class: 'primary' }, say('wizard.make'));

  function pace() {
    const [entryBatchSize, entryIntervalSeconds] = batchOf(Number(rate.value));
    return {
      maxCapacity: Math.round(Number(capacity.value)),
      entryBatchSize,
      entryIntervalSeconds,
      passTtlSeconds: Math.round(Number(minutes.value) * 60),
    };
  }

  function draw() {
    const isWhole = [capacity, rate, minutes].every((input) => Number(input.value) > 0);
    words.replaceChildren(...(isWhole ? inWords(pace()) : [say('wizard.incomplete')]).map((text) => h('li', {}, text)));
  }

  /** Where the form shows what is wrong with a setting. */
  const inputs = {
    eventType: type,
    eventId,
    title,
    targetUrl: target,
    maxCapacity: capacity,
    entryBatchSize: rate,
    entryIntervalSeconds: rate,
    passTtlSeconds: minutes,
  };

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    Object.values(inputs).forEach((input) => wrong(input, ''));
    put(error, '');
    const name = `${type.value.trim()}/${eventId.value.trim()}`;
    if (!/^[^/\s]+\/[^/\s]+$/.test(name)) {
      wrong(eventId.value.trim() ? type : eventId, say('wizard.nameNeeded'));
      (eventId.value.trim() ? type : eventId).focus();
      return;
    }
    make.disabled = true;
    try {
      if (await isTaken(name)) {
        wrong(eventId, say('wizard.taken'));
        eventId.focus();
        return;
      }
      await call('PUT', queuePath(name), {
        ...pace(),
        ...(title.value.trim() ? { title: title.value.trim() } : {}),
        ...(target.value.trim() ? { targetUrl: target.value.trim() } : {}),
      });
      location.hash = `#/queues/${name}`;
    } catch (problem) {
      refused(problem);
    } finally {
      make.disabled = false;
    }
  }

  /** @param {any} problem */
  function refused(problem) {
    const input = /** @type {any} */ (inputs)[problem.field];
    if (input) {
      wrong(input, trouble(problem));
      input.focus();
    } else {
      put(error, trouble(problem));
    }
  }

  main.replaceChildren(
    h('h1', { tabindex: -1 }, say('wizard.title')),
    h(
      'form',
      { class: 'wizard', novalidate: true, onsubmit: submit },
      h(
        'section',
        { class: 'card', 'aria-labelledby': 'wizard-what' },
        h('h2', { id: 'wizard-what' }, say('wizard.what')),
        h('div', { class: 'fields' }, field(say('wizard.type'), type, { hint: say('wizard.typeHint') }), field(say('wizard.id'), eventId, { hint: say('wizard.idHint') })),
        field(say('wizard.name'), title, { hint: say('wizard.nameHint') }),
        field(say('wizard.target'), target, { hint: say('wizard.targetHint') }),
      ),
      h(
        'section',
        { class: 'card', 'aria-labelledby': 'wizard-take' },
        h('h2', { id: 'wizard-take' }, say('wizard.take')),
        field(say('wizard.capacity'), capacity, { hint: say('wizard.capacityHint') }),
        field(say('wizard.rate'), rate, { hint: say('wizard.rateHint') }),
        field(say('wizard.stay'), minutes, { unit: say('wizard.minutes'), hint: say('wizard.stayHint') }),
      ),
      h('section', { class: 'card', 'aria-labelledby': 'wizard-words' }, h('h2', { id: 'wizard-words' }, say('wizard.words')), words, error, h('div', { class: 'actions' }, make)),
    ),
  );
  [capacity, rate, minutes].forEach((input) => input.addEventListener('input', draw));
  draw();
}

/** @param {string} name */
async function isTaken(name) {
  try {
    await get(queuePath(name));
    return true;
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 404) {
      return false;
    }
    throw problem;
  }
}
