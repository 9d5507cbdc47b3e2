// @ts-check
// Naru's browser client: takes a place in a queue and follows it until it is one's turn. See docs/browser.md, naru.d.ts.

const HOME = new URL(import.meta.url).origin;

/** Nobody was reached who knows about places. */
const AWAY = 'away';

/** One event is promised every 3 s: after so long, the stream is dead. */
const SILENCE = 12_000;

/** How often the board is looked at where nobody pushes it. */
const LOOK = 1_500;

/** What very many would do at the same moment. */
const SPREAD = 3_000;

/** So long finished entries are known. */
const MEMORY = 3_600_000;

export class Naru extends EventTarget {
  #url;
  #base;
  #key;
  /** @type {{token: string, change: number, position: number, first: number, lane?: string, ticket?: number, at: number, isReturned?: boolean} | null} */
  #kept = null;
  /** @type {{close(): void} | null} */
  #source = null;
  /** @type {any} */
  #timer;
  /** @type {any} */
  #watch;
  /** @type {any} */
  #looking;
  #connection = '';
  #failures = 0;
  #streamFailures = 0;
  #streamsAgainAt = 0;
  /** By how much the clock of this browser is ahead of the server's. */
  #ahead = Infinity;
  /** What gives a place in a lane, until it was shown. */
  #code;
  #isOnBoard;
  /** In which the site says who this is. */
  #token;
  /** Whether the board is not enough any more. */
  #isNear = false;
  /** Whether the end of the place would be no news. */
  #isOld = false;
  /** Counts starts and stops: what was asked before does not act after. */
  #turn = 0;

  /** @param {string} type @param {string} id @param {{base?: string, code?: string, follow?: string, token?: string}} [options] */
  constructor(type, id, { base = HOME, code = '', follow = '', token = '' } = {}) {
    super();
    this.#token = token;
    this.#code = code;
    this.#isOnBoard = follow === 'board';
    this.type = type;
    this.id = id;
    this.#base = base.replace(/\/+$/, '');
    this.#url = `${this.#base}/queue/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
    this.#key = `naru:${this.#base}/${type}/${id}`;
    /** @type {any} */
    this.entry = null;
    /** @type {any} */
    this.board = null;
  }

  /** Goes on with the place that this browser has, or takes one. */
  start() {
    this.#begin();
    this.#kept = recall(this.#key);
    if (this.#kept) {
      this.#isOld = Date.now() - this.#kept.at > MEMORY;
      this.#stream();
      if (this.#code) {
        this.useCode(this.#code).catch((problem) => this.#emit('refused', { code: problem.message, seconds: 0 }));
      }
    } else {
      this.#enter();
    }
  }

  /** What was last heard of the place. */
  get kept() {
    const kept = this.#isOld ? null : this.#kept;
    return kept?.position ? { position: kept.position, first: kept.first, at: kept.at } : null;
  }

  /** Takes a place, whatever was before. */
  enter() {
    this.#begin();
    this.#forget();
    this.#enter();
  }

  /** The server's time, as far as it is known. */
  now() {
    return Date.now() - (this.#ahead === Infinity ? 0 : this.#ahead);
  }

  /** Takes a place in the lane of a code. Rejects with what is wrong; a place is kept then. @param {string} code */
  async useCode(code) {
    const turn = this.#turn;
    const answer = await ask(`${this.#url}/enter`, 'POST', this.#token, { code });
    this.#code = '';
    if (!answer.entry) {
      throw new Error(answer.code);
    }
    if (turn === this.#turn) {
      this.#take(answer.entry);
    }
  }

  /** Gives the place up. Rejects if nobody could be told. */
  async leave() {
    const token = this.#kept?.token;
    const answer = await ask(`${this.#url}/leave`, 'POST', token);
    if (!answer.ok && answer.code !== 'S803') {
      throw new Error(answer.code);
    }
    this.#end('LEFT');
  }

  /** The payment failed: another try or, given up, a new place in front. Rejects with what is wrong. @param {{giveUp?: boolean}} [options] */
  async return({ giveUp = false } = {}) {
    const answer = await ask(`${this.#url}/return`, 'POST', this.entry?.pass, { giveUp });
    if (!answer.entry) {
      throw new Error(answer.code);
    }
    if (answer.entry.status === 'ENTERED') {
      this.#take(answer.entry, answer.date || Date.now());
      this.#kept = { .../** @type {any} */ (this.#kept), isReturned: true };
      write(this.#key, this.#kept);
    } else {
      this.#begin();
      this.#take(answer.entry);
    }
  }

  /** Follows no longer; the place is kept. */
  stop() {
    this.#turn++;
    this.#close();
    removeEventListener('online', this.#hurry);
    document.removeEventListener('visibilitychange', this.#hurry);
  }

  #begin() {
    this.stop();
    this.entry = null;
    this.board = null;
    this.#ahead = Infinity;
    this.#isOld = false;
    this.#isNear = false;
    this.#failures = 0;
    this.#streamFailures = 0;
    this.#streamsAgainAt = 0;
    this.#connection = '';
    addEventListener('online', this.#hurry);
    document.addEventListener('visibilitychange', this.#hurry);
  }

  #close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    clearTimeout(this.#looking);
    this.#source?.close();
    this.#source = null;
  }

  /** @param {string} name @param {any} detail */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** @param {'live' | 'polling' | 'away'} connection */
  #connected(connection) {
    if (connection !== 'away') {
      this.#failures = 0;
    }
    if (connection !== this.#connection) {
      this.#connection = connection;
      this.#emit('connection', connection);
    }
  }

  /** @param {() => void} step @param {number} millis */
  #later(step, millis) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(step, millis);
  }

  /** Back after an absence: do not sit out the back-off. */
  #hurry = () => {
    if (this.#connection === 'away' && !document.hidden) {
      this.#failures = 0;
      // Many come back at the same moment.
      this.#later(() => (this.#source ? this.#stream() : this.#kept ? this.#poll() : this.#enter()), Math.random() * 1_000);
    }
  };

  async #enter() {
    const turn = this.#turn;
    const answer = await ask(`${this.#url}/enter`, 'POST', this.#token, this.#code ? { code: this.#code } : undefined);
    if (turn !== this.#turn) {
      return;
    }
    const { code, retryAfter, opensAt } = answer;
    if (answer.entry) {
      this.#code = '';
      this.#take(answer.entry);
    } else if (code === 'S805' || code === 'line-full' || code === 'too-many-enters') {
      // Perhaps soon: not all at the same moment, and not often.
      const seconds = Math.max(retryAfter, 10 + Math.random() * 10);
      this.#later(() => this.#enter(), seconds * 1_000);
      this.#emit('refused', { code, seconds, ...(opensAt && { opensAt }) });
      if (code === 'S805' && turn === this.#turn) {
        // Not open, or at its end: the board says which, and when that changes.
        this.#look();
      }
    } else if (this.#code && code === 'code-invalid') {
      // Said, and then a place like everybody's.
      this.#code = '';
      this.#emit('refused', { code, seconds: 0 });
      this.#enter();
    } else if (code === AWAY) {
      this.#again(() => this.#enter(), retryAfter);
    } else {
      this.#end(code);
    }
  }

  /**
   * Later, and later each time, so that a crowd spreads itself.
   *
   * @param {() => void} step @param {number} retryAfter
   */
  #again(step, retryAfter) {
    this.#connected('away');
    const most = Math.min(15_000, 1_000 * 2 ** this.#failures++);
    this.#later(step, retryAfter * 1_000 + 250 + Math.random() * most);
  }

  /** On the board, until one is near or may have a stream again. */
  async #live() {
    const turn = this.#turn;
    const module = await import('./naru-board.js').catch(() => null);
    if (turn !== this.#turn) {
      return;
    }
    const near = (part = 1) => {
      this.#close();
      // Without a ticket yet, one asks.
      this.#isNear = !!this.#kept?.ticket;
      this.#later(() => (this.#isNear ? this.#stream() : this.#poll()), Math.random() * SPREAD * part);
    };
    /** @param {any} board @param {any} place */
    const tell = (board, place) => {
      this.#connected('live');
      if (place) {
        this.#take({ ...this.entry, ...place });
      }
      if (turn === this.#turn) {
        this.#post(board);
      }
      if (turn === this.#turn && board.state === 'ENDED') {
        this.#end('ENDED');
      } else if (turn === this.#turn && !this.#isOnBoard && Date.now() >= this.#streamsAgainAt) {
        this.#stream();
      }
    };
    this.#source = module?.follow(this.#url, () => this.#kept, tell, near, () => this.#connected('away')) ?? null;
    if (!module) {
      near();
    }
  }

  /** A stream, if it may be. */
  #stream() {
    this.#close();
    const { token, ticket, change } = /** @type {any} */ (this.#kept);
    const isRefused = typeof EventSource === 'undefined' || Date.now() < this.#streamsAgainAt;
    if (ticket >= 0 && !this.#isNear && (this.#isOnBoard || isRefused)) {
      this.#live();
      return;
    }
    if (isRefused) {
      this.#poll();
      return;
    }
    const source = new EventSource(`${this.#url}/subscribe/${token}?change=${change || 0}`, { withCredentials: true });
    this.#source = source;
    let drops = 0;
    const alive = () => {
      drops = 0;
      this.#streamFailures = 0;
      this.#connected('live');
      this.#listen();
    };
    /** @param {string} name @param {(data: any) => void} act */
    const on = (name, act) =>
      source.addEventListener(name, (event) => {
        if (source === this.#source) {
          alive();
          act(JSON.parse(/** @type {MessageEvent} */ (event).data));
        }
      });
    on('queue-status', (entry) => this.#take(entry));
    on('queue-entered', (entry) => {
      // Whoever waited until a moment ago has just been let in.
      const { position = 0, at = 0 } = this.#kept ?? {};
      const isNew = position > 0 && Date.now() - at < SILENCE;
      this.#take(entry, isNew ? Date.parse(entry.enteredAt) : undefined);
    });
    on('queue-board', (board) => this.#post(board));
    on('queue-ended', (problem) => this.#end(problem.code, problem.entry));
    on('reconnect', ({ reason }) => {
      if (reason === 'replaced') {
        // Another tab has it now; two that take it from each other would never rest.
        this.#pollFor(Infinity);
      }
    });
    source.onerror = () => {
      if (source !== this.#source) {
        return;
      }
      // Once the browser may come back by itself.
      if (source.readyState === EventSource.CONNECTING && ++drops < 2) {
        this.#listen();
        return;
      }
      // Refused, or nobody there: a plain question tells which.
      this.#pollFor(Math.min(300_000, 20_000 * 2 ** this.#streamFailures++));
    };
    this.#listen();
  }

  #listen() {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#pollFor(0), SILENCE);
  }

  /** @param {number} millis how long not to try a stream */
  #pollFor(millis) {
    this.#close();
    this.#streamsAgainAt = Date.now() + millis * (0.75 + Math.random() / 2);
    this.#poll();
  }

  async #poll() {
    const turn = this.#turn;
    const { token, change } = /** @type {any} */ (this.#kept);
    const answer = await ask(`${this.#base}/queue/token/${token}/status?change=${change || 0}`, 'GET');
    if (turn !== this.#turn) {
      return;
    }
    if (answer.ok && answer.entry) {
      let seconds = (answer.retryAfter || 3) * (0.9 + Math.random() / 5);
      if (this.#connection === 'away' && this.#streamsAgainAt !== Infinity) {
        // Streams broke because everything did.
        this.#streamsAgainAt = 0;
        seconds = Math.random() * 2;
      }
      this.#connected('polling');
      this.#later(() => this.#stream(), seconds * 1_000);
      if (this.#take(answer.entry, answer.date || Date.now())) {
        const isNew = answer.entry.board !== this.board?.board;
        this.#lookIn(isNew ? 0 : LOOK);
      }
    } else if (/^S80/.test(answer.code)) {
      this.#end(answer.code, answer.entry);
    } else {
      this.#again(() => this.#poll(), answer.retryAfter);
    }
  }

  /**
   * @param {any} entry as it came; what is shown is never of an older state and never goes up
   * @param {number} [date] when the server said that, by its own clock, if that is known
   * @returns {boolean} whether the place is still followed
   */
  #take(entry, date) {
    const isSame = this.#kept?.token === entry.entryToken;
    const before = isSame ? this.#kept : null;
    const isWaiting = /WAITING|LOBBY/.test(entry.status);
    if (isWaiting && before && entry.change < before.change) {
      return true;
    }
    if (!isWaiting && entry.status !== 'ENTERED') {
      this.#end(entry.status, entry);
      return false;
    }
    this.#isOld = false;
    // Whoever was moved to another lane begins there.
    const there = before && (!isWaiting || before.lane === entry.lane) ? before : null;
    const known = there?.position || entry.position || 0;
    const position = isWaiting ? Math.min(entry.position ?? known, known) : 0;
    this.#kept = {
      token: entry.entryToken,
      change: entry.change,
      position,
      first: there?.first || position,
      lane: isWaiting ? entry.lane : before?.lane,
      ticket: entry.ticket,
      at: Date.now(),
      ...(before?.isReturned && { isReturned: true }),
    };
    write(this.#key, this.#kept);
    if (!isWaiting) {
      if (date) {
        this.#enjoy(entry, date);
      } else {
        // An answer has the time in it.
        this.#pollFor(0);
      }
      return false;
    }
    const first = this.#kept.first;
    this.entry = position ? { ...entry, position, ahead: position - 1, first } : entry;
    const turn = this.#turn;
    this.#emit('status', this.entry);
    // Whoever heard that may have stopped us.
    if (!isSame && turn === this.#turn) {
      this.#stream();
    }
    return isSame && turn === this.#turn;
  }

  /** The turn, told once, and its end. @param {any} entry @param {number} date */
  #enjoy(entry, date) {
    const isTold = this.entry?.status === 'ENTERED';
    this.stop();
    const left = Date.parse(entry.passExpiresAt) - date;
    this.entry = { ...entry, endsAt: Date.now() + left };
    const turn = this.#turn;
    if (!isTold) {
      this.#emit('entered', this.entry);
    }
    if (turn === this.#turn) {
      this.#later(() => this.#poll(), Math.max(left, 0) + 1_000);
    }
  }

  /** @param {number} millis */
  #lookIn(millis) {
    clearTimeout(this.#looking);
    this.#looking = setTimeout(() => this.#look(), millis);
  }

  /** Looks at the board, now and for as long as nobody pushes it. */
  async #look() {
    const turn = this.#turn;
    const source = this.#source;
    const askedAt = Date.now();
    const board = await readBoard(`${this.#url}/board`);
    if (turn !== this.#turn || source !== this.#source) {
      return;
    }
    // Who has much to do is asked less often.
    this.#lookIn(board ? Math.max(LOOK, 4 * (Date.now() - askedAt)) : 15_000);
    if (board) {
      this.#post(board);
    }
  }

  /** @param {any} board as it came; an older one says nothing */
  #post(board) {
    if (board.board < (this.board?.board ?? 0)) {
      return;
    }
    const isNews = this.board !== null && board.board !== this.board.board;
    this.board = board;
    if (board.at) {
      // The quickest one is nearest to the truth.
      this.#ahead = Math.min(this.#ahead, Date.now() - Date.parse(board.at));
    }
    const turn = this.#turn;
    this.#emit('board', board);
    if (turn !== this.#turn) {
      return;
    }
    if (this.entry) {
      // A wait of before a pause says nothing.
      const { paused, pausedBy, reason, wait, ...entry } = this.entry;
      this.entry = { ...entry, ...(pausedBy === board.pausedBy && { wait }), ...pauseOf(board) };
      this.#emit('status', this.entry);
      // The turn came, or the pace is another one.
      const { lane, ticket, change } = entry;
      const isGone = ticket && board.change >= change && !board.lanes.some(({ name, front, next }) => name === lane && front <= ticket && ticket < next);
      const isTurn = isGone || board.state === 'ENDED';
      if ((isNews || isTurn) && !this.#source && turn === this.#turn) {
        this.#later(() => this.#poll(), Math.random() * SPREAD * (isTurn ? 0.1 : 1));
      }
    } else if (!this.#kept && board.state === 'ENDED') {
      this.#end('ENDED');
    } else if (!this.#kept && board.entryOpen) {
      clearTimeout(this.#looking);
      this.#later(() => this.#enter(), Math.random() * SPREAD);
    } else if (!this.#kept && board.opensAt) {
      this.#awaitOpening(Date.parse(board.opensAt) - this.now());
    }
  }

  /** Nobody asks until then, but whether it is still true. @param {number} millis */
  #awaitOpening(millis) {
    // A timer that is too long goes off at once.
    this.#later(() => this.#enter(), Math.min(millis, MEMORY) + Math.random() * SPREAD);
    this.#lookIn(Math.min(5_000, Math.max(LOOK, millis / 4)));
  }

  /** @param {any} code @param {any} [entry] */
  async #end(code, entry) {
    // Whoever came back has a new place by now, which entering brings.
    if ((this.#isOld && code !== 'LEFT') || (code === 'S804' && this.#kept?.isReturned)) {
      this.enter();
      return;
    }
    this.stop();
    this.#forget();
    const isOver = code === 'ENDED' || entry?.reason === 'ended';
    if (isOver && this.board?.state !== 'ENDED') {
      // What the operator says at the end, and where one can go on.
      const turn = this.#turn;
      const board = await import('./naru-board.js').then((m) => m.lastBoard(this.#url)).catch(() => null);
      if (turn !== this.#turn) {
        return;
      }
      this.board = board ?? this.board;
    }
    this.#emit('ended', { code: isOver ? 'ENDED' : code, entry });
  }

  #forget() {
    this.#kept = null;
    this.entry = null;
    write(this.#key, null);
  }
}

/**
 * One question. Only what Naru itself says is believed: a proxy's 404 or 503 is no news.
 *
 * @param {string} url @param {string} method @param {string} [bearer] @param {any} [body]
 * @returns {Promise<{ok: boolean, code: any, entry?: any, opensAt?: string, retryAfter: number, date: number}>}
 */
async function ask(url, method, bearer, body) {
  let retryAfter = 0;
  let date = NaN;
  try {
    const response = await fetch(url, {
      method,
      credentials: 'include',
      cache: 'no-store',
      headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(8_000),
    });
    retryAfter = Math.min(Number(response.headers.get('Retry-After')) || 0, 120);
    date = Date.parse(response.headers.get('Date') ?? '');
    const json = await response.json();
    if (response.ok) {
      return { ok: true, code: json.status, entry: json.entryToken ? json : undefined, retryAfter, date };
    }
    if (response.status < 500 && json.code && (response.status !== 429 || json.code === 'too-many-enters')) {
      return { ok: false, code: json.code, entry: json.entry, opensAt: json.opensAt, retryAfter, date };
    }
  } catch {
    // All the same to who waits.
  }
  return { ok: false, code: AWAY, retryAfter, date };
}

/** The board of a queue; null if it cannot be had now. @param {string} url */
async function readBoard(url) {
  try {
    const response = await fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(8_000) });
    const board = response.ok ? await response.json() : null;
    return board?.state ? board : null;
  } catch {
    return null;
  }
}

/** What a place says while nobody is let in. @param {any} board */
function pauseOf({ pausedBy, reason }) {
  return pausedBy ? { paused: true, pausedBy, ...(reason && { reason }) } : {};
}

/** @param {string} key */
function recall(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null');
    return kept?.token ? kept : null;
  } catch {
    return null;
  }
}

/** @param {string} key @param {any} kept */
function write(key, kept) {
  try {
    if (kept) {
      localStorage.setItem(key, JSON.stringify(kept));
    } else {
      localStorage.removeItem(key);
    }
  } catch {
    // A browser may forbid storage.
  }
}
