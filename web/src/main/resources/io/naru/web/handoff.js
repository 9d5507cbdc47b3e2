// @ts-check
// Takes one's place along to another device: a link that is good once and for some minutes, as a picture too.

const ATTEMPT = 'naru:attempt';

/** Where Naru is, and which queue of it. @typedef {{base: string, type: string, id: string}} Queue */

/** A link that was opened, and what makes this device the same one if the answer is lost. @typedef {{code: string, attempt: string}} Link */

/** @param {Queue} queue */
const keyOf = ({ type, id }) => `naru-link:${type}/${id}`;

/**
 * The link that was opened and neither taken nor refused yet. The address does not keep it, but the tab does, whatever page of the queue it
 * comes to next.
 *
 * @param {Queue} queue @returns {Link | null}
 */
export function brought(queue) {
  const code = new URLSearchParams(location.hash.slice(1)).get('handoff');
  if (!code) {
    return ifAllowed(() => JSON.parse(sessionStorage.getItem(keyOf(queue)) ?? 'null'));
  }
  const link = { code, attempt: attemptOf(code) };
  ifAllowed(() => sessionStorage.setItem(keyOf(queue), JSON.stringify(link)));
  history.replaceState(null, '', location.pathname + location.search);
  return link;
}

/** It was taken, or refused for good. @param {Queue} queue */
export function dropBrought(queue) {
  ifAllowed(() => sessionStorage.removeItem(keyOf(queue)));
}

/**
 * A link for the place of this token. Rejects with what is wrong.
 *
 * @param {Queue} queue @param {string} token
 * @returns {Promise<{url: string, qr: string, expiresAt: string}>}
 */
export function link(queue, token) {
  return post(queue, {}, { Authorization: `Bearer ${token}` });
}

/** The place is here from now on; or rejects with what is wrong. @param {Queue} queue @param {Link} link */
export function takeOver(queue, link) {
  // While servers are replaced one by one, one of before may answer, which knows of no attempts.
  return post(queue, link).catch((e) => {
    if (e.field !== 'attempt') {
      throw e;
    }
    return post(queue, { code: link.code });
  });
}

/** The same for as long as it is the same link, and nobody else's. @param {string} code @returns {string} */
function attemptOf(code) {
  // Names the link, and opens nothing.
  const of = code.slice(-22);
  const before = ifAllowed(() => JSON.parse(localStorage.getItem(ATTEMPT) ?? 'null'));
  if (before?.of === of) {
    return before.attempt;
  }
  const random = crypto.getRandomValues(new Uint8Array(16));
  const attempt = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  ifAllowed(() => localStorage.setItem(ATTEMPT, JSON.stringify({ of, attempt })));
  return attempt;
}

/** A browser may forbid storage: then only this page remembers. @template T @param {() => T} act @returns {T | null} */
function ifAllowed(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

/**
 * Rejects with a code: `isFinal` if Naru itself refused and will again, else with the seconds after which it wants to be asked.
 *
 * @param {Queue} queue @param {any} body @param {any} [headers]
 */
async function post({ base, type, id }, body, headers = {}) {
  const response = await fetch(`${base}/queue/${type}/${id}/handoff`, {
    method: 'POST',
    // The place is that of a cookie, which a page of another origin has to bring along.
    credentials: 'include',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(8_000),
  });
  const json = await response.json().catch(() => null);
  if (!response.ok || !json) {
    const isLater = response.status >= 500 || [408, 429].includes(response.status) || json?.code === 'handoff-not-now';
    const seconds = Math.min(Number(response.headers.get('Retry-After')) || 0, 120);
    // A proxy's 404 is no news.
    throw Object.assign(new Error(json?.code), { isFinal: Boolean(json?.code) && !isLater, seconds, field: json?.field });
  }
  return json;
}

/** The picture, as something that can be put into the page. @param {string} svg */
export function picture(svg) {
  return document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
}
