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

async function hold() {
  if (!isWanted) {
    lock?.release();
    lock = null;
  } else if ('wakeLock' in navigator && !document.hidden) {
    // Refused when the battery is low.
    lock = await navigator.wakeLock.request('screen').catch(() => null);
  }
}

// A browser gives it up with the page out of sight.
document.addEventListener('visibilitychange', hold);
