// @ts-check
// "Tell me when it is my turn": a soft sound, and a notification where the browser allows it. Nothing is asked for before
// the visitor wants it; what they wanted is remembered.

import { worker } from './keep.js';

const WISH = 'naru-notify';

/** @type {AudioContext | null} */
let audio = null;
let isWanted = remembered();

export const wanted = () => isWanted;

/** Whether a sound would be heard: browsers play none before the visitor has touched the page. */
export const canSound = () => audio?.state === 'running';

export const canNotify = () => 'Notification' in window && Notification.permission === 'granted';

/** To be called in answer to a click: browsers allow questions only then. */
export async function want() {
  remember(true);
  if ('Notification' in window && (await Notification.requestPermission()) === 'granted') {
    worker();
  }
}

export function unwant() {
  remember(false);
}

/** Plays the sound, for those who want to know it. In answer to a click. */
export async function sound() {
  await wake();
  chime();
}

/** Makes the sound ready, as soon as that may be: in answer to a click at once. */
export async function wake() {
  audio ??= 'AudioContext' in window ? new AudioContext() : null;
  await audio?.resume();
}

/** @param {string} title @param {string} text */
export async function alert(title, text) {
  if (!isWanted) {
    return;
  }
  if (canSound()) {
    chime();
  }
  if (canNotify() && (document.hidden || !document.hasFocus())) {
    const options = { body: text, tag: 'naru', data: location.href };
    const shown = (await worker())?.showNotification(title, options);
    if (!shown) {
      new Notification(title, options).onclick = () => window.focus();
    }
  }
}

function remembered() {
  try {
    return localStorage.getItem(WISH) === 'yes';
  } catch {
    return false;
  }
}

/** @param {boolean} wish */
function remember(wish) {
  isWanted = wish;
  try {
    localStorage.setItem(WISH, wish ? 'yes' : 'no');
  } catch {
    // Not allowed here; it holds for this page.
  }
}

function chime() {
  if (!audio) {
    return;
  }
  for (const [i, frequency] of [659.25, 987.77].entries()) {
    const start = audio.currentTime + i * 0.22;
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.16, start + 0.03);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 1.2);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 1.25);
  }
}
