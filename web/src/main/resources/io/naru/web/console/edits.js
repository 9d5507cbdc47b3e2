// @ts-check
// What somebody edits of a queue beside whatever others do to it meanwhile. One rule for every form: only what was touched is sent, and only
// to the queue that the form began from; whoever comes second is told what changed, and keeps what they typed.

import { change, get, Problem, queuePath } from './api.js';
import { h } from './dom.js';
import { changes } from './values.js';
import { asWords, byLanguage, say } from './words.js';

/** @typedef {Record<string, any>} Values by the name of the setting */

/**
 * @param {object} form
 * @param {string} form.name of the queue
 * @param {any} form.queue that the form begins from
 * @param {(queue: any) => Values} form.of what of a queue the form is about
 * @param {() => Values} form.typed the same, as it stands in the form
 * @param {(one: string, value: any) => void} form.show puts a value into the form
 * @param {(wanted: Values, next: Values) => object} form.body what was edited, of all as it is to be, as the server takes it
 * @param {(one: string, a: any, b: any) => boolean} [form.isSame]
 * @param {() => void} [form.changed] after what the form is compared with has changed
 * @param {() => void} [form.seen] after somebody has seen what others did
 */
export function edits({ name, queue, of, typed, show, body, isSame = isEqual, changed = () => {}, seen = () => {} }) {
  /** What the form is compared with: it stays while somebody edits. */
  let from = queue;
  let base = of(queue);
  const notice = h('div', { class: 'conflict', role: 'alert' });

  /** @param {Values} before @param {Values} after */
  const differing = (before, after) => Object.keys({ ...before, ...after }).filter((one) => !isSame(one, before[one], after[one]));

  /** @returns {Values} */
  function edited() {
    const now = typed();
    return Object.fromEntries(differing(base, now).map((one) => [one, one in now ? now[one] : '']));
  }

  /** @param {any} next @param {string[]} kept what stays as it was typed */
  function begin(next, kept) {
    const shown = Object.keys({ ...typed(), ...of(next) }).filter((one) => !kept.includes(one));
    from = next;
    base = of(next);
    shown.forEach((one) => show(one, base[one]));
    notice.replaceChildren();
    changed();
  }

  /** Somebody else was faster. @param {any} newest */
  function overtaken(newest) {
    const goOn = () => {
      begin(newest, Object.keys(edited()));
      seen();
    };
    const theirs = of(newest);
    notice.replaceChildren(
      h('p', {}, say('edits.meanwhile')),
      h('ul', {}, changes(base, theirs, differing(base, theirs))),
      h('button', { type: 'button', onclick: goOn }, say('edits.goOn')),
    );
  }

  /** @param {Values} wanted @returns {Promise<any>} null if somebody else was faster */
  async function send(wanted) {
    try {
      return await change(name, from.version, body(wanted, { ...base, ...wanted }));
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 412)) {
        throw problem;
      }
    }
    const newest = await get(queuePath(name));
    const now = of(newest);
    if (differing(base, now).length) {
      overtaken(newest);
      return null;
    }
    // An act, or something that this form is not about.
    return change(name, newest.version, body(wanted, { ...now, ...wanted }));
  }

  return {
    /** Where it is said what others did. */
    notice,
    edited,
    /** What the form is compared with. */
    base: () => base,
    /** Begins anew; nothing that was typed stays. @param {any} next */
    reset: (next) => begin(next, []),

    /** The queue as it is by now. @param {any} latest */
    told(latest) {
      const isOld = latest.version <= from.version && latest.createdAt === from.createdAt;
      const mine = isOld ? [] : Object.keys(edited());
      if (isOld || (mine.length && notice.hasChildNodes())) {
        return;
      }
      if (mine.length && differing(base, of(latest)).length) {
        overtaken(latest);
      } else {
        begin(latest, mine);
      }
    },

    /** @returns {Promise<any>} the queue as it is then; null if somebody else was faster, which is said */
    async save() {
      const wanted = edited();
      if (Object.keys(wanted).length === 0) {
        return from;
      }
      const saved = await send(wanted);
      if (saved) {
        // Whoever typed on meanwhile keeps that.
        begin(saved, differing({ ...base, ...wanted }, typed()));
      }
      return saved;
    },
  };
}

/** @param {string} _ @param {any} a @param {any} b */
const isEqual = (_, a, b) => JSON.stringify(a ?? '') === JSON.stringify(b ?? '');

/**
 * A form of texts. Each language of a text is edited by itself, as `message:ko`: two who write in two languages are in nobody's way.
 *
 * @param {object} form
 * @param {string} form.name of the queue
 * @param {any} form.queue that the form begins from
 * @param {Record<string, {value: () => any, put: (language: string, text: string) => void}>} form.editors of words, by setting
 * @param {Record<string, any>} [form.inputs] by setting
 * @param {() => void} [form.changed]
 * @param {() => void} [form.seen]
 */
export function textEdits({ name, queue, editors, inputs = {}, changed, seen }) {
  /** @param {any} given a queue, or what is typed @returns {Values} */
  const of = (given) => ({
    ...Object.fromEntries(Object.keys(editors).flatMap((setting) => Object.entries(byLanguage(given[setting])).map(([language, text]) => [`${setting}:${language}`, text]))),
    ...Object.fromEntries(Object.keys(inputs).map((setting) => [setting, given[setting] ?? ''])),
  });
  const each = (/** @type {any} */ parts, /** @type {(part: any) => any} */ value) =>
    Object.fromEntries(Object.entries(parts).map(([setting, part]) => [setting, value(part)]));
  /** @param {string} setting @param {Values} next */
  const whole = (setting, next) =>
    setting in inputs
      ? next[setting]
      : asWords(Object.fromEntries(Object.entries(next).filter(([one]) => one.startsWith(`${setting}:`)).map(([one, text]) => [one.slice(setting.length + 1), text])));
  return edits({
    name,
    queue,
    of,
    typed: () => of({ ...each(editors, (editor) => editor.value()), ...each(inputs, (input) => input.value.trim()) }),
    show: (one, value) => {
      const [setting, language] = one.split(':');
      if (language === undefined) {
        inputs[setting].value = value ?? '';
      } else {
        editors[setting].put(language, value ?? '');
      }
    },
    body: (wanted, next) => Object.fromEntries(Object.keys(wanted).map((one) => one.split(':')[0]).map((setting) => [setting, whole(setting, next)])),
    changed,
    seen,
  });
}
