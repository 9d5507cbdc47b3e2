// @ts-check
// What the page says, in the language it came in.

/** @type {Record<string, string>} */
const strings = JSON.parse(document.getElementById('strings')?.textContent ?? '{}');
const language = document.documentElement.lang;
const numbers = new Intl.NumberFormat(language);

/** @param {number} n */
export const number = (n) => numbers.format(n);

/** @param {string} key @param {Record<string, string | number>} [values] */
export function say(key, values = {}) {
  return strings[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** @param {number} n */
export function ahead(n) {
  return n === 0 ? say('ahead.none') : n === 1 ? say('ahead.one') : say('ahead.many', { n: number(n) });
}

/** @param {number} seconds since the last news */
export function news(seconds) {
  return seconds < 2
    ? say('news.now')
    : seconds < 100
      ? say('news.seconds', { n: Math.floor(seconds) })
      : say('news.minutes', { n: number(Math.round(seconds / 60)) });
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
  if (from > 24 * 3_600) {
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
