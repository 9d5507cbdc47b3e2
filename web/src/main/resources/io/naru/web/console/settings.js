// @ts-check
// The settings of a queue: what a change would do is said before it is made, and nobody else's change is overwritten.

import { may } from './api.js';
import { announce, field, h, put, wrong } from './dom.js';
import { edits } from './edits.js';
import { effects } from './pace.js';
import { changes, lanesInWords, settingInWords, valueInWords } from './values.js';
import { say, trouble } from './words.js';

/** @typedef {{name: string, kind: 'number' | 'choice' | 'yes' | 'moment' | 'text' | 'lanes' | 'object', min?: number, max?: number, isPart?: boolean, of?: string[], unit?: string, isFirst?: boolean, otherwise?: any}} Setting */

/** @type {Setting[]} */
const SETTINGS = [
  { name: 'maxCapacity', kind: 'number', min: 1, max: 10_000_000, isFirst: true },
  { name: 'entryBatchSize', kind: 'number', min: 1, max: 100_000, isFirst: true },
  { name: 'entryIntervalSeconds', kind: 'number', min: 1, max: 3_600, unit: 's', isFirst: true },
  { name: 'pacing', kind: 'choice', of: ['STEPS', 'TOKEN_BUCKET', 'LEAKY_BUCKET'] },
  { name: 'burst', kind: 'number', min: 1, max: 100_000 },
  { name: 'adaptive.on', kind: 'yes' },
  { name: 'adaptive.mode', kind: 'choice', of: ['STEADY', 'AIMD'], otherwise: 'STEADY' },
  { name: 'adaptive.floorPerSecond', kind: 'number', min: 0.01, max: 100_000, isPart: true, otherwise: 100 },
  { name: 'adaptive.startPerSecond', kind: 'number', min: 0.01, max: 100_000, isPart: true, otherwise: null },
  { name: 'adaptive.ceilingPerSecond', kind: 'number', min: 0.01, max: 100_000, isPart: true, otherwise: 5_000 },
  { name: 'adaptive.safePerSecond', kind: 'number', min: 0.01, max: 100_000, isPart: true, otherwise: null },
  { name: 'adaptive.slowMillis', kind: 'number', min: 1, max: 60_000, unit: 'ms', otherwise: 500 },
  { name: 'adaptive.errorPercent', kind: 'number', min: 0.01, max: 100, unit: '%', isPart: true, otherwise: 1 },
  { name: 'adaptive.increase', kind: 'number', min: 1.001, max: 10, isPart: true, otherwise: 1.1 },
  { name: 'adaptive.decrease', kind: 'number', min: 0.01, max: 0.99, isPart: true, otherwise: 0.8 },
  { name: 'adaptive.everyMillis', kind: 'number', min: 100, max: 60_000, unit: 'ms', otherwise: 100 },
  { name: 'passTtlSeconds', kind: 'number', min: 10, max: 86_400, unit: 's', isFirst: true },
  { name: 'maxWaiting', kind: 'number', min: 1, max: 10_000_000 },
  { name: 'newPlacesPerMinute', kind: 'number', min: 0, max: 1_000 },
  { name: 'absenceGraceSeconds', kind: 'number', min: 0, max: 86_400, unit: 's' },
  { name: 'doors.on', kind: 'yes' },
  { name: 'doors.signedOnly', kind: 'yes', otherwise: false },
  { name: 'doors.perAddressPerMinute', kind: 'number', min: 0, max: 1_000_000, otherwise: 0 },
  { name: 'doors.work', kind: 'choice', of: ['NEVER', 'OVER_LIMIT', 'ALWAYS'], otherwise: 'OVER_LIMIT' },
  { name: 'doors.verifier', kind: 'choice', of: ['NEVER', 'OVER_LIMIT', 'ALWAYS'], otherwise: 'NEVER' },
  { name: 'doors.verifierDown', kind: 'choice', of: ['OPEN', 'CLOSED'], otherwise: 'OPEN' },
  { name: 'doors.proofSeconds', kind: 'number', min: 10, max: 3_600, unit: 's', otherwise: 120 },
  { name: 'doors.slowSeconds', kind: 'number', min: 0, max: 3_600, unit: 's', otherwise: 60 },
  { name: 'onExpiry', kind: 'choice', of: ['END', 'REQUEUE'] },
  { name: 'completedBy', kind: 'choice', of: ['VISITOR', 'SITE'] },
  { name: 'once', kind: 'yes' },
  { name: 'retrySeconds', kind: 'number', min: 0, max: 3_600, unit: 's' },
  { name: 'maxReturns', kind: 'number', min: 0, max: 10 },
  { name: 'fallbackSeconds', kind: 'number', min: 60, max: 86_400, unit: 's' },
  { name: 'lobbyOpensAt', kind: 'moment' },
  { name: 'opensAt', kind: 'moment' },
  { name: 'notBefore', kind: 'moment' },
  { name: 'closesAt', kind: 'moment' },
  { name: 'endsAt', kind: 'moment' },
  { name: 'draw', kind: 'choice', of: ['SEED', 'COIN'] },
  { name: 'jitterMillis', kind: 'number', min: 0, max: 1_000, unit: 'ms' },
  { name: 'fairWindowMillis', kind: 'number', min: 0, max: 1_000, unit: 'ms' },
  { name: 'log', kind: 'yes' },
  { name: 'stock.on', kind: 'yes' },
  { name: 'stock.perVisitor', kind: 'number', min: 1, max: 1_000, otherwise: 1 },
  { name: 'stock.lowAt', kind: 'number', min: 0, max: 10_000_000, otherwise: 0 },
  { name: 'stock.staleSeconds', kind: 'number', min: 1, max: 86_400, unit: 's', otherwise: 10 },
  { name: 'stock.whenStale', kind: 'choice', of: ['HOLD', 'PAUSE'], otherwise: 'HOLD' },
  { name: 'lanes', kind: 'lanes' },
  { name: 'laneOrder', kind: 'choice', of: ['SHARES', 'STRICT'] },
  { name: 'events', kind: 'object' },
  { name: 'targetUrl', kind: 'text' },
  { name: 'audience', kind: 'text' },
];

// Some settings are an object or null. Here they are `stock.on`, whether there is one, and a name for each of its members.

/** With the members of such settings beside them. @param {any} queue */
function flat(queue) {
  const parts = SETTINGS.filter(({ name }) => name.includes('.')).map(({ name, otherwise }) => {
    const [whole, part] = name.split('.');
    const value = queue[whole];
    return [name, part === 'on' ? Boolean(value) : (value?.[part] ?? otherwise)];
  });
  return { ...queue, ...Object.fromEntries(parts) };
}

/** What was edited, as the server takes it. @param {any} wanted @param {any} next all of it, as it is to be */
function whole(wanted, next) {
  const changed = Object.entries(wanted).map(([name, value]) => {
    const [object, part] = name.split('.');
    return part ? [object, membersOf(object, next)] : [name, value];
  });
  return Object.fromEntries(changed);
}

/** @param {string} object @param {any} next */
function membersOf(object, next) {
  const names = SETTINGS.map(({ name }) => name).filter((name) => name.startsWith(`${object}.`) && name !== `${object}.on`);
  // What is left empty has its default.
  const members = names.filter((name) => next[name] !== null).map((name) => [name.slice(object.length + 1), next[name]]);
  return next[`${object}.on`] ? Object.fromEntries(members) : null;
}

/** What is no lane goes to the server as it is, which says what is wrong with it. @param {string} text */
const lanesOf = (text) =>
  text.trim() === ''
    ? null
    : text.split(',').map((one) => {
        const [name, share] = one.trim().split(/\s+/);
        return { name, share: Number.isFinite(Number(share)) ? Number(share) : null };
      });

/** @param {string} at @returns {string} as an input for local time has it */
function local(at) {
  const when = new Date(at);
  return new Date(when.getTime() - when.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** @param {Setting} setting */
function control(setting) {
  switch (setting.kind) {
    case 'number':
      return h('input', { type: 'number', min: setting.min, max: setting.max, step: setting.isPart ? 'any' : 1, inputmode: setting.isPart ? 'decimal' : 'numeric' });
    case 'choice':
      return h('select', {}, setting.of?.map((value) => h('option', { value }, valueInWords(setting.name, value))));
    case 'yes':
      return h('input', { type: 'checkbox' });
    case 'moment':
      return h('input', { type: 'datetime-local', step: 1 });
    case 'object':
      return h('textarea', { rows: 3, spellcheck: 'false' });
    case 'lanes':
    case 'text':
      return h('input', { type: 'text', placeholder: setting.kind === 'lanes' ? 'vip 70, normal 30' : '', maxlength: 2_000, spellcheck: 'false' });
  }
}

/** @param {Setting} setting @param {any} input @param {any} value */
function show(setting, input, value) {
  if (setting.kind === 'yes') {
    input.checked = value === true;
  } else if (setting.kind === 'object') {
    input.value = value ? JSON.stringify(value) : '';
  } else {
    input.value = value === null || value === undefined ? '' : Array.isArray(value) ? lanesInWords(value) : setting.kind === 'moment' ? local(value) : String(value);
  }
}

/** What is no JSON stays text, so that the server says what is wrong with it. @param {string} text */
function object(text) {
  try {
    return text.trim() ? JSON.parse(text) : null;
  } catch {
    return text;
  }
}

/** @param {Setting} setting @param {any} input */
function read(setting, input) {
  switch (setting.kind) {
    case 'number':
      return input.value === '' ? null : Number(input.value);
    case 'yes':
      return input.checked;
    case 'lanes':
      return lanesOf(input.value);
    case 'moment':
      return input.value ? new Date(input.value).toISOString() : null;
    case 'object':
      return object(input.value);
    default:
      return input.value;
  }
}

/** Moments that are written differently may be the same one; of a second nobody can type a part. @param {Setting} setting @param {any} a @param {any} b */
const isSame = (setting, a, b) =>
  setting.kind === 'moment' && a && b ? secondOf(a) === secondOf(b) : JSON.stringify(a) === JSON.stringify(b);

/** @param {string} at */
const secondOf = (at) => Math.floor(Date.parse(at) / 1_000);

/**
 * @param {string} name of the queue
 * @param {() => any} latest the queue as it was told last
 */
export function settingsCard(name, latest) {
  const known = SETTINGS.filter((setting) => setting.name.split('.')[0] in latest());
  const inputs = new Map(known.map((setting) => [setting.name, control(setting)]));
  const canEdit = may('operator');
  const settingOf = (/** @type {string} */ one) => /** @type {Setting} */ (known.find((setting) => setting.name === one));

  const plan = h('div', { class: 'plan', 'aria-live': 'polite' });
  const error = h('p', { class: 'error', role: 'alert' });
  const apply = h('button', { type: 'submit', class: 'primary' }, say('settings.apply'));
  const undo = h('button', { type: 'button', class: 'plain', onclick: reset }, say('settings.undo'));

  const form = edits({
    name,
    queue: latest(),
    of: (queue) => {
      const all = flat(queue);
      return Object.fromEntries(known.map((setting) => [setting.name, all[setting.name]]));
    },
    typed: () => Object.fromEntries(known.map((setting) => [setting.name, read(setting, inputs.get(setting.name))])),
    show: (one, value) => show(settingOf(one), inputs.get(one), value),
    body: whole,
    isSame: (one, a, b) => isSame(settingOf(one), a, b),
    changed: preview,
    seen: () => apply.focus(),
  });

  /** What it would change, before it is changed. */
  function preview() {
    const base = form.base();
    const wanted = form.edited();
    const next = /** @type {any} */ ({ ...base, ...wanted });
    const list = Object.keys(wanted);
    const isPace = known.filter(({ isFirst }) => isFirst).every(({ name: one }) => Number(next[one]) > 0);
    plan.replaceChildren(
      ...(list.length
        ? [
            h('h3', {}, say('settings.would')),
            h('ul', {}, changes(base, next, list), isPace ? effects({ ...base, figures: latest().figures }, next).map((text) => h('li', {}, text)) : null),
          ]
        : []),
    );
    apply.disabled = list.length === 0;
    undo.hidden = list.length === 0;
  }

  function reset() {
    inputs.forEach((input) => wrong(input, ''));
    put(error, '');
    form.reset(latest());
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    inputs.forEach((input) => wrong(input, ''));
    put(error, '');
    apply.disabled = true;
    try {
      if (await form.save()) {
        announce(say('settings.applied'));
      }
    } catch (problem) {
      refused(problem);
    } finally {
      preview();
    }
  }

  /** @param {any} problem */
  function refused(problem) {
    const input = inputOf(String(problem.field));
    if (input) {
      wrong(input, trouble(problem));
      input.closest('details')?.setAttribute('open', '');
      input.focus();
    } else {
      put(error, trouble(problem));
    }
  }

  /** Where a field of the server is: `doors.work` by itself, of `lanes[0].share` the lanes. @param {string} of */
  const inputOf = (of) => inputs.get(of) ?? inputs.get(of.replace(/[.[].*/, '')) ?? inputs.get(`${of.replace(/[.[].*/, '')}.on`);

  const fields = (/** @type {boolean} */ isFirst) =>
    known
      .filter((setting) => Boolean(setting.isFirst) === isFirst)
      .map((setting) => {
        const input = inputs.get(setting.name);
        input.name = setting.name;
        input.disabled = !canEdit;
        input.addEventListener('input', preview);
        return field(settingInWords(setting.name), input, { unit: setting.unit, className: setting.kind });
      });

  const element = h(
    'form',
    { novalidate: true, onsubmit: submit },
    h('div', { class: 'fields' }, fields(true)),
    h('details', {}, h('summary', {}, say('settings.more')), h('div', { class: 'fields' }, fields(false))),
    canEdit ? [plan, form.notice, error, h('div', { class: 'actions' }, apply, undo)] : null,
  );
  reset();

  return {
    element: h('section', { class: 'card', id: 'settings', 'aria-labelledby': 'settings-title' }, h('h2', { id: 'settings-title' }, say('settings.title')), element),
    draw: form.told,
  };
}
