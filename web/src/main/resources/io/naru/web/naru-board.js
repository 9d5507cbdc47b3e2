// @ts-check
// Living on the board of a queue: works one's own place out of what is the same for everybody, so that a cache in front of
// Naru can carry any number who wait. naru.js loads this where it is needed.

/** How often to look, in milliseconds, and up to half as much later, so that never all do at the same moment. */
const LOOK = 1_000;

/** Which tickets of one's block are gone is asked for at most so often. */
const TILE = 10_000;

/** For so long nothing but boards that say nothing of one's place: then one asks. */
const PATIENCE = 60_000;

/**
 * Where somebody stands by a board. What is not known yet, a later board or tile tells: until then it is at most too many.
 *
 * @param {any} board @param {{ticket: number, lane?: string}} mine
 * @param {{lane: number, from: number, end: number, bits: Uint8Array} | null} tile
 * @returns {{lane: any, ahead: number, isExact: boolean, address: string, from: number, end: number} | null}
 *   null if one is not in that line any more
 */
export function placeOn(board, { ticket, lane: name }, tile) {
  const lane = board.lanes.find((/** @type {any} */ each) => each.name === name);
  if (!lane || ticket < lane.front || ticket >= lane.next) {
    return null;
  }
  const { front, gone, id } = lane;
  const size = board.block;
  const block = Math.floor(ticket / size);
  const own = block - Math.floor(front / size);
  const from = Math.max(front, block * size);
  const end = (block + 1) * size;
  let ahead = ticket - front;
  for (let i = 0; i < own; i++) {
    ahead -= gone[i];
  }
  let known = 0;
  if (gone[own] && tile?.lane === id) {
    for (let each = Math.max(from, tile.from); each < Math.min(end, tile.end); each++) {
      const at = each - tile.from;
      if ((tile.bits[at >> 3] >> (at & 7)) & 1) {
        known++;
        ahead -= each < ticket ? 1 : 0;
        if (each === ticket) {
          return null;
        }
      }
    }
  }
  return { lane, ahead, isExact: known === gone[own], address: `${id}/${size}/${from}/${gone[own]}`, from, end };
}

/**
 * How long it takes from a place, between what the board says of two places.
 *
 * @param {number[][] | undefined} waits @param {number} ahead
 */
export function waitAt(waits, ahead) {
  const next = waits?.findIndex(([at]) => at >= ahead) ?? -1;
  if (!waits || next < 0) {
    return null;
  }
  const [at, low, high] = waits[next];
  const [before, lowBefore, highBefore] = waits[Math.max(0, next - 1)];
  const part = at === before ? 1 : (ahead - before) / (at - before);
  return {
    lowSeconds: Math.floor(lowBefore + part * (low - lowBefore)),
    highSeconds: Math.ceil(highBefore + part * (high - highBefore)),
  };
}

/**
 * Follows a place by the board, until somebody closes it.
 *
 * @param {string} url of the queue
 * @param {() => any} kept what is known of the place
 * @param {(board: any, place: any) => void} tell the board, and what it says of the place; null if nothing
 * @param {(part?: number) => void} ask it must be asked for: it is near, or not on the board any more, when that is more urgent
 * @param {() => void} away nobody answers
 */
export function follow(url, kept, tell, ask, away) {
  let isClosed = false;
  let failures = 0;
  let saidAt = Date.now();
  let tileAt = -Infinity;
  /** @type {any} */
  let tile = null;
  /** @type {any} */
  let timer;

  async function look() {
    const board = await read(`${url}/board`);
    if (isClosed) {
      return;
    }
    if (board) {
      failures = 0;
      see(board);
    } else {
      away();
    }
    if (!isClosed) {
      const wait = board ? LOOK : Math.min(15_000, LOOK * 2 ** failures++);
      timer = setTimeout(look, wait * (1 + Math.random() / 2));
    }
  }

  /** @param {any} board */
  function see(board) {
    const mine = kept();
    if (!mine.ticket) {
      seeWithout(board);
      return;
    }
    // One that is older than what is known says nothing, and so does one of a server that cannot say.
    const isNews = board.lanes && board.change >= mine.change;
    const place = isNews ? placeOn(board, mine, tile) : null;
    saidAt = isNews ? Date.now() : saidAt;
    tell(board, place && entryOf(board, place, mine));
    const isNear = place && place.ahead < board.askWithin;
    const isGone = isNews && !place;
    if (!isClosed && (isGone || isNear || Date.now() - saidAt > PATIENCE)) {
      ask(isGone ? 0.1 : 1);
    } else if (place && !place.isExact && Date.now() - tileAt > TILE) {
      fetchTile(place);
    }
  }

  /** Without a place there is nothing to ask for until the draw; then it is, by all, until there is a ticket. @param {any} board */
  function seeWithout(board) {
    tell(board, null);
    const { phase } = board.draw ?? {};
    if (!isClosed && phase !== 'LOBBY' && phase !== 'CLOSED') {
      ask();
    }
  }

  /** @param {any} place */
  async function fetchTile({ lane, address, from, end }) {
    // Not all of a block at once, and not before others had a chance to fill the caches.
    tileAt = Date.now() + Math.random() * LOOK;
    const found = await read(`${url}/board/${address}`);
    if (found) {
      const text = atob(found.gone.replaceAll('-', '+').replaceAll('_', '/'));
      tile = { lane: lane.id, from, end, bits: Uint8Array.from(text, (each) => each.charCodeAt(0)) };
    }
  }

  timer = setTimeout(look, Math.random() * LOOK);
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** The place as a status would tell it. @param {any} board @param {any} place @param {any} mine */
function entryOf(board, { lane, ahead }, { token, ticket }) {
  const wait = waitAt(lane.waits, ahead);
  return {
    eventType: board.eventType,
    eventId: board.eventId,
    status: 'WAITING',
    entryToken: token,
    position: ahead + 1,
    ahead,
    behind: Math.max(0, lane.waiting - ahead - 1),
    totalWaiting: Math.max(lane.waiting, ahead + 1),
    ticket,
    lane: lane.name,
    estimatedWaitSeconds: board.pausedBy ? undefined : Math.ceil((ahead + 1) / board.ratePerSecond),
    wait: wait ? { ...wait, at: new Date().toISOString() } : undefined,
    turnSeconds: board.turnSeconds,
    board: board.board,
    change: board.change,
  };
}

/** The board with which a queue ended; a place may know of the end a second before it. @param {string} url */
export async function lastBoard(url) {
  let board = null;
  for (let look = 0; look < 3 && board?.state !== 'ENDED'; look++) {
    await new Promise((resolve) => setTimeout(resolve, look && 1_100));
    board = (await read(`${url}/board`)) ?? board;
  }
  return board;
}

/** @param {string} url */
async function read(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(8_000) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
