#!/usr/bin/env node
// Checks an export of Naru without Naru: the roots of the log, its signatures, receipts, and the draw.
//
//   node docs/fair-check.mjs EXPORT.gz [RECEIPT.json ...] [--coin-key HEX]
//
// Needs Node 20 or later and nothing else, but for the public coin: npm install --prefix docs --no-save @noble/curves@2.4.0
// --coin-key is for coins of another chain than drand's quicknet. What it computes and why: docs/fair.md.
// Ends with 0 if all that was checked is so, 1 if not, 2 if it could not be read. The last line is JSON.

import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

const QUICKNET =
  '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
  '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a';

const { subtle } = globalThis.crypto;
const utf8 = new TextEncoder();
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const fromHex = (text) => new Uint8Array(Buffer.from(text, 'hex'));
const fromBase64 = (text) => new Uint8Array(Buffer.from(text, 'base64'));
const joinBytes = (...parts) => new Uint8Array(Buffer.concat(parts));
const same = (a, b) => Buffer.compare(a, b) === 0;
const sha256 = async (bytes) => new Uint8Array(await subtle.digest('SHA-256', bytes));

const wrong = [];
const find = (words) => wrong.push(words);

// --- trees of hashes, RFC 6962

const leafHash = (bytes) => sha256(joinBytes(Uint8Array.of(0), bytes));
const nodeHash = (left, right) => sha256(joinBytes(Uint8Array.of(1), left, right));

// A level at a time: whoever has no neighbour goes up as it is, which is what RFC 6962's split comes to.
async function rootOf(hashes) {
  if (hashes.length === 0) return sha256(new Uint8Array());
  let level = hashes;
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i < level.length; i += 2048) {
      const some = [];
      for (let j = i; j < Math.min(i + 2048, level.length); j += 2) {
        some.push(j + 1 < level.length ? nodeHash(level[j], level[j + 1]) : level[j]);
      }
      above.push(...(await Promise.all(some)));
    }
    level = above;
  }
  return level[0];
}

// By recursion from the top: another way than Naru's own, which goes up from the leaf.
async function climb(index, size, hash, path) {
  if (size === 1) {
    if (path.length > 0) throw new Error('the proof is too long');
    return hash;
  }
  if (path.length === 0) throw new Error('the proof is too short');
  let half = 1;
  while (half * 2 < size) half *= 2;
  const rest = path.slice(0, -1);
  const other = path[path.length - 1];
  return index < half
    ? nodeHash(await climb(index, half, hash, rest), other)
    : nodeHash(other, await climb(index - half, size - half, hash, rest));
}

// --- signed notes

async function openCheckpoint(note, key) {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [name, hash, encoded] = splitKey(key);
  const typed = fromBase64(encoded);
  const id = (await sha256(joinBytes(utf8.encode(`${name}\n`), typed))).slice(0, 4);
  if (typed.length !== 33 || typed[0] !== 1 || hex(id) !== hash) throw new Error('not a key of notes');
  const [origin, size, root, at] = text.split('\n');
  if (origin !== name) throw new Error(`the checkpoint is of ${origin}, the key of ${name}`);
  const publicKey = await subtle.importKey('raw', typed.slice(1), { name: 'Ed25519' }, false, ['verify']);
  const line = note.slice(end + 2).split('\n').find((each) => each.startsWith(`— ${name} `));
  const signature = fromBase64(line?.split(' ')[2] ?? '');
  const isSigned =
    same(signature.slice(0, 4), id) &&
    (await subtle.verify({ name: 'Ed25519' }, publicKey, signature.slice(4), utf8.encode(text)));
  if (!isSigned) throw new Error('the checkpoint is not signed by the key of its log');
  return { origin, size: Number(size), root: fromBase64(root), at: Number(at.replace('at ', '')) };
}

// The key itself may have a + in it, names have none.
function splitKey(key) {
  const first = key.indexOf('+');
  const second = key.indexOf('+', first + 1);
  return [key.slice(0, first), key.slice(first + 1, second), key.slice(second + 1)];
}

// --- the export

async function readExport(file) {
  const log = { records: [], hashes: [], leaves: new Map(), checkpoints: [] };
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity });
  let pending = [];
  for await (const line of lines) {
    if (line.startsWith('[')) {
      const bytes = utf8.encode(line);
      pending.push(leafHash(bytes));
      const record = JSON.parse(line);
      // Of most records only the hash matters here.
      if (record[0] !== 'enter' && record[0] !== 'end') log.records.push(record);
      if (pending.length === 4096) {
        log.hashes.push(...(await Promise.all(pending)));
        pending = [];
      }
      continue;
    }
    const object = JSON.parse(line);
    if (object.naruExport !== undefined) {
      if (object.naruExport !== 1) throw new Error(`an export of format ${object.naruExport}; this script knows format 1`);
      log.header = object;
    } else if (object.leaves !== undefined) {
      const parts = log.leaves.get(object.leaves) ?? [];
      parts.push(Buffer.from(object.people, 'base64'));
      log.leaves.set(object.leaves, parts);
    } else if (object.checkpoint !== undefined) {
      log.checkpoints.push(object.checkpoint);
    } else if (object.end !== undefined) {
      log.end = object.end;
    }
  }
  log.hashes.push(...(await Promise.all(pending)));
  if (!log.header) throw new Error('not an export of Naru');
  if (!log.end) throw new Error('the file is cut off');
  if (log.end.records !== log.hashes.length) throw new Error('the file has not what its end says');
  return log;
}

async function checkLog(log) {
  const root = await rootOf(log.hashes);
  if (log.checkpoints.length === 0) find('nothing is signed');
  for (const note of log.checkpoints) {
    try {
      const checkpoint = await openCheckpoint(note, log.header.key);
      if (checkpoint.size > log.hashes.length) {
        find(`removed: a checkpoint has ${checkpoint.size} records, the log has ${log.hashes.length}`);
      } else if (!same(await rootOf(log.hashes.slice(0, checkpoint.size)), checkpoint.root)) {
        find(`changed: the checkpoint of ${checkpoint.size} records has another root`);
      }
    } catch (e) {
      find(`checkpoint-forged: ${e.message}`);
    }
  }
  return root;
}

async function leafOf(receipt) {
  const queue = `${receipt.eventType}/${receipt.eventId}`;
  return leafHash(utf8.encode(`naru-entry/1\n${queue}\n${receipt.joined}\n${receipt.user}\n${receipt.salt}\n`));
}

async function checkReceipt(log, file) {
  const receipt = JSON.parse(readFileSync(file, 'utf8'));
  if (receipt.naruReceipt !== 1) throw new Error(`a receipt of format ${receipt.naruReceipt}`);
  if (receipt.key !== log.header.key) throw new Error('another key than the log');
  const checkpoint = await openCheckpoint(receipt.checkpoint, receipt.key);
  const hash = await leafHash(utf8.encode(receipt.record));
  const root = await climb(receipt.index, checkpoint.size, hash, receipt.proof.map(fromBase64));
  if (!same(root, checkpoint.root)) throw new Error('the proof does not lead from the record to the root');
  const record = JSON.parse(receipt.record);
  const [joined, leaf] = record[0] === 'handoff' ? [record[4], record[5]] : [record[3], record[4]];
  if (joined !== receipt.joined || leaf !== hex(await leafOf(receipt))) throw new Error('the record is not of this entry');
  if (!log.hashes[receipt.index] || !same(log.hashes[receipt.index], hash)) throw new Error('the record is not in the log');
  if (checkpoint.size > log.hashes.length || !same(await rootOf(log.hashes.slice(0, checkpoint.size)), checkpoint.root)) {
    throw new Error('forked-checkpoint: the log is another one than the receipt shows');
  }
}

// --- the draw

async function hmac(key) {
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return (data) => subtle.sign('HMAC', imported, data).then((mac) => new Uint8Array(mac));
}

const noble = await import('@noble/curves/bls12-381.js').then(
  (module) => module.bls12_381.shortSignatures,
  () => undefined,
);

async function isCoin(round, signature, key) {
  const number = new DataView(new ArrayBuffer(8));
  number.setBigUint64(0, BigInt(round));
  const message = await sha256(new Uint8Array(number.buffer));
  try {
    const point = noble.hash(message, 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_');
    return noble.verify(fromHex(signature), point, fromHex(key));
  } catch {
    return false;
  }
}

function listOf(parts) {
  const bytes = Buffer.concat(parts ?? []);
  const list = [];
  for (let at = 0; at < bytes.length; at += 41) {
    list.push({
      joined: Number(bytes.readBigInt64BE(at)),
      lane: bytes[at + 8],
      leaf: new Uint8Array(bytes.subarray(at + 9, at + 41)),
    });
  }
  return list;
}

async function checkDraws(log, coinKey) {
  const draws = [];
  const of = (kind, number) => log.records.findLast((record) => record[0] === kind && record[3] === number);
  for (const drawn of log.records.filter((record) => record[0] === 'draw')) {
    const number = drawn[3];
    const lobby = of('lobby', number);
    const seal = of('seal', number);
    const coin = of('coin', number);
    const list = listOf(log.leaves.get(number));
    const seed = fromHex(drawn[5]);
    const root = await rootOf(list.map((person) => person.leaf));
    if (hex(root) !== seal[4]) find(`sealed-otherwise: the list of draw ${number} has another root`);
    if (hex(await sha256(seed)) !== lobby[5]) find(`seed-changed: draw ${number}`);
    if (lobby[4] === 'COIN' && drawn[4] !== 'COIN') find(`drawn-by-seed-instead-of-coin: draw ${number}`);
    let checked = 'no coin';
    let chance = new Uint8Array();
    if (drawn[4] === 'COIN') {
      if (coin[4] !== seal[7]) find(`coin-changed: round ${coin[4]} instead of ${seal[7]}`);
      chance = await sha256(fromHex(coin[5]));
      checked = noble ? 'checked' : 'not checked: @noble/curves is not installed';
      if (noble && !(await isCoin(coin[4], coin[5], coinKey))) find(`coin-forged: not the signature of round ${coin[4]}`);
    }
    const key = await (await hmac(seed))(joinBytes(root, chance));
    const numberOf = await hmac(key);
    for (let i = 0; i < list.length; i += 4096) {
      const some = list.slice(i, i + 4096);
      (await Promise.all(some.map((person) => numberOf(person.leaf)))).forEach((mac, j) => (some[j].number = mac));
    }
    list.sort((a, b) => Buffer.compare(a.number, b.number));
    checkSteps(log, number, list, seal[6].map(([name]) => name));
    const order = hex(await sha256(utf8.encode(list.map((person) => person.joined).join('\n'))));
    draws.push({ number, people: list.length, coin: checked, order, first: list.slice(0, 10).map((p) => p.joined) });
  }
  return draws;
}

// Whoever is the first of a lane in a step has the number that the step says.
function checkSteps(log, number, list, lanes) {
  const band = 25 * 8766 * 3600 * 1e6;
  let settled = 0;
  for (const [, , , , from, upTo, firsts, gone] of log.records.filter((r) => r[0] === 'settled' && r[3] === number)) {
    if (from !== settled) find(`drawn-otherwise: a step from ${from}, after ${settled}`);
    const times = Object.fromEntries(Object.entries(firsts).map(([lane, [score]]) => [lane, score - Math.floor(score / band) * band]));
    const left = new Set(gone);
    let next = Math.min(...Object.values(times));
    const seen = new Set();
    for (const person of list.slice(from, upTo)) {
      if (left.has(person.joined)) continue;
      const lane = lanes[person.lane] ?? '';
      if (!seen.has(lane) && times[lane] !== next) find(`drawn-otherwise: the first of ${lane || 'all'} in the step from ${from}`);
      seen.add(lane);
      next++;
    }
    settled = upTo;
  }
}

// --- the command

const args = process.argv.slice(2);
const keyAt = args.indexOf('--coin-key');
const coinKey = keyAt < 0 ? QUICKNET : args.splice(keyAt, 2)[1];
if (args.length === 0 || !coinKey || args.some((arg) => arg.startsWith('--'))) {
  console.error('usage: node fair-check.mjs EXPORT.gz [RECEIPT.json ...] [--coin-key HEX]');
  process.exit(2);
}
const [file, ...receipts] = args;
let log;
try {
  log = await readExport(file);
} catch (e) {
  console.error(`${file}: ${e.message}`);
  process.exit(2);
}
const root = await checkLog(log);
for (const receipt of receipts) {
  await checkReceipt(log, receipt).catch((e) => find(`${receipt}: ${e.message}`));
}
const draws = await checkDraws(log, coinKey);
wrong.forEach((words) => console.log(`found: ${words}`));
draws.filter((draw) => draw.coin.startsWith('not')).forEach((draw) => console.log(`draw ${draw.number}: coin ${draw.coin}`));
console.log(wrong.length === 0 ? 'what was checked is so' : `${wrong.length} things are not so`);
console.log(JSON.stringify({ records: log.hashes.length, root: hex(root), receipts: receipts.length, draws, found: wrong }));
process.exit(wrong.length === 0 ? 0 : 1);
