// @ts-check
// Settings and their values in words.

import { h } from './dom.js';
import { languageName, number, say, sayOr, time } from './words.js';

/** A setting's value for people. @param {string} name @param {any} value */
export function valueInWords(name, value) {
  if (value === null || value === undefined || value === '') {
    return say('value.none');
  }
  if (typeof value === 'boolean') {
    return say(value ? 'value.yes' : 'value.no');
  }
  if (typeof value === 'number') {
    return number(value);
  }
  if (Array.isArray(value)) {
    return value.every((one) => typeof one === 'string') ? value.join(', ') : lanesInWords(value);
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, one]) => (key ? `${key}: ${one}` : String(one)))
      .join(' · ');
  }
  return /At$|^notBefore$/.test(name) ? time(value) : sayOr(`value.${name}.${value}`, String(value));
}

/** As they are typed, too. @param {{name: string, share: number}[]} lanes */
export const lanesInWords = (lanes) => lanes.map(({ name, share }) => `${name} ${share}`).join(', ');

/** Of a text in one language (`message:ko`) with that. @param {string} name */
export function settingInWords(name) {
  const [setting, language] = name.split(':');
  const words = sayOr(`setting.${setting}`, setting);
  return language === undefined ? words : `${words} (${languageName(language)})`;
}

/** A list of "name: before → after". @param {any} before @param {any} after @param {string[]} names */
export function changes(before, after, names) {
  return names.map((name) =>
    h('li', {}, settingInWords(name), ' ', h('span', { class: 'from' }, valueInWords(name, before[name])), ' → ', h('strong', {}, valueInWords(name, after[name]))),
  );
}
