// @ts-check
// Naru's browser client: takes a place in a queue and follows it until it is one's turn. See docs/browser.md, naru.d.ts.

const HOME = new URL(import.meta.url).origin;

/** Nobody was reached who knows about places. */
const AWAY = 'away';

/** One event is promised every 3 s: after so long, the stream is dead. */
const SILENCE = 12_000;

/** How often the board is looked at where nobody pushes it. */
const LOOK = 1_500;

/** What many would do at once. */
const SPREAD = 3_000;

/** So long finished entries are known. */
const MEMORY = 3_600_000;

/** Most never need it. */
const boards = () => import('./naru-board.js').catch(() => null);

export class Naru extends EventTarget {
  #url;
  #base;
  #key;
  /** What a reload goes on with, as `#take` makes it. @type {any} */
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
  #isOnBoard;
  /** In which the site says who this is. */
  #token;
  /** With fewer ahead one asks. */
  #near = 0;
  /** Whether its end would be no news. */
  #isOld = false;
  /** Since when all is older. */
  #olderSince = 0;
  /** Counts starts and stops: what was asked before does not act after. */
  #turn = 0;

  /** @param {string} type @param {string} id */
  constructor(type, id, { base = HOME, code = '', follow = '', token = '' } = {}) {
    super();
    this.#token = token;
    /** What gives a place in a lane, until it has or cannot. */
    this.code = code;
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
      if (this.code) {
        this.useCode(this.code).catch(({ message: code }) => code === 'code-invalid' && this.#emit('refused', { code, seconds: 0 }));
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
    if (answer.code !== AWAY) {
      this.code = '';
    }
    if (!answer.entry) {
      throw new Error(answer.code);
    }
    if (turn === this.#turn) {
      this.#take(answer.entry);
    }
  }

  /** Gives the place up. Rejects if nobody could be told. */
  async leave() {
    const answer = await ask(`${this.#url}/leave`, 'POST', this.#kept?.token);
    if (!answer.ok && answer.code !== 'S803') {
      throw new Error(answer.code);
    }
    this.#end('LEFT');
  }

  /** The payment failed: another try or, given up, a new place in front. Rejects with what is wrong. */
  async return({ giveUp = false } = {}) {
    const answer = await ask(`${this.#url}/return`, 'POST', this.entry?.pass, { giveUp });
    if (!answer.entry) {
      throw new Error(answer.code);
    }
    if (answer.entry.status === 'ENTERED') {
      this.#take(answer.entry, answer.date || Date.now());
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
    this.#near = 0;
    this.#failures = 0;
    this.#streamFailures = 0;
    this.#streamsAgainAt = globalThis.EventSource ? 0 : Infinity;
    this.#connection = '';
    addEventListener('online', this.#hurry);
    document.addEventListener('visibilitychange', this.#hurry);
  }

  #close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    this.#rest();
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
    this.#rest();
    const answer = await ask(`${this.#url}/enter`, 'POST', this.#token, this.code ? { code: this.code } : undefined);
    if (turn !== this.#turn) {
      return;
    }
    const { code, retryAfter, opensAt } = answer;
    if (answer.entry) {
      this.code = '';
      this.#take(answer.entry);
    } else if (code === 'S805' || code === 'line-full' || code === 'too-many-enters') {
      // Perhaps soon: not all at once, and not often.
      const seconds = Math.max(retryAfter, 10 + Math.random() * 10);
      this.#later(() => this.#enter(), seconds * 1_000);
      this.#emit('refused', { code, seconds, ...(opensAt && { opensAt }) });
      if (code === 'S805' && turn === this.#turn) {
        // Not open, or at its end: the board says which, and when that changes.
        this.#lookIn(0);
      }
    } else if (this.code && code === 'code-invalid') {
      // Said, and then a place like everybody's.
      this.code = '';
      this.#emit('refused', { code, seconds: 0 });
      this.#enter();
    } else if (code === AWAY) {
      this.#again(() => this.#enter(), retryAfter);
    } else {
      this.#end(code);
    }
  }

  /** Later each time, so that a crowd spreads. @param {() => void} step @param {number} retryAfter */
  #again(step, retryAfter) {
    this.#connected('away');
    const most = Math.min(15_000, 1_000 * 2 ** this.#failures++);
    this.#later(step, retryAfter * 1_000 + 250 + Math.random() * most);
  }

  /** On the board, until one is near or may have a stream again. */
  async #live() {
    const turn = this.#turn;
    const module = await boards();
    if (turn !== this.#turn) {
      return;
    }
    const askSoon = (near = Infinity, part = 1) => {
      this.#close();
      this.#near = near;
      this.#later(() => (this.#isFar() ? this.#poll() : this.#stream()), Math.random() * SPREAD * part);
    };
    /** @param {any} board @param {any} place */
    const tell = (board, place) => {
      this.#connected('live');
      if (place) {
        this.#take({ ...this.entry, ...place });
      } else if (!board) {
        this.#olderSince ||= Date.now();
      }
      if (board && turn === this.#turn) {
        this.#post(board);
      }
      if (board?.state === 'ENDED' && turn === this.#turn) {
        this.#end('ENDED');
      } else if (turn === this.#turn && !this.#isOnBoard && Date.now() >= this.#streamsAgainAt) {
        this.#stream();
      }
    };
    this.#source = module?.follow(this.#url, () => this.#kept, tell, askSoon, () => this.#connected('away')) ?? null;
    if (!module) {
      askSoon();
    }
  }

  #isFar() {
    return (this.entry?.ahead ?? 0) >= this.#near;
  }

  /** A stream, if it may be. */
  #stream() {
    this.#close();
    const { token, ticket, change } = this.#kept;
    const isRefused = Date.now() < this.#streamsAgainAt;
    const isFar = ticket >= 0 && this.#isFar() && (this.#isOnBoard || isRefused);
    if (isFar && this.entry) {
      this.#live();
      return;
    }
    // After a reload one asks first, for what the board does not say.
    if (isFar || isRefused) {
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
        // Another tab has it now: two would never rest.
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
    this.#rest();
    const { token, change } = this.#kept;
    const answer = await ask(`${this.#base}/queue/token/${token}/status?change=${change || 0}`, 'GET');
    if (turn !== this.#turn) {
      return;
    }
    if (answer.ok && answer.entry) {
      // Soon again after a reload, but once.
      let seconds = this.entry || this.#connection ? (answer.retryAfter || 3) * (0.9 + Math.random() / 5) : Math.random() * 2;
      if (this.#connection === 'away' && this.#streamsAgainAt !== Infinity) {
        // Streams broke because everything did.
        this.#streamsAgainAt = 0;
        seconds = Math.random() * 2;
      }
      this.#connected('polling');
      this.#later(() => this.#stream(), seconds * 1_000);
      if (this.#take(answer.entry, answer.date || Date.now())) {
        this.#lookIn(answer.entry.board === this.board?.board ? LOOK : 0);
      }
    } else if (/^S80/.test(answer.code)) {
      this.#end(answer.code, answer.entry);
    } else {
      this.#again(() => this.#poll(), answer.retryAfter);
    }
  }

  /**
   * @param {any} entry as it came; what is shown never goes up
   * @param {number} [date] when the server said that, by its own clock, if that is known
   * @returns {boolean} whether the place is still followed
   */
  #take(entry, date) {
    const isSame = this.#kept?.token === entry.entryToken;
    const before = isSame ? this.#kept : null;
    const isWaiting = /WAITING|LOBBY/.test(entry.status);
    const isOlder = isWaiting && before && entry.change < before.change;
    // Nothing newer for so long: it is another line.
    if (isOlder && Date.now() - (this.#olderSince ||= Date.now()) < SILENCE) {
      return true;
    }
    this.#olderSince = 0;
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
    this.entry = position ? { ...entry, position, ahead: position - 1, first: this.#kept.first } : entry;
    const turn = this.#turn;
    this.#emit('status', this.entry);
    // They may have stopped us.
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
      this.#awaitEnd();
    }
  }

  /** Timers stand still while a computer sleeps. */
  #awaitEnd() {
    const left = this.entry.endsAt - Date.now();
    this.#later(() => (left > 0 ? this.#awaitEnd() : this.#poll()), Math.max(1_000, Math.min(left, 15_000)));
  }

  /** Who asks does not look: what they saw would undo when they are to ask again. */
  #rest() {
    this.#looking = clearTimeout(this.#looking);
  }

  /** @param {number} millis */
  #lookIn(millis) {
    this.#rest();
    this.#looking = setTimeout(() => this.#look(), millis);
  }

  /** Looks at the board, now and for as long as nobody pushes it. */
  async #look() {
    const looking = this.#looking;
    const askedAt = Date.now();
    const module = await boards();
    const board = await module?.newBoard(this.#url);
    if (looking !== this.#looking) {
      return;
    }
    // Who has much to do is asked less often.
    this.#lookIn(board ? Math.max(LOOK, 4 * (Date.now() - askedAt)) : 15_000);
    if (board) {
      this.#post(board, module?.isGone(board, this.entry));
    }
  }

  /** @param {any} board as it came; an older one says nothing @param {boolean} [isGone] from the line, by it */
  #post(board, isGone) {
    if (board.board < (this.board?.board ?? 0)) {
      return;
    }
    const isNews = board.board > (this.board?.board ?? Infinity);
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
      const { paused, pausedBy, reason, wait, ...entry } = this.entry;
      // A wait of before a pause says nothing.
      this.entry = pausedBy === board.pausedBy ? { ...entry, wait } : entry;
      if (board.pausedBy) {
        Object.assign(this.entry, { paused: true, pausedBy: board.pausedBy, reason: board.reason });
      }
      this.#emit('status', this.entry);
      // The turn came, or the pace is another one.
      const isTurn = isGone || board.state === 'ENDED';
      if ((isNews || isTurn) && !this.#source && turn === this.#turn) {
        this.#later(() => this.#poll(), Math.random() * SPREAD * (isTurn ? 0.1 : 1));
      }
    } else if (!this.#kept && board.state === 'ENDED') {
      this.#end('ENDED');
    } else if (!this.#kept && board.entryOpen) {
      this.#rest();
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
    if ((this.#isOld && code !== 'LEFT') || entry?.reason === 'returned') {
      this.enter();
      return;
    }
    this.stop();
    this.#forget();
    const isOver = code === 'ENDED' || entry?.reason === 'ended';
    if (isOver && this.board?.state !== 'ENDED') {
      // What the operator says at the end.
      const turn = this.#turn;
      const board = await (await boards())?.lastBoard(this.#url);
      if (turn !== this.#turn) {
        return;
      }
      this.board = board ?? this.board;
    }
    this.#emit('ended', { code: isOver ? 'ENDED' : code, entry });
  }

  #forget() {
    // Another tab may have a newer place by now.
    if (recall(this.#key)?.token === this.#kept?.token) {
      write(this.#key, null);
    }
    this.#kept = null;
    this.entry = null;
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
