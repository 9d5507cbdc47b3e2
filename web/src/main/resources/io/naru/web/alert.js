// @ts-check
// "Tell me when it is my turn": a soft sound, and a notification where the browser allows it. Nothing is asked for before
// the visitor wants it.

/** @type {AudioContext | null} */
let audio = null;
let isWanted = false;

/** Browsers allow sound and questions only in answer to a click. @returns {Promise<boolean>} whether there will be notifications */
export async function want() {
  isWanted = true;
  audio ??= 'AudioContext' in window ? new AudioContext() : null;
  audio?.resume();
  if (!('Notification' in window)) {
    return false;
  }
  return (await Notification.requestPermission()) === 'granted';
}

export function unwant() {
  isWanted = false;
}

/** @param {string} title @param {string} text */
export function alert(title, text) {
  if (!isWanted) {
    return;
  }
  chime();
  if (document.hidden && 'Notification' in window && Notification.permission === 'granted') {
    try {
      const notification = new Notification(title, { body: text, tag: 'naru' });
      notification.onclick = () => window.focus();
    } catch {
      // Some phones have notifications only for installed pages; the sound is there.
    }
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
