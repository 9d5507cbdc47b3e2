// @ts-check
// What the page says, in the language it came in.

/** @type {Record<string, string>} */
const strings = JSON.parse(document.getElementById('strings')?.textContent ?? '{}');
const language = document.documentElement.lang;
const numbers = new Intl.NumberFormat(language);

/** From here on a wait is also told as a time of day. */
const LONG_WAIT = 30 * 60;
const DAY = 24 * 3_600;

/** @param {number} n */
export const number = (n) => numbers.format(n);

/** @param {string} key @param {Record<string, string | number>} [values] */
export function say(key, values = {}) {
  return strings[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** The operator's own words, which are in some languages. @param {Record<string, string>} [words] by language */
export function pick(words = {}) {
  return words[language] ?? words[''] ?? words.en ?? Object.values(words)[0] ?? '';
}

/** @param {number} n */
export function ahead(n) {
  return n === 0 ? say('ahead.none') : n === 1 ? say('ahead.one') : say('ahead.many', { n: number(n) });
}

/** @param {number} n */
export function behind(n) {
  return n === 0 ? '' : n === 1 ? say('behind.one') : say('behind.many', { n: number(n) });
}

/** In which lane somebody stands, and what is promised there; a board does not say that. @param {any} entry */
export function laneOf({ lane, atMostBefore }) {
  if (!lane || lane === 'fallback') {
    return lane ? say('lane.fallback') : '';
  }
  if (atMostBefore === null) {
    return say('lane.name', { lane });
  }
  const promise =
    atMostBefore === undefined
      ? say('lane.strict')
      : atMostBefore === 1
        ? say('lane.most.one')
        : say('lane.most.many', { n: number(atMostBefore) });
  return `${say('lane.name', { lane })} · ${promise}`;
}

/** @param {number} seconds since the last news */
export function news(seconds) {
  return seconds < 2
    ? say('news.now')
    : seconds < 100
      ? say('news.seconds', { n: Math.floor(seconds) })
      : say('news.minutes', { n: number(Math.round(seconds / 60)) });
}

/** How long something lasts that is known exactly. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 120 && seconds !== 60) {
    return say('duration.seconds', { n: seconds });
  }
  const isMinutes = seconds < 7_200 && seconds !== 3_600;
  const n = Math.floor(seconds / (isMinutes ? 60 : 3_600));
  const unit = isMinutes ? 'minutes' : 'hours';
  return n === 1 ? say(`duration.${unit}.one`) : say(`duration.${unit}.many`, { n: number(n) });
}

/** What is left of a turn, as a clock shows it. @param {number} seconds */
export function countdown(seconds) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/**
 * A wait in words, no more exact than it is known.
 *
 * @param {[number, number] | null} wait from and to, in seconds; null if nobody can say
 */
export function estimate(wait) {
  if (!wait) {
    return say('estimate.unknown');
  }
  const [from, to] = wait;
  if (to <= 55) {
    return say('estimate.soon');
  }
  if (from > DAY) {
    return say('estimate.days');
  }
  const isMinutes = to < 90 * 60;
  const [a, b] = isMinutes ? [minutes(from), minutes(to)] : [hours(from), hours(to)];
  const unit = isMinutes ? 'minutes' : 'hours';
  // Close together is one number, the later one: better early than late.
  if (a * 1.4 >= b) {
    return b === 1 ? say(`estimate.${unit}.one`) : say(`estimate.${unit}.many`, { n: number(b) });
  }
  return say(`estimate.${unit}.range`, { a: number(a), b: number(b) });
}

/** Whole below 20, fives above. @param {number} seconds */
function minutes(seconds) {
  const n = Math.max(1, Math.ceil(seconds / 60 - 0.2));
  return n < 20 ? n : Math.ceil(n / 5) * 5;
}

/** @param {number} seconds */
function hours(seconds) {
  return Math.max(1, Math.ceil(seconds / 3_600 - 0.2));
}

/**
 * A long wait as a time of day; empty for one that is short, or so long that a time of day says nothing.
 *
 * @param {[number, number] | null} wait as above @param {Date} now
 */
export function clock(wait, now) {
  if (!wait || wait[1] < LONG_WAIT || wait[0] > DAY) {
    return '';
  }
  const [from, to] = wait.map((seconds) => fives(now.getTime() + seconds * 1_000));
  const isToday = to.toDateString() === now.toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { hour: 'numeric', minute: '2-digit', ...(!isToday && { weekday: 'short' }) };
  const times = new Intl.DateTimeFormat(language, options);
  const [a, b] = [times.format(from), times.format(to)];
  return say('estimate.clock', { time: a === b ? a : `${a} – ${b}` });
}

/** A moment, as the visitor's own clock and calendar have it. @param {number} millis */
export function at(millis) {
  const moment = new Date(millis);
  const isToday = moment.toDateString() === new Date().toDateString();
  const options = isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(language, /** @type {Intl.DateTimeFormatOptions} */ (options)).format(moment);
}

/** To five minutes. @param {number} millis */
function fives(millis) {
  return new Date(Math.round(millis / 300_000) * 300_000);
}
