// @ts-check
// Calls to the server, with the session's cookie. Whatever is refused is a Problem.

/** What a proxy answers for a server that it cannot reach. */
const AWAY = [0, 502, 503, 504];

export class Problem extends Error {
  /** @param {number} status 0 if nobody answered @param {any} body */
  constructor(status, body) {
    super(body.detail ?? body.title ?? 'no answer');
    this.status = status;
    /** @type {string} */
    this.code = body.code ?? (AWAY.includes(status) ? 'offline' : String(status));
    /** @type {string | undefined} */
    this.field = body.field;
    /** In seconds. */
    this.retryAfter = 0;
  }
}

/** Told when a call finds that there is no session any more. */
export const signedOut = new EventTarget();

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>} what was answered; null if that was nothing
 */
export async function call(method, path, body, headers = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch {
    throw new Problem(0, {});
  }
  const text = await response.text();
  const answer = /\bjson\b/.test(response.headers.get('Content-Type') ?? '') ? JSON.parse(text) : null;
  if (response.ok) {
    return answer;
  }
  const problem = new Problem(response.status, answer ?? {});
  problem.retryAfter = Number(response.headers.get('Retry-After') ?? 0);
  if (response.status === 401 && !path.startsWith('/console/session')) {
    signedOut.dispatchEvent(new Event('signed-out'));
  }
  throw problem;
}

/** @param {string} path */
export const get = (path) => call('GET', path);
/** @param {string} path @param {object} [body] */
export const post = (path, body) => call('POST', path, body);

/** @param {{eventType: string, eventId: string}} queue */
export const nameOf = (queue) => `${queue.eventType}/${queue.eventId}`;

/** Where a queue is. @param {string} name TYPE/id @param {string} [more] */
export const queuePath = (name, more = '') => `/admin/queues/${name}${more}`;

/** An act: pause, resume, close, open, end, activate, deactivate, process. @param {string} name @param {string} act @param {object} [more] */
export function act(name, act, more = {}) {
  const [eventType, eventId] = name.split('/');
  return post(`/admin/queue/${act}`, { eventType, eventId, ...more });
}

/** Changes settings of a queue as it was read. @param {string} name @param {number} version @param {object} changes */
export function change(name, version, changes) {
  return call('PUT', queuePath(name), changes, { 'If-Match': `"${version}"` });
}

// --- who is here

/** @type {{who: string, role: string, queues?: string[], expiresAt?: string} | null} */
let session = null;

const ROLES = ['viewer', 'operator', 'admin'];

export const current = () => session;

/** Whether whoever is signed in may do what takes this role. @param {string} role */
export function may(role) {
  return session !== null && ROLES.indexOf(session.role) >= ROLES.indexOf(role);
}

/** Whether the key is for some queues only. */
export const isLimited = () => Boolean(session?.queues?.length);

/** The session that the browser has; null if it has none. */
export async function resume() {
  try {
    session = await get('/console/session');
  } catch (problem) {
    if (!(problem instanceof Problem && problem.status === 401)) {
      throw problem;
    }
    session = null;
  }
  return session;
}

/** @param {string} key */
export async function signIn(key) {
  await post('/console/session', { key });
  return resume();
}

export async function signOut() {
  session = null;
  await call('DELETE', '/console/session');
}
