// @ts-check
// The page that explains the order: shows how far the draw is, and checks the visitor's own receipt in this browser.
//
// For those who test or style it, these stay as they are:
//   #fair-page[data-draw]     NONE · LOBBY · CLOSED · DRAWN · DONE
//   #figures dd[data-figure]  people · commitment · root · round · coin · seed
//   #check #file #save        the own receipt, one of a file, and its download
//   #result[data-result]      none · checking · good · bad · partly · missing; #checks li[data-ok] true · false · unknown

import { check, noteOf, recordOf } from './receipt.js';
import { at, number, say } from './words.js';

/** Microseconds are counted from here. */
const EPOCH = Date.UTC(2026, 0, 1);

/** How often to look while the draw goes on. */
const LOOK = 3_000;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const page = $('fair-page');
const { type, id } = page.dataset;
const url = `${location.origin}/queue/${type}/${id}`;

/** @type {any} */
let own = null;

/** @param {string} address @returns {Promise<any>} null if there is none; rejects if nobody can say */
async function read(address) {
  const response = await fetch(address, { signal: AbortSignal.timeout(8_000) });
  if (response.status === 404) {
    return null;
  }
  if (!response.ok) {
    throw new Error(String(response.status));
  }
  return response.json();
}

// --- the draw

async function lookAtDraw() {
  const draw = await read(`${url}/draw`).catch(() => undefined);
  if (draw === undefined) {
    setTimeout(lookAtDraw, 5 * LOOK);
    return;
  }
  // Jitter and windows have seeds as well, and no lobby.
  const phase = draw?.phase ?? 'NONE';
  page.dataset.draw = phase;
  $('draw').hidden = phase === 'NONE';
  if (phase === 'NONE') {
    return;
  }
  $('draw-state').textContent = sentence(draw);
  figure('people', draw.count === undefined ? '' : number(draw.count));
  figure('commitment', draw.commitment);
  figure('root', draw.root);
  figure('round', draw.round && String(draw.round));
  figure('coin', draw.signature);
  figure('seed', draw.seed);
  if (draw.phase !== 'DONE') {
    setTimeout(lookAtDraw, LOOK * (1 + Math.random()));
  }
}

/** @param {any} draw */
function sentence(draw) {
  if (draw.phase === 'LOBBY') {
    return say('fair.draw.lobby');
  }
  if (draw.phase === 'CLOSED') {
    return draw.round ? say('fair.draw.coin', { n: String(draw.round), time: at(Date.parse(draw.coinAt)) }) : say('fair.draw.closed');
  }
  // Only what the coin had a part in may claim it.
  return say(draw.signature ? 'fair.drawn.coin' : 'fair.drawn.seed');
}

/** @param {string} name @param {string} [value] */
function figure(name, value) {
  const element = /** @type {any} */ (document.querySelector(`[data-figure=${name}]`));
  element.textContent = value ?? '';
  element.parentElement.hidden = !value;
}

// --- the receipt

/** The token of the place that this browser has; empty if none is known. */
function token() {
  try {
    return JSON.parse(localStorage.getItem(`naru:${location.origin}/${type}/${id}`) ?? 'null')?.token ?? '';
  } catch {
    return '';
  }
}

$('check').addEventListener('click', async () => {
  result('checking', say('fair.checking'));
  const mine = token();
  try {
    own = mine ? await read(`${location.origin}/queue/token/${mine}/receipt`) : null;
  } catch {
    result('missing', say('fair.failed'));
    return;
  }
  if (!own) {
    result('missing', say(mine ? 'fair.later' : 'fair.nobody'));
    return;
  }
  offer(own);
  await show(own);
});

$('file').addEventListener('change', async () => {
  const [file] = $('file').files;
  if (!file) {
    return;
  }
  result('checking', say('fair.checking'));
  let receipt = null;
  try {
    // Larger than any receipt is none.
    receipt = file.size < 100_000 ? JSON.parse(await file.text()) : null;
  } catch {
    // Said below.
  }
  await show(receipt);
});

/** @param {any} receipt */
function offer(receipt) {
  const blob = new Blob([JSON.stringify(receipt)], { type: 'application/json' });
  URL.revokeObjectURL($('save').href);
  $('save').href = URL.createObjectURL(blob);
  $('save').download = `naru-receipt-${type}-${id}.json`;
  $('save').hidden = false;
}

/** @param {any} receipt */
async function show(receipt) {
  const { form, entry, inLog, signature } = await check(receipt);
  const isHere = form && receipt.eventType === type && receipt.eventId === id;
  if (!isHere) {
    result('bad', say(form ? 'fair.foreign' : 'fair.noReceipt'));
    return;
  }
  const published = await fetch(`${url}/log/key`, { signal: AbortSignal.timeout(8_000) })
    .then((answer) => (answer.ok ? answer.text() : null))
    .catch(() => null);
  const isOurs = published === null ? null : published.trim() === receipt.key;
  const checks = [
    ['fair.check.entry', entry],
    ['fair.check.log', inLog],
    ['fair.check.signature', signature],
    ['fair.check.key', isOurs],
  ];
  const isBad = checks.some(([, ok]) => ok === false);
  const isWhole = checks.every(([, ok]) => ok === true);
  result(isBad ? 'bad' : isWhole ? 'good' : 'partly', say(isBad ? 'fair.bad' : isWhole ? 'fair.good' : 'fair.partly'));
  if (signature === null) {
    checks.push(['fair.noEd25519', null]);
  }
  $('checks').replaceChildren(...checks.map(([key, ok]) => item(String(key), /** @type {boolean | null} */ (ok))));
  $('told').textContent = told(receipt);
}

/** @param {string} key @param {boolean | null} ok */
function item(key, ok) {
  const element = document.createElement('li');
  element.dataset.ok = ok === null ? 'unknown' : String(ok);
  const word = document.createElement('strong');
  word.textContent = say(ok === null ? 'fair.unknown' : ok ? 'fair.yes' : 'fair.no');
  element.append(word, ` ${say(key)}`);
  return element;
}

/** What the receipt proves, in words. @param {any} receipt */
function told(receipt) {
  const record = JSON.parse(recordOf(receipt));
  const { size, at: micros } = noteOf(receipt.checkpoint);
  /** @param {number} since */
  const moment = (since) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'medium' }).format(EPOCH + since / 1_000);
  return say('fair.told', {
    joined: moment(receipt.joined),
    n: number(receipt.index + 1),
    size: number(size),
    time: moment(Number.isFinite(micros) ? micros : record[2]),
  });
}

/** @param {string} word @param {string} text */
function result(word, text) {
  $('result').dataset.result = word;
  $('result').textContent = text;
  $('checks').replaceChildren();
  $('told').textContent = '';
}

const wanted = new URLSearchParams(location.search).get('return');
if (wanted !== null) {
  // This page, too, is the same for all: what somebody came for is in its address alone.
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('#languages a, #back'))) {
    const address = new URL(link.href);
    address.searchParams.set('return', wanted);
    link.href = address.href;
  }
}
lookAtDraw();
