// @ts-check
// Checks a receipt by itself: that it speaks of the entry that it names, that the log has it, and that the log is signed.
// No server is asked. Hashing as RFC 6962, the signed note as C2SP has it.

const text = new TextEncoder();

/** The line of a signature begins with an em dash. */
const SIGNED = '\u2014 ';

/**
 * What came of each check, in this order: whether it is a receipt at all, the entry is the one that the record is about, the
 * record is in the log whose root is signed, and the signature is that of the key.
 *
 * @typedef {{form: boolean, entry: boolean | null, inLog: boolean, signature: boolean | null}} Checked
 *   `entry` is null where the record names nobody, `signature` where this browser has no Ed25519
 */

/** @param {any} receipt @returns {Promise<Checked>} */
export async function check(receipt) {
  try {
    const record = recordOf(receipt);
    const note = noteOf(receipt.checkpoint);
    if (receipt.naruReceipt !== 1 || note.origin !== receipt.origin) {
      return { form: false, entry: null, inLog: false, signature: null };
    }
    const leaf = leafIn(JSON.parse(record));
    return {
      form: true,
      entry: leaf === null ? null : leaf === hex(await leafOf(receipt)),
      inLog: await isIn(record, receipt.index, receipt.proof.map(bytes), note),
      signature: await isSigned(note, receipt.key),
    };
  } catch {
    return { form: false, entry: null, inLog: false, signature: null };
  }
}

/** The very bytes that the log has of it. @param {any} receipt @returns {string} */
export function recordOf({ record }) {
  return typeof record === 'string' ? record : JSON.stringify(record);
}

/** The salted hash by which a record names somebody; null if it is of another kind. @param {any[]} record */
function leafIn(record) {
  const at = { join: 4, handoff: 5 }[/** @type {'join'} */ (record[0])];
  return at === undefined ? null : record[at];
}

/** @param {any} receipt */
async function leafOf({ eventType, eventId, joined, user, salt }) {
  const words = `naru-entry/1\n${eventType}/${eventId}\n${joined}\n${user}\n${salt}\n`;
  return sha(new Uint8Array([0]), text.encode(words));
}

/** What a checkpoint says. @param {string} checkpoint */
export function noteOf(checkpoint) {
  const end = checkpoint.indexOf('\n\n');
  const body = checkpoint.slice(0, end + 1);
  const [origin, size, root, ...more] = body.split('\n');
  const signatures = checkpoint
    .slice(end + 2)
    .split('\n')
    .filter((line) => line.startsWith(SIGNED))
    .map((line) => line.slice(SIGNED.length).split(' '));
  const at = more.find((line) => line.startsWith('at '))?.slice(3);
  return { body, origin, size: Number(size), root: bytes(root), at: Number(at), signatures };
}

/** Whether a record leads to the root. @param {string} record @param {number} index @param {Uint8Array[]} proof @param {any} note */
async function isIn(record, index, proof, { size, root }) {
  if (!(index >= 0 && index < size)) {
    return false;
  }
  let hash = await sha(new Uint8Array([0]), text.encode(record));
  // Numbers, not bits: a log may have more records than 32 bits count.
  let [at, last] = [index, size - 1];
  for (const other of proof) {
    if (last === 0) {
      return false;
    }
    if (at % 2 === 1 || at === last) {
      hash = await sha(new Uint8Array([1]), other, hash);
      while (at % 2 === 0 && at !== 0) {
        [at, last] = [at / 2, Math.floor(last / 2)];
      }
    } else {
      hash = await sha(new Uint8Array([1]), hash, other);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && hex(hash) === hex(root);
}

/**
 * Whether the key has signed it; null if this browser cannot say.
 *
 * @param {any} note @param {string} key as the log publishes it: name+hash+base64
 */
async function isSigned({ body, origin, signatures }, key) {
  const [name, id] = key.split('+', 2);
  const data = bytes(key.slice(name.length + id.length + 2));
  const hash = await sha(text.encode(`${name}\n`), data);
  if (name !== origin || data.length !== 33 || data[0] !== 1 || hex(hash.slice(0, 4)) !== id) {
    return false;
  }
  const own = signatures
    .filter((/** @type {string[]} */ [signer]) => signer === name)
    .map((/** @type {string[]} */ [, signed]) => bytes(signed))
    .find((/** @type {Uint8Array} */ signed) => signed.length === 68 && hex(signed.slice(0, 4)) === id);
  if (!own) {
    return false;
  }
  let known;
  try {
    known = await crypto.subtle.importKey('raw', data.slice(1), 'Ed25519', false, ['verify']);
  } catch {
    return null;
  }
  return crypto.subtle.verify('Ed25519', known, own.slice(4), text.encode(body));
}

/** @param {Uint8Array[]} parts */
async function sha(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

/** @param {string} base64 */
function bytes(base64) {
  return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
}

/** @param {Uint8Array} all */
function hex(all) {
  return Array.from(all, (each) => each.toString(16).padStart(2, '0')).join('');
}
