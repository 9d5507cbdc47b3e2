// @ts-check
// Brings what a newcomer owes: some work, or the word of an outside verifier. See docs/doors.md.

/** So often a proof is refused before nobody tries any more. */
const TRIES = 5;

/** On the page's own thread, so long at a time. */
const SLICE = 8;

/**
 * Asks what is owed for a place and brings it, as long as the place is there.
 *
 * @param {string} base where Naru is @param {string} token of the place
 * @param {{tell?: (state: 'working' | 'verifier' | 'proved' | 'failed') => void, element?: HTMLElement | null}} [options]
 *   `element`: where a verifier may show itself
 * @returns {Promise<boolean>} whether nothing is owed any more
 */
export async function prove(base, token, { tell = () => {}, element = null } = {}) {
  const url = `${base}/queue/token/${token}`;
  let refused = 0;
  for (let failures = 0; refused < TRIES; failures++) {
    const asked = await ask(`${url}/challenge`);
    if (asked.status === 204) {
      return true;
    }
    if (asked.status === 404 || asked.status === 410) {
      return false;
    }
    let status = asked.status;
    let { retryAfter } = asked;
    if (asked.challenge) {
      try {
        const proof = await bring(asked.challenge, element, tell);
        ({ status, retryAfter } = await ask(`${url}/proof`, proof));
      } catch {
        status = 403;
      }
    }
    if (status === 204) {
      tell('proved');
      return true;
    }
    refused += status === 403 ? 1 : 0;
    await sleep(retryAfter * 1_000 + Math.random() * Math.min(15_000, 500 * 2 ** failures));
  }
  tell('failed');
  return false;
}

/** @param {any} challenge @param {HTMLElement | null} element @param {(state: any) => void} tell */
async function bring(challenge, element, tell) {
  if (challenge.kind === 'verifier') {
    tell('verifier');
    return { response: await verify(challenge, element) };
  }
  tell('working');
  const { parameters, signature } = challenge;
  const started = performance.now();
  const solution = await work(parameters);
  const time = Math.round(performance.now() - started);
  return { payload: btoa(JSON.stringify({ challenge: { parameters, signature }, solution: { ...solution, time } })) };
}

/** @param {string} url @param {any} [body] */
async function ask(url, body) {
  try {
    const response = await fetch(url, {
      ...(body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(8_000),
    });
    const challenge = !body && response.status === 200 ? await response.json() : null;
    return { status: response.status, challenge, retryAfter: Number(response.headers.get('Retry-After') ?? 0) };
  } catch {
    return { status: 0, challenge: null, retryAfter: 0 };
  }
}

/** @param {number} millis */
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** What a verifier's script says, once it is content. @param {{siteKey: string, script: string}} asked @param {HTMLElement | null} element */
async function verify({ siteKey, script }, element) {
  await new Promise((resolve, reject) => {
    const tag = document.createElement('script');
    tag.src = script;
    tag.onload = resolve;
    tag.onerror = reject;
    document.head.append(tag);
  });
  const { turnstile, hcaptcha, grecaptcha } = /** @type {any} */ (window);
  const shown = turnstile ?? hcaptcha ?? grecaptcha;
  const place = document.createElement('div');
  (element ?? document.body).append(place);
  try {
    return await new Promise((resolve, reject) =>
      shown.render(place, { sitekey: siteKey, callback: resolve, 'error-callback': reject }),
    );
  } finally {
    place.remove();
  }
}

/** Beside the page; where that cannot be, on it, a little at a time. @param {any} parameters @returns {Promise<any>} */
function work(parameters) {
  return new Promise((resolve) => {
    const slowly = () => resolve(inSlices(parameters));
    try {
      const worker = new Worker(new URL('./proof-worker.js', import.meta.url), { type: 'module' });
      worker.onmessage = ({ data }) => {
        worker.terminate();
        resolve(data);
      };
      worker.onerror = () => {
        worker.terminate();
        slowly();
      };
      worker.postMessage(parameters);
    } catch {
      // Of a page of another origin, or not allowed there.
      slowly();
    }
  });
}

/** @param {any} parameters */
async function inSlices(parameters) {
  const search = new Search(parameters);
  for (;;) {
    const until = performance.now() + SLICE;
    while (performance.now() < until) {
      const found = search.next();
      if (found) {
        return found;
      }
    }
    await sleep(0);
  }
}

/** All at once, for a worker. @param {any} parameters */
export function solve(parameters) {
  const search = new Search(parameters);
  for (;;) {
    const found = search.next();
    if (found) {
      return found;
    }
  }
}

// --- PBKDF2 with HMAC-SHA-256, one block of it. Not the browser's own: that is there on https only, and each of its
// answers takes longer on the way than the sum itself.

const K = new Int32Array(64);
const START = new Int32Array(8);
for (let n = 2, i = 0; i < 64; n++) {
  if (Array.from({ length: n - 2 }, (_, j) => n % (j + 2)).every(Boolean)) {
    K[i] = fraction(Math.cbrt(n));
    if (i < 8) {
      START[i] = fraction(Math.sqrt(n));
    }
    i++;
  }
}

/** @param {number} x */
function fraction(x) {
  return ((x - Math.floor(x)) * 2 ** 32) | 0;
}

const W = new Int32Array(64);

/** One block, from a state into another. @param {Int32Array} from @param {Int32Array} block @param {Int32Array} into */
function compress(from, block, into) {
  for (let i = 0; i < 16; i++) {
    W[i] = block[i];
  }
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15];
    const y = W[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = (W[i - 16] + s0 + W[i - 7] + s1) | 0;
  }
  let a = from[0];
  let b = from[1];
  let c = from[2];
  let d = from[3];
  let e = from[4];
  let f = from[5];
  let g = from[6];
  let h = from[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  into[0] = from[0] + a;
  into[1] = from[1] + b;
  into[2] = from[2] + c;
  into[3] = from[3] + d;
  into[4] = from[4] + e;
  into[5] = from[5] + f;
  into[6] = from[6] + g;
  into[7] = from[7] + h;
}

/** @param {string} hex */
function words(hex) {
  return Int32Array.from(hex.match(/.{8}/g) ?? [], (word) => parseInt(word, 16) | 0);
}

/** A block that ends what was begun with a key: so many words, the mark, and how many bits there were. @param {number} length in words */
function lastBlock(length) {
  const block = new Int32Array(16);
  block[length] = 1 << 31;
  block[15] = (16 + length) * 32;
  return block;
}

/** Tries one number after the other. */
class Search {
  #counter = 0;
  #nonce;
  #prefix;
  #cost;
  #salt = lastBlock(5);
  #round = lastBlock(8);
  #inner = new Int32Array(8);
  #outer = new Int32Array(8);
  #key = new Int32Array(8);

  /** @param {{nonce: string, salt: string, keyPrefix: string, cost: number}} parameters */
  constructor({ nonce, salt, keyPrefix, cost }) {
    this.#nonce = words(nonce);
    this.#prefix = words(keyPrefix);
    this.#cost = cost;
    this.#salt.set(words(salt));
    this.#salt[4] = 1;
  }

  /** @returns {{counter: number, derivedKey: string} | null} */
  next() {
    const counter = this.#counter++;
    this.#derive(counter);
    if (!this.#prefix.every((word, i) => word === this.#key[i])) {
      return null;
    }
    const derivedKey = Array.from(this.#key, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    return { counter, derivedKey };
  }

  /** @param {number} counter */
  #derive(counter) {
    const password = new Int32Array(16);
    password.set(this.#nonce);
    password[4] = counter;
    compress(START, password.map((word) => word ^ 0x36363636), this.#inner);
    compress(START, password.map((word) => word ^ 0x5c5c5c5c), this.#outer);
    const round = this.#round;
    const key = this.#key;
    compress(this.#inner, this.#salt, round);
    compress(this.#outer, round, round);
    key.set(round.subarray(0, 8));
    for (let i = 1; i < this.#cost; i++) {
      compress(this.#inner, round, round);
      compress(this.#outer, round, round);
      for (let j = 0; j < 8; j++) {
        key[j] ^= round[j];
      }
    }
  }
}
