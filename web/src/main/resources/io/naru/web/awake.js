// @ts-check
// Near the front a phone does not fall asleep over its visitor's turn.

/** @type {any} */
let lock = null;
let isWanted = false;

/** @param {boolean} isNear whether the turn is near, or there */
export function stayAwake(isNear) {
  if (isNear !== isWanted) {
    isWanted = isNear;
    hold();
  }
}

let last = Promise.resolve();

/** One step after the other: what is wanted may change while the browser makes up its mind. */
function hold() {
  last = last.then(step);
}

async function step() {
  if (!isWanted) {
    await lock?.release();
    lock = null;
  } else if ('wakeLock' in navigator && !document.hidden && (lock === null || lock.released)) {
    // Refused when the battery is low.
    lock = await navigator.wakeLock.request('screen').catch(() => null);
  }
}

// A browser gives it up with the page out of sight.
document.addEventListener('visibilitychange', hold);
