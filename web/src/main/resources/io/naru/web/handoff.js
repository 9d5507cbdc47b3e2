// @ts-check
// Takes one's place along to another device: a link that is good once and for some minutes, as a picture too.

/** Where Naru is, and which queue of it. @typedef {{base: string, type: string, id: string}} Queue */

/** What came with the link that was opened; the address does not keep it. @returns {string | null} */
export function brought() {
  const code = new URLSearchParams(location.hash.slice(1)).get('handoff');
  if (code) {
    history.replaceState(null, '', location.pathname + location.search);
  }
  return code;
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

/** The place is here from now on; or rejects with what is wrong. @param {Queue} queue @param {string} code */
export function takeOver(queue, code) {
  return post(queue, { code });
}

/** @param {Queue} queue @param {any} body @param {any} [headers] */
async function post({ base, type, id }, body, headers = {}) {
  const response = await fetch(`${base}/queue/${type}/${id}/handoff`, {
    method: 'POST',
    // The place is that of a cookie, which a page of another origin has to bring along.
    credentials: 'include',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(8_000),
  });
  const json = await response.json();
  if (!response.ok) {
    throw new Error(json.code);
  }
  return json;
}

/** The picture, as something that can be put into the page. @param {string} svg */
export function picture(svg) {
  return document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
}
