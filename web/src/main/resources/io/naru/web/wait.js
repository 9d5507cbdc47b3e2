// @ts-check
// The waiting page: shows what naru.js tells.
//
// For those who test or style it, these stay as they are:
//   #wait[data-state]       joining · waiting · entered · closed · full · often · expired · unknown · left · completed ·
//                           missing · trouble
//   #wait[data-connection]  live · polling · away
//   #place[data-value] #ahead #progress #estimate #news   the numbers; data-value is without separators
//   #state                  one sentence (role=status); #announce is heard only, at most every 15 s
//   #notice-title #notice-text #again #go                 whatever is not waiting
//   #notify  #leave → #leave-dialog with #leave-yes #leave-no
//   #enter-form             without JavaScript

import { alert, unwant, want } from './alert.js';
import { Counter } from './counter.js';
import { Naru } from './naru.js';
import { ahead, estimate, news, number, say } from './words.js';

const ANNOUNCE_EVERY = 15_000;
/** A short break is nobody's business. */
const AWAY_AFTER = 2_500;
const GO_AFTER = 1_200;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

const room = $('wait');
const title = room.dataset.title;
const naru = new Naru(room.dataset.type, room.dataset.id, { base: location.origin });
/** The page of the site that somebody came for. The server says whether it may be gone to. */
const wayBack = new URLSearchParams(location.search).get('return');
const SHOWN = `naru-shown:${naru.type}/${naru.id}`;
const stillness = matchMedia('(prefers-reduced-motion: reduce)');

let counter = new Counter();
let first = 1;
let shown = 0;
let newsAt = 0;
let announcedAt = -Infinity;
let announced = 0;
/** @type {any} */
let awayTimer;
/** @type {any} */
let goTimer;

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
  $('choices').hidden = state !== 'waiting';
}

/**
 * @param {string} state
 * @param {{text?: string, again?: boolean, go?: string}} [options]
 */
function notice(state, { text = say(`${state}.text`), again = false, go } = {}) {
  const isNew = room.dataset.state !== state;
  show(state);
  put('notice-title', say(`${state}.title`));
  put('notice-text', text);
  put('state', '');
  $('again').hidden = !again;
  $('go').hidden = !go;
  if (go) {
    $('go').href = go;
  }
  document.title = `${say(`${state}.title`)} · ${title}`;
  if (isNew) {
    // Screen readers read what is focused; the sighted notice nothing.
    $('notice-title').focus({ preventScroll: true });
  }
}

// --- what naru.js tells

naru.addEventListener('status', ({ detail: entry }) => {
  if (room.dataset.state !== 'waiting') {
    counter = new Counter(remembered(entry.entryToken));
    announced = 0;
    show('waiting');
  }
  first = entry.first;
  newsAt = now();
  counter.news(entry.position, entry.estimatedWaitSeconds ?? 0, entry.paused === true, newsAt);
  draw();
  speak();
  remember(entry.entryToken);
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
    counter.news(kept.position, 0, true, newsAt);
    show('waiting');
    draw();
  }
}

naru.addEventListener('entered', ({ detail: entry }) => {
  $('leave-dialog').close();
  const isGoing = entry.targetUrl || wayBack;
  // Who was inside from the start may have been sent back by the site: the server then says so.
  const hasWaited = shown > 0;
  notice('entered', { text: say(isGoing ? 'entered.going' : 'entered.text'), go: isGoing && placeOf(true) });
  alert(say('entered.title'), title);
  if (isGoing) {
    goTimer = setTimeout(() => location.replace(placeOf(hasWaited)), GO_AFTER);
  }
});

/**
 * Our own page that sends on to the site, with the pass in a cookie that no script can read.
 *
 * @param {boolean} go in any case, even if another tab was sent on a moment ago
 */
function placeOf(go) {
  const query = [...(wayBack ? [`return=${encodeURIComponent(wayBack)}`] : []), ...(go ? ['go=1'] : [])].join('&');
  return `/wait/${naru.type}/${naru.id}/place${query && `?${query}`}`;
}

naru.addEventListener('refused', ({ detail: { code } }) => {
  notice(code === 'S805' ? 'closed' : code === 'line-full' ? 'full' : 'often');
});

naru.addEventListener('ended', ({ detail: { code } }) => {
  $('leave-dialog').close();
  const states = { S801: 'missing', S803: 'unknown', S804: 'expired', COMPLETED: 'completed', LEFT: 'left' };
  const state = states[/** @type {keyof typeof states} */ (code)] ?? 'trouble';
  if (state === 'expired' && room.dataset.onExpiry === 'REQUEUE') {
    // There is a new place, or will be as soon as it is asked for.
    enter();
  } else if (state === 'completed' && room.dataset.once === 'true') {
    notice(state, { text: say('completed.once') });
  } else {
    notice(state, { again: state !== 'missing' });
  }
});

// A page that was loaded again must not show a higher number than the one before it, which counted on.

/** @param {string} token */
function remembered(token) {
  try {
    const before = JSON.parse(localStorage.getItem(SHOWN) ?? '{}');
    return before.token === token ? before.place : Infinity;
  } catch {
    return Infinity;
  }
}

/** @param {string} token */
function remember(token) {
  try {
    localStorage.setItem(SHOWN, JSON.stringify({ token, place: shown }));
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
  const place = counter.shown(now(), !stillness.matches);
  if (place !== shown) {
    shown = place;
    const text = number(place);
    put('place', text);
    $('place').dataset.value = place;
    $('place').toggleAttribute('data-long', text.length > 6);
    put('ahead', ahead(place - 1));
    document.title = `${text} · ${title}`;
  }
  // Nobody likes an empty bar: standing in line is a beginning.
  $('progress').value = Math.max(2, Math.round((100 * (first - place + 1)) / (first + 1)));
}

/** The words, which need not change as often. */
function speak() {
  const state = room.dataset.state;
  const isAway = room.dataset.connection === 'away';
  if (state === 'joining') {
    put('state', say(isAway ? 'state.unreachable' : 'state.joining'));
    return;
  }
  if (state !== 'waiting') {
    return;
  }
  const wait = estimate(counter.wait);
  put('estimate', wait);
  put('news', news((now() - newsAt) / 1_000));
  put('state', say(isAway ? 'state.away' : counter.isPaused ? 'state.paused' : 'state.waiting'));
  if (shown !== announced && now() - announcedAt >= ANNOUNCE_EVERY) {
    announced = shown;
    announcedAt = now();
    put('announce', say('announce.place', { n: number(shown), estimate: wait }));
  }
}

function frame() {
  if (!stillness.matches) {
    draw();
  }
  requestAnimationFrame(frame);
}

// --- what the visitor does

function enter() {
  show('joining');
  speak();
  naru.enter();
}

$('again').addEventListener('click', enter);

$('go').addEventListener('click', () => clearTimeout(goTimer));

$('notify').addEventListener('click', async () => {
  const isOn = $('notify').getAttribute('aria-checked') !== 'true';
  $('notify').setAttribute('aria-checked', String(isOn));
  if (isOn) {
    put('notify-hint', say((await want()) ? 'notify.hint' : 'notify.sound'));
  } else {
    unwant();
  }
});

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

// --- the beginning

function begin() {
  naru.start();
}

document.documentElement.dataset.live = '';
show('joining');
speak();
setInterval(() => {
  draw();
  speak();
}, 1_000);
addEventListener('pagehide', () => {
  if (naru.entry && room.dataset.state === 'waiting') {
    remember(naru.entry.entryToken);
  }
});
requestAnimationFrame(frame);

// A page that a browser fetched in advance, for somebody who may never come, takes no place.
if (/** @type {any} */ (document).prerendering) {
  document.addEventListener('prerenderingchange', begin, { once: true });
} else {
  begin();
}
// Back from the browser's memory, where streams do not live on.
addEventListener('pageshow', (event) => {
  if (event.persisted) {
    begin();
  }
});
