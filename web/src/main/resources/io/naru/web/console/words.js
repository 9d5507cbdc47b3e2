// @ts-check
// What the console says, in the language that was chosen, and numbers, times and spans in words.

import en from './strings.en.js';
import ko from './strings.ko.js';

const KEPT = 'naru-console-language';
/** @type {Record<string, Record<string, string>>} */
const ALL = { en, ko };

let language = chosen();
let numbers = new Intl.NumberFormat(language);
let decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
let parts = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 });
document.documentElement.lang = language;

function chosen() {
  const kept = localStorage.getItem(KEPT);
  return kept && kept in ALL ? kept : navigator.language.startsWith('ko') ? 'ko' : 'en';
}

export const current = () => language;
export const languages = Object.keys(ALL);

/** @param {string} next */
export function choose(next) {
  localStorage.setItem(KEPT, next);
  language = next;
  numbers = new Intl.NumberFormat(language);
  decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  parts = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 });
  document.documentElement.lang = language;
}

/** @param {string} key @param {Record<string, string | number>} [values] */
export function say(key, values = {}) {
  const text = ALL[language][key];
  if (text === undefined) {
    throw new Error(`no ${key} in ${language}`);
  }
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** What there is to say, or another text if this is not one of ours. @param {string} key @param {string} other @param {Record<string, any>} [values] */
export const sayOr = (key, other, values) => (key in ALL[language] ? say(key, values) : other);

/** @param {number} n */
export const number = (n) => numbers.format(n);

/** A rate or another small number, with one digit where that says more; below one, with two that say something. @param {number} n */
export const decimal = (n) => (Math.abs(n) < 1 ? parts : Math.abs(n) < 100 ? decimals : numbers).format(n);

/** @param {number} share of one; null if there is nothing to divide by */
export const percent = (share) => (share === null || share === undefined ? '–' : `${decimal(share * 100)} %`);

/** A span, as exact as it is worth: 42 s, 12 min 4 s, 8 h 20 min. @param {number} seconds */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) {
    return say('span.s', { s });
  }
  if (s < 3_600) {
    return s % 60 === 0 || s >= 1_200
      ? say('span.m', { m: Math.round(s / 60) })
      : say('span.ms', { m: Math.floor(s / 60), s: s % 60 });
  }
  if (s < 48 * 3_600) {
    const m = Math.round((s % 3_600) / 60);
    return m === 0 || m === 60
      ? say('span.h', { h: Math.round(s / 3_600) })
      : say('span.hm', { h: Math.floor(s / 3_600), m });
  }
  return say('span.d', { d: decimal(s / 86_400) });
}

/** From and to in one: "8 min", "8–12 min". @param {number} low @param {number} high */
export function between(low, high) {
  const [a, b] = [span(low), span(high)];
  return a === b || low >= high * 0.8 ? b : `${a} – ${b}`;
}

/** A moment of today as its time, of another day with the day. @param {string | number} at */
export function time(at) {
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(language, {
    ...(isToday ? {} : { year: 'numeric', month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

/** Hours and minutes. @param {string | number} at */
export const clock = (at) =>
  new Date(at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** A problem in words: ours where there are some, else what the server says. @param {any} problem */
export function trouble(problem) {
  const own = `problem.${problem.code}`;
  const values = { seconds: problem.retryAfter ?? 0 };
  return sayOr(own, String(problem.message), values);
}

// --- words that an operator wrote, by language

/** As an object by language, `''` being any. @param {any} words @returns {Record<string, string>} */
export function byLanguage(words) {
  if (words === null || words === undefined || words === '') {
    return {};
  }
  return typeof words === 'string' ? { '': words } : { ...words };
}

/** The inverse, as the server takes it: what is empty is left out. @param {Record<string, string>} words @returns {any} */
export function asWords(words) {
  const filled = Object.entries(words).filter(([, text]) => text);
  return filled.length === 0 ? '' : filled.length === 1 && filled[0][0] === '' ? filled[0][1] : Object.fromEntries(filled);
}

/** The name of a language of visitors. @param {string} tag */
export const languageName = (tag) => (tag ? sayOr(`language.${tag}`, tag) : say('language.any'));

/** What visitors of a language read. @param {any} words @param {string} [visitor] */
export function inLanguage(words, visitor = language) {
  const all = byLanguage(words);
  return all[visitor] || all[''] || all.en || Object.values(all).find(Boolean) || '';
}
