// @ts-check
// The waiting page: shows what naru.js tells.
//
// For those who test or style it, these stay as they are:
//   #wait[data-state]       joining · lobby · drawing · queued · settling · waiting · entered · early · closed · full · often · expired · absent · unproven · signed · unknown · left · completed ·
//                           over · gone · missing · trouble · elsewhere · nolink
//   #wait[data-queue]       OPEN · PAUSED · CLOSED · INACTIVE · ENDED, as the operator has it
//   #wait[data-connection]  live · polling · away
//   #title #message         the operator's words
//   #place[data-value] #ahead #behind #progress #estimate #clock #news   the numbers; data-value is without separators
//   #state #reason          a sentence each (role=status); #announce is heard only, at most every 15 s
//   #lane                   in which lane, and how many go in before at most; #code with #code-text #code-wrong
//   #proof[data-proof]      working · verifier · proved · failed, where something is owed; #verifier shows an outside one
//   #turn                   how long the turn will be, and what a closed tab means
//   #notice-title #notice-text #left #again #go           whatever is not waiting, and those without a place yet
//   #fair                   how the order comes about, where something is drawn or logged
//   #notify #notify-try  #leave → #leave-dialog with #leave-yes #leave-no
//   #handoff → #handoff-dialog with #handoff-qr #handoff-link #handoff-copy #handoff-close; #handoff-wrong
//   #languages a[lang]
//   #enter-form             without JavaScript

import { alert, canNotify, canSound, sound, unwant, wake, want, wanted } from './alert.js';
import { stayAwake } from './awake.js';
import { Counter } from './counter.js';
import { brought, dropBrought, link, picture, takeOver } from './handoff.js';
import { keepPage } from './keep.js';
import { Naru } from './naru.js';
import { ahead, at, behind, clock, countdown, duration, estimate, laneOf, news, number, pick, say } from './words.js';

const ANNOUNCE_EVERY = 15_000;
/** A short break is nobody's business. */
const AWAY_AFTER = 2_500;
/** Long enough to see what happens. */
const GO_AFTER = 2_000;
/** Where the bar begins, for everybody: standing in line is a beginning. */
const START = 4;
/** From here on a phone should not fall asleep. */
const NEAR_SECONDS = 180;
/** Why a link brings no place, and what is said then, where that is known. @type {Record<string, string>} */
const UNTAKEN = { 'handoff-has-place': 'handoff.own', 'identity-from-site': 'handoff.login' };
/** How often a code is tried with which nobody could be reached. */
const CODE_EVERY = 10_000;
/** There is an entry, and no place yet. */
const PLACELESS = ['lobby', 'drawing', 'queued', 'settling'];

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

const room = $('wait');
let title = $('title').textContent;
const query = new URLSearchParams(location.search);
/** Where Naru is: here, unless this page was written for elsewhere. */
const { base = location.origin, follow } = room.dataset;
const naru = new Naru(room.dataset.type, room.dataset.id, { base, follow, code: query.get('code') ?? '' });
const queue = { base, type: naru.type, id: naru.id };
/** The page of the site that somebody came for. The server says whether it may be gone to. */
const wayBack = query.get('return');
const SHOWN = `naru-shown:${naru.type}/${naru.id}`;
const LANGUAGE = 'naru-lang';
const stillness = matchMedia('(prefers-reduced-motion: reduce)');

let counter = new Counter();
let first = 1;
let shown = 0;
/** Whether it will be drawn with the next frame. */
let isFramed = false;
let newsAt = 0;
let announcedAt = -Infinity;
let announced = 0;
let hasPlace = false;
/** What is said of a draw, once somebody has no place yet. @type {typeof import('./lobby.js') | null} */
let lobby = null;
/** How far the draw is, as it was last heard of, and as the entry had it. @type {any} */
let drawing;
/** @type {any} */
let drawingOfEntry;
/** For which place it was asked what is owed. */
let askedFor = '';
/** @type {string | undefined} */
let lane;
/** When people may enter, by the server's clock. */
let opening = 0;
/** Whether there is somewhere to go on to. */
let isGoing = false;
/** @type {any} */
let awayTimer;
/** @type {any} */
let goTimer;
/** Counts beginnings: a link that was being taken before is not after. */
let taking = 0;
/** @type {any} */
let takingTimer;
/** When the code of the address was last tried. */
let codeTriedAt = 0;

const now = () => performance.now();

/** Writes only what changed, so that nothing is read out or painted twice. @param {string} id @param {string} text */
function put(id, text) {
  const element = $(id);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** @param {string} state */
function show(state) {
  room.dataset.state = state;
  const panel = state === 'joining' || state === 'waiting' ? state : 'notice';
  for (const id of ['joining', 'waiting', 'notice']) {
    $(id).hidden = id !== panel;
  }
  $('choices').hidden = state !== 'waiting' && !PLACELESS.includes(state);
  put('turn', '');
  put('people', '');
  put('reason', '');
  put('announce', '');
}

/**
 * @param {string} state
 * @param {{text?: string, again?: boolean, go?: string, link?: string}} [options]
 */
function notice(state, { text = say(`${state}.text`), again = false, go = '', link = 'entered.link' } = {}) {
  const isNew = room.dataset.state !== state;
  show(state);
  put('notice-title', say(`${state}.title`));
  put('notice-text', text);
  put('state', '');
  const isTimed = state === 'entered' || state === 'early' || state === 'lobby';
  $('remaining').hidden = !isTimed;
  if (isTimed) {
    put('left-label', say(`${state}.left`));
  }
  $('again').hidden = !again;
  $('go').hidden = !go;
  if (go) {
    put('go', say(link));
    $('go').href = go;
  }
  clearTimeout(goTimer);
  stayAwake(state === 'entered');
  document.title = `${say(`${state}.title`)} · ${title}`;
  if (isNew) {
    // Screen readers read what is focused; the sighted notice nothing.
    $('notice-title').focus({ preventScroll: true });
  }
}

// --- what naru.js tells

naru.addEventListener('status', ({ detail: entry }) => {
  if (entry.draw !== drawingOfEntry) {
    drawingOfEntry = entry.draw;
    drawing = entry.draw;
  }
  hasPlace = true;
  dropCode();
  tryCode();
  oweFor(entry);
  if (!entry.position) {
    withoutPlace();
    return;
  }
  if (room.dataset.state !== 'waiting') {
    counter = new Counter(remembered(entry));
    announced = 0;
    show('waiting');
  } else if (entry.lane !== lane) {
    // Another line, in which the place is another one.
    counter = new Counter();
  }
  lane = entry.lane;
  first = entry.first;
  newsAt = now();
  counter.news(entry.position, entry.paused === true, newsAt);
  draw();
  speak();
  remember(entry.entryToken);
});

/** @param {any} entry */
function oweFor(entry) {
  if (entry.proof && entry.entryToken !== askedFor) {
    askedFor = entry.entryToken;
    proveFor(askedFor);
  }
}

/** Somebody in the lobby, in the draw, or who has just come. */
async function withoutPlace() {
  lobby ??= await import('./lobby.js').catch(() => null);
  const entry = naru.entry;
  if (!lobby || !entry || entry.position || entry.status === 'ENTERED') {
    return;
  }
  const { state, text, more, until } = lobby.lobbyOf(entry, drawing, naru.now());
  opening = until;
  if (room.dataset.state === state) {
    put('notice-text', text);
  } else {
    notice(state, { text });
  }
  newsAt = now();
  put('people', more);
  speak();
}

/** Brings what is owed for a place, while it waits. @param {string} token */
async function proveFor(token) {
  /** @param {string} state */
  const tell = (state) => {
    if (token === askedFor) {
      $('proof').dataset.proof = state;
      put('proof', say(`proof.${state}`));
    }
  };
  const module = await import('./naru-proof.js').catch(() => null);
  if (module) {
    await module.prove(base, token, { tell, element: $('verifier') });
  } else if (token === askedFor) {
    // Not to be had at this moment: with the next news, once more.
    askedFor = '';
  }
}

naru.addEventListener('board', ({ detail: board }) => {
  room.dataset.queue = board.state;
  title = pick(board.title) || say('page.title');
  put('title', title);
  put('message', pick(board.message));
  drawing = board.draw;
  if (PLACELESS.includes(room.dataset.state)) {
    withoutPlace();
  }
  if (room.dataset.state === 'closed' || room.dataset.state === 'early') {
    if (board.entryOpen) {
      show('joining');
    } else {
      notOpen(board.opensAt);
      put('reason', board.reason ?? '');
    }
  }
  speak();
});

naru.addEventListener('connection', ({ detail: connection }) => {
  clearTimeout(awayTimer);
  if (connection !== 'away') {
    room.dataset.connection = connection;
    speak();
    return;
  }
  awayTimer = setTimeout(() => {
    room.dataset.connection = connection;
    showKept();
    speak();
  }, AWAY_AFTER);
});

/** Opened while nobody can be asked, by somebody who has a place: what was last heard of it. */
function showKept() {
  const { kept } = naru;
  if (room.dataset.state === 'joining' && kept) {
    newsAt = now() - (Date.now() - kept.at);
    first = kept.first;
    counter = new Counter();
    counter.news(kept.position, true, newsAt);
    show('waiting');
    draw();
  }
}

naru.addEventListener('entered', ({ detail: entry }) => {
  $('leave-dialog').close();
  $('handoff-dialog').close();
  dropCode();
  isGoing = Boolean(entry.targetUrl || wayBack);
  notice('entered', { text: say(isGoing ? 'entered.going' : 'entered.text'), go: isGoing ? placeOf(true) : '' });
  speak();
  alert(say('entered.title'), title);
  goOn();
});

/** Goes on by itself, once somebody looks: a turn that begins behind their back would be half over when they come. */
function goOn() {
  clearTimeout(goTimer);
  if (room.dataset.state === 'entered' && isGoing && !document.hidden) {
    // Who was inside from the start may have been sent back by the site: the server then says so.
    const hasWaited = shown > 0;
    goTimer = setTimeout(() => location.replace(placeOf(hasWaited)), GO_AFTER);
  }
}

/**
 * Our own page that sends on to the site, with the pass in a cookie that no script can read.
 *
 * @param {boolean} go in any case, even if another tab was sent on a moment ago
 */
function placeOf(go) {
  const place = new URLSearchParams();
  for (const name of ['return', 'lang']) {
    if (query.has(name)) {
      place.set(name, query.get(name) ?? '');
    }
  }
  if (go) {
    place.set('go', '1');
  }
  return `${base}/wait/${naru.type}/${naru.id}/place${String(place) && `?${place}`}`;
}

naru.addEventListener('refused', ({ detail: { code, opensAt } }) => {
  if (code === 'code-invalid') {
    dropCode();
    codeIsWrong(code);
  } else if (code === 'S805') {
    notOpen(opensAt);
    speak();
  } else {
    notice(code === 'line-full' ? 'full' : 'often');
  }
});

/** @param {string} [opensAt] if it opens by itself */
function notOpen(opensAt) {
  if (opensAt) {
    opening = Date.parse(opensAt);
    notice('early', { text: say('early.text', { time: at(opening) }) });
  } else {
    notice('closed');
  }
}

naru.addEventListener('ended', ({ detail: { code, entry } }) => {
  $('leave-dialog').close();
  $('handoff-dialog').close();
  const states = {
    ENDED: 'over',
    S801: hasPlace ? 'gone' : 'missing',
    S803: entry?.reason === 'handoff' ? 'elsewhere' : 'unknown',
    S804: entry?.reason === 'absent' || entry?.reason === 'unproven' ? entry.reason : 'expired',
    'signed-only': 'signed',
    COMPLETED: 'completed',
    LEFT: 'left',
  };
  const state = states[/** @type {keyof typeof states} */ (code)] ?? 'trouble';
  if (state === 'over') {
    room.dataset.queue = 'ENDED';
    const { endText, endUrl = '' } = naru.board ?? {};
    notice(state, { text: pick(endText) || say('over.text'), go: endUrl, link: 'over.link' });
  } else if (state === 'expired' && room.dataset.onExpiry === 'REQUEUE') {
    // There is a new place, or will be as soon as it is asked for.
    enter();
  } else if (state === 'completed' && room.dataset.once === 'true') {
    notice(state, { text: say('completed.once') });
  } else {
    notice(state, { again: state !== 'missing' && state !== 'gone' && state !== 'signed' });
  }
});

// A page that was loaded again must not show a higher number than the one before it, which counted on.

/** @param {any} entry */
function remembered(entry) {
  try {
    const before = JSON.parse(localStorage.getItem(SHOWN) ?? '{}');
    return before.token === entry.entryToken && before.lane === entry.lane ? before.place : Infinity;
  } catch {
    return Infinity;
  }
}

/** @param {string} token */
function remember(token) {
  try {
    localStorage.setItem(SHOWN, JSON.stringify({ token, lane, place: shown }));
  } catch {
    // Not allowed here; then a reload begins with the last real number.
  }
}

// --- what is shown

/** The numbers, as they are at this moment. */
function draw() {
  if (room.dataset.state !== 'waiting') {
    return;
  }
  // Frames come only where somebody looks.
  const isSmooth = !stillness.matches && !document.hidden;
  const place = counter.shown(now(), isSmooth);
  if (place !== shown) {
    shown = place;
    const text = number(place);
    put('place', text);
    $('place').dataset.value = place;
    $('place').toggleAttribute('data-long', text.length > 6);
    put('ahead', ahead(place - 1));
  }
  $('progress').value = START + Math.round(((100 - START) * (first - place)) / first);
  // A number that stands still costs no battery.
  if (counter.isMoving && isSmooth && !isFramed) {
    isFramed = true;
    requestAnimationFrame(() => {
      isFramed = false;
      draw();
    });
  }
}

/** The words, which need not change as often. */
function speak() {
  switch (room.dataset.state) {
    case 'joining':
      put('state', say(room.dataset.connection === 'away' ? 'state.unreachable' : 'state.joining'));
      break;
    case 'waiting':
      speakOfWaiting();
      break;
    case 'entered':
      speakOfTurn();
      break;
    case 'early':
      put('left', countdown(secondsUntil(opening)));
      break;
    case 'lobby':
    case 'drawing':
    case 'queued':
    case 'settling':
      speakOfLobby();
      break;
  }
}

function speakOfLobby() {
  const entry = naru.entry ?? {};
  const isLobby = room.dataset.state === 'lobby';
  const left = countdown(secondsUntil(opening));
  put('left', isLobby ? left : '');
  put('state', room.dataset.connection === 'away' ? say('state.away') : entry.pausedBy === 'operator' ? say('state.paused') : '');
  put('reason', (entry.pausedBy === 'operator' && entry.reason) || '');
  put('turn', turnOf(entry));
  document.title = `${isLobby ? `${left} · ` : ''}${say(`${room.dataset.state}.title`)} · ${title}`;
}

function speakOfWaiting() {
  const entry = naru.entry ?? {};
  const wait = waitOf(entry);
  const words = !wait && entry.paused ? say('estimate.paused') : estimate(wait);
  put('estimate', words);
  put('clock', beginning(entry) || clock(wait, new Date()));
  put('behind', behind(entry.behind ?? 0));
  put('lane', laneOf(entry));
  $('code').hidden = !entry.lane || entry.lane === 'fallback';
  put('news', news((now() - newsAt) / 1_000));
  put('state', stateOf(entry));
  put('reason', (entry.paused && entry.reason) || '');
  put('turn', turnOf(entry));
  document.title = `${number(shown)} · ${title}`;
  stayAwake(wait !== null && wait[1] <= NEAR_SECONDS);
  if (shown !== announced && now() - announcedAt >= ANNOUNCE_EVERY) {
    announced = shown;
    announcedAt = now();
    const n = number(shown);
    put('announce', wait ? say('announce.place', { n, estimate: words }) : say('announce.only', { n }));
  }
}

/** @param {any} entry */
function turnOf({ turnSeconds, absenceGraceSeconds: grace }) {
  const length = turnSeconds ? `${say('turn.length', { time: duration(turnSeconds) })} ` : '';
  const { endsAt } = naru.board ?? {};
  const away = grace ? say('turn.absent', { time: duration(grace) }) : say('turn.closed');
  return length + away + (endsAt ? ` ${say('turn.ends', { time: at(Date.parse(endsAt)) })}` : '');
}

/** How long until the first go in, if that is a matter of time. @param {any} entry */
function beginning({ pausedBy }) {
  const { admitsFrom } = naru.board ?? {};
  return pausedBy === 'schedule' && admitsFrom
    ? say('schedule.left', { time: countdown(secondsUntil(Date.parse(admitsFrom))) })
    : '';
}

/** @param {number} moment by the server's clock */
function secondsUntil(moment) {
  return Math.max(0, Math.ceil((moment - naru.now()) / 1_000));
}

/** Until the server knows from what really happens, nobody guesses: what is set alone may be far off. @param {any} entry @returns {[number, number] | null} */
function waitOf({ wait }) {
  return wait ? [wait.lowSeconds, wait.highSeconds] : null;
}

/** @param {any} entry */
function stateOf({ paused, pausedBy, passedOver }) {
  if (room.dataset.connection === 'away') {
    return say('state.away');
  }
  if (paused && pausedBy === 'stock') {
    return stockOf(naru.board?.stock);
  }
  if (paused) {
    return say(['store', 'schedule', 'draw'].includes(pausedBy) ? `state.${pausedBy}` : 'state.paused');
  }
  if (passedOver) {
    return say('state.back');
  }
  return say(naru.board?.entryOpen === false ? 'state.closed' : 'state.waiting');
}

/** Why there is nothing for whoever would go in. @param {any} [stock] */
function stockOf({ state, held } = {}) {
  switch (state) {
    case 'paying':
      return held === 1 ? say('stock.paying.one') : say('stock.paying.many', { n: number(held) });
    case 'sold-out':
    case 'stale':
      return say(`stock.${state}`);
    default:
      return say('state.stock');
  }
}

function speakOfTurn() {
  const seconds = Math.max(0, Math.ceil(((naru.entry?.endsAt ?? 0) - Date.now()) / 1_000));
  put('left', countdown(seconds));
  document.title = `${countdown(seconds)} · ${say('entered.title')} · ${title}`;
}

// --- what the visitor does

/** With the place that this browser has, or a new one; with the code of the address, if there is one. */
function start() {
  codeTriedAt = now();
  naru.start();
}

function enter() {
  show('joining');
  speak();
  naru.enter();
}

$('again').addEventListener('click', enter);

/** @param {string} code of the problem */
function codeIsWrong(code) {
  $('code').open = true;
  put('code-wrong', say(code === 'code-invalid' ? 'code.invalid' : 'code.failed'));
}

/** A code is good once: an address that kept it would be wrong at each reload. */
function dropCode() {
  const address = new URL(location.href);
  if (naru.code || !address.searchParams.has('code')) {
    return;
  }
  address.searchParams.delete('code');
  history.replaceState(null, '', address);
  query.delete('code');
  carry('#languages a', 'code');
}

/** Once more, where nobody could be reached with it: meanwhile one waits in another lane. */
function tryCode() {
  if (naru.code && now() - codeTriedAt >= CODE_EVERY) {
    codeTriedAt = now();
    naru.useCode(naru.code).catch(({ message: code }) => naru.code || codeIsWrong(code));
  }
}

$('code-form').addEventListener('submit', async (/** @type {Event} */ event) => {
  event.preventDefault();
  put('code-wrong', '');
  try {
    await naru.useCode($('code-text').value);
    $('code-text').value = '';
    $('code').open = false;
  } catch (problem) {
    codeIsWrong(/** @type {Error} */ (problem).message);
  }
});

$('go').addEventListener('click', () => clearTimeout(goTimer));

document.addEventListener('visibilitychange', goOn);

$('notify').addEventListener('click', () => {
  if (wanted()) {
    unwant();
  } else {
    want().then(drawWish);
  }
  renewWish();
});

$('notify-try').addEventListener('click', sound);

function drawWish() {
  $('notify').setAttribute('aria-checked', String(wanted()));
  $('notify-try').hidden = !wanted();
  const isBlocked = wanted() && !canNotify();
  put('notify-hint', say(!isBlocked ? 'notify.hint' : canSound() ? 'notify.sound' : 'notify.tap'));
}

/** Also a wish from before the page was loaded again; there may be no sound until it is touched. */
function renewWish() {
  drawWish();
  if (wanted()) {
    wake().then(drawWish);
  }
}

for (const name of ['pointerup', 'keyup']) {
  addEventListener(name, renewWish, { once: true });
}

$('leave').addEventListener('click', () => {
  put('leave-failed', '');
  $('leave-dialog').showModal();
});
$('leave-no').addEventListener('click', () => $('leave-dialog').close());
$('leave-yes').addEventListener('click', async () => {
  $('leave-yes').disabled = true;
  try {
    await naru.leave();
  } catch {
    put('leave-failed', say('leave.failed'));
  } finally {
    $('leave-yes').disabled = false;
  }
});

$('handoff').addEventListener('click', async () => {
  put('handoff-wrong', '');
  $('handoff').disabled = true;
  try {
    const { url, qr, expiresAt } = await link(queue, naru.entry.entryToken);
    $('handoff-qr').replaceChildren(picture(qr));
    $('handoff-link').value = url;
    put('handoff-until', say('handoff.until', { time: at(Date.parse(expiresAt)) }));
    $('handoff-dialog').showModal();
  } catch (problem) {
    handoffIsWrong(/** @type {Error} */ (problem).message);
  } finally {
    $('handoff').disabled = false;
  }
});
$('handoff-close').addEventListener('click', () => $('handoff-dialog').close());
$('handoff-link').addEventListener('focus', () => $('handoff-link').select());
$('handoff-copy').addEventListener('click', async () => {
  $('handoff-link').select();
  try {
    await navigator.clipboard.writeText($('handoff-link').value);
    put('handoff-until', say('handoff.copied'));
  } catch {
    // Not allowed here; it is selected, for whoever copies by hand.
  }
});

/** @param {string} code of the problem */
function handoffIsWrong(code) {
  put('handoff-wrong', say(code === 'identity-from-site' ? 'handoff.login' : 'handoff.failed'));
}

/** Somebody opened the link: the place is here from now on. @param {import('./handoff.js').Link} link */
async function takeAlong(link, tries = 0) {
  const turn = taking;
  try {
    await takeOver(queue, link);
    if (turn === taking) {
      dropBrought(queue);
      naru.enter();
    }
  } catch (problem) {
    if (turn === taking) {
      untaken(link, tries, problem);
    }
  }
}

/** @param {import('./handoff.js').Link} link @param {number} tries @param {any} problem */
function untaken(link, tries, { message: why, isFinal = false, seconds = 0 }) {
  if (!isFinal) {
    takeAlongLater(link, tries, why, seconds);
    return;
  }
  dropBrought(queue);
  if (why === 'handoff-invalid' || why === 'handoff-used') {
    // Not a new place at the end, which nobody asked for.
    notice('nolink', { again: true });
  } else {
    start();
    put('handoff-wrong', say(UNTAKEN[why] ?? 'handoff.failed'));
  }
}

/**
 * Too often, the place is being drawn, or nobody could be asked: a place of this device would be another one, at the end.
 *
 * @param {import('./handoff.js').Link} link @param {number} tries @param {string} why @param {number} seconds
 */
function takeAlongLater(link, tries, why, seconds) {
  if (why === 'too-many-enters') {
    notice('often');
  } else {
    room.dataset.connection = why === 'handoff-not-now' ? 'polling' : 'away';
    speak();
  }
  const more = Math.min(15, 2 ** tries) * (0.5 + Math.random());
  // A link that is too old by then is told to be.
  takingTimer = setTimeout(() => takeAlong(link, tries + 1), 1_000 * (seconds + more));
}

// --- the beginning

/** The page is the same for all, so its links do not know what somebody came with. @param {string} links @param {string} name */
function carry(links, name) {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(links))) {
    const address = new URL(link.href);
    address.searchParams.delete(name);
    if (query.get(name)) {
      address.searchParams.set(name, query.get(name) ?? '');
    }
    link.href = address.href;
  }
}

carry('#languages a, #fair', 'return');
carry('#languages a', 'code');

for (const link of document.querySelectorAll('#languages a')) {
  link.addEventListener('click', () => {
    try {
      localStorage.setItem(LANGUAGE, /** @type {any} */ (link).lang);
    } catch {
      // Not allowed here; the address has it.
    }
  });
}

/** The same page in the language that was chosen before; null if it is in that already. @returns {string | null} */
function chosen() {
  try {
    const language = query.has('lang') ? null : localStorage.getItem(LANGUAGE);
    const links = [...document.querySelectorAll('#languages a')];
    return /** @type {any} */ (links.find((link) => /** @type {any} */ (link).lang === language))?.href ?? null;
  } catch {
    return null;
  }
}

function begin() {
  const elsewhere = chosen();
  if (elsewhere) {
    location.replace(elsewhere + location.hash);
    return;
  }
  keepPage();
  // A page that is back from the browser's memory may still be at it.
  clearTimeout(takingTimer);
  taking++;
  const link = brought(queue);
  if (link) {
    takeAlong(link);
    return;
  }
  start();
  hasPlace = naru.kept !== null;
}

document.documentElement.dataset.live = '';
show('joining');
speak();
renewWish();
setInterval(() => {
  draw();
  speak();
}, 1_000);
addEventListener('pagehide', () => {
  if (naru.entry && room.dataset.state === 'waiting') {
    remember(naru.entry.entryToken);
  }
});

// A page that a browser fetched in advance, for somebody who may never come, takes no place.
if (/** @type {any} */ (document).prerendering) {
  document.addEventListener('prerenderingchange', begin, { once: true });
} else {
  begin();
}
// Of a link that is opened where this page is open already, a browser loads nothing anew.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#handoff=')) {
    location.reload();
  }
});
// Back from the browser's memory, where streams do not live on.
addEventListener('pageshow', (event) => {
  if (event.persisted) {
    begin();
  }
});
