// @ts-check
// Living on the board of a queue: works one's own place out of what is the same for everybody, so that a cache in front of
// Naru can carry any number who wait. naru.js loads this where it is needed, also for a look at the board alone.

/** How often to look, in milliseconds, and up to half as much later, so that never all do at the same moment. */
const LOOK = 1_000;

/** Which tickets of one's block are gone is asked for at most so often. */
const TILE = 10_000;

/** So many may ask within seconds. */
const CROWD = 20_000;

/** Places change: who asks is let go back to the board at so many times as many ahead. */
const AMPLE = 2;

/** For so long, and up to five times that, nothing but boards that say nothing of one's place: then one asks, once. */
const PATIENCE = 60_000;

/**
 * Where somebody stands by a board. What is not known yet, a later board or tile tells: until then it is at most too many.
 *
 * @param {any} board @param {{ticket: number, lane?: string}} mine
 * @param {{lane: number, from: number, end: number, bits: Uint8Array} | null} tile
 * @returns {{lane: any, ahead: number, isExact: boolean, address: string, from: number, end: number} | null}
 *   null if one is not in that line any more
 */
export function placeOn(board, mine, tile) {
  const { ticket } = mine;
  const lane = board.lanes.find(spans(mine));
  if (!lane) {
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
 * @param {(board: any, place: any) => void} tell the board, null if it is older than what is known; what it says of the place, null
 *   if nothing
 * @param {(near: number, part?: number) => void} ask it must be asked for: from now on for as long as fewer than `near` are ahead, once if
 *   not; the smaller the part, the sooner
 * @param {() => void} away nobody answers
 */
export function follow(url, kept, tell, ask, away) {
  let isClosed = false;
  let failures = 0;
  let saidAt = Date.now();
  /** How many times as long as a few a crowd needs to ask, so that servers bear it. */
  let crowd = 1;
  /** All hear at the same moment that a board says nothing: so some lose patience later. */
  const calm = Math.random();
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
    if (board?.isMissing) {
      // Only the status says for certain that the queue is gone: this may be a proxy's word.
      ask(0, crowd);
    } else if (board) {
      failures = 0;
      crowd = Math.max(1, board.waiting / CROWD);
      see(board);
    } else {
      away();
    }
    if (!isClosed) {
      // After an answer: in a tab that nobody looks at, browsers let timers that follow on timers wait for a minute.
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
    // One that is older than what is known says nothing at all; one of a server that cannot say where people stand, not that.
    const isNews = board.lanes && board.change >= mine.change;
    const place = isNews ? placeOn(board, mine, tile) : null;
    saidAt = isNews ? Date.now() : saidAt;
    tell(isNews || !board.lanes ? board : null, place && entryOf(board, place, mine));
    const isNear = place && place.ahead < board.askWithin;
    const isGone = isNews && !place;
    if (!isClosed && isGone && !isNamed(board, mine)) {
      // The operator changed the lanes, and nobody's turn came.
      ask(0, crowd);
    } else if (!isClosed && (isGone || isNear)) {
      ask(AMPLE * board.askWithin, isGone ? 0.1 : 1);
    } else if (!isClosed && Date.now() - saidAt > patience()) {
      ask(0);
    } else if (place && !place.isExact && Date.now() - tileAt > TILE) {
      fetchTile(place);
    }
  }

  function patience() {
    return PATIENCE * (1 + calm * Math.max(4, crowd / 20));
  }

  /** Without a place there is nothing to ask for until the draw; then it is, by all, until there is a ticket. @param {any} board */
  function seeWithout(board) {
    tell(board, null);
    const { phase } = board.draw ?? {};
    if (!isClosed && phase !== 'LOBBY' && phase !== 'CLOSED') {
      ask(0);
    }
  }

  /** @param {any} place */
  async function fetchTile({ lane, address, from, end }) {
    // Not all of a block at once, and not before others had a chance to fill the caches.
    tileAt = Date.now() + Math.random() * LOOK;
    const found = await read(`${url}/board/${address}`);
    if (found?.gone) {
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

/** The place as a status would tell it, as far as the board says so. @param {any} board @param {any} place @param {any} mine */
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
    // What is promised depends on the other lanes too.
    atMostBefore: null,
    // An earlier server told a slow rate as 0, of which nothing follows.
    estimatedWaitSeconds: board.pausedBy || !board.ratePerSecond ? undefined : Math.ceil((ahead + 1) / board.ratePerSecond),
    wait: wait ? { ...wait, at: new Date().toISOString() } : undefined,
    turnSeconds: board.turnSeconds,
    board: board.board,
    change: board.change,
  };
}

/** The board as it is now, also if a cache has one of a moment ago; null if it cannot be had. @param {string} url */
export async function newBoard(url) {
  const board = await read(`${url}/board`, 'no-cache');
  return board?.state ? board : null;
}

/** Whether somebody is surely not in line any more. @param {any} board @param {any} entry null if there is none */
export function isGone(board, entry) {
  return entry?.ticket > 0 && board.change >= entry.change && isNamed(board, entry) && !board.lanes.some(spans(entry));
}

/** Whether there is still a lane of that name. @param {any} board @param {{lane?: string}} mine */
function isNamed(board, { lane }) {
  return board.lanes.some((/** @type {any} */ { name }) => name === lane);
}

/** Which lane has a ticket between its first and its last. @param {{ticket: number, lane?: string}} mine */
function spans({ ticket, lane }) {
  return (/** @type {any} */ { name, front, next }) => name === lane && front <= ticket && ticket < next;
}

/** The board with which a queue ended; a place may know of the end a second before it. @param {string} url */
export async function lastBoard(url) {
  let board = null;
  for (let look = 0; look < 3 && board?.state !== 'ENDED'; look++) {
    await new Promise((resolve) => setTimeout(resolve, look && 1_100));
    const found = await read(`${url}/board`);
    board = found?.state ? found : board;
  }
  return board;
}

/** What is there; null if nobody can say for the moment. @param {string} url @param {RequestCache} [cache] */
async function read(url, cache) {
  try {
    const response = await fetch(url, { cache, signal: AbortSignal.timeout(8_000) });
    return response.ok ? await response.json() : response.status === 404 ? { isMissing: true } : null;
  } catch {
    return null;
  }
}
