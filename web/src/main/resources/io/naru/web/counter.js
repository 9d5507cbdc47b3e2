// @ts-check
// The number that is shown between two messages. It counts on at the pace seen so far, stays within what is plausible, and
// never goes up. Times are milliseconds, from any clock that runs forward.

/** How far back movement tells something about the pace. */
const WINDOW = 120_000;

/** Of a batch that is due, this much is counted in advance: the rest waits for the message. */
const ADVANCE = 0.8;

/** How fast a number glides to where it should be: two thirds of the way in this time. */
const GLIDE = 180;

/** Nearer than this, it is there. */
const REST = 0.05;

export class Counter {
  /** Where it began, then where it was after each movement. @type {{at: number, position: number}[]} */
  #moves = [];
  #batch = 0;
  #isPaused = false;
  #display;
  #displayedAt = 0;
  /** Whether what is to be shown changes by itself, without any news. */
  isMoving = false;

  /** @param {number} [most] what was shown before, by another page */
  constructor(most = Infinity) {
    this.#display = most;
  }

  /**
   * News from the server, moved or not.
   *
   * @param {number} position @param {boolean} isPaused whether nobody is let in @param {number} now
   */
  news(position, isPaused, now) {
    this.#isPaused = isPaused;
    const last = this.#moves.at(-1);
    if (!last) {
      this.#display = Math.min(this.#display, position);
    } else if (position >= last.position) {
      return;
    } else {
      // Forgets slowly, so that one large batch does not count for ever.
      this.#batch = Math.max(last.position - position, this.#batch * 0.7);
    }
    // A glide begins now, however long ago anything was drawn.
    this.#displayedAt = now;
    this.#moves.push({ at: now, position });
    while (this.#moves.length > 3 && (this.#moves[1].at < now - WINDOW || this.#moves.length > 256)) {
      this.#moves.shift();
    }
  }

  get #last() {
    return this.#moves[this.#moves.length - 1];
  }

  /** People per second from movement to movement; 0 until there were two, as one says nothing about when the next is due. */
  get #rate() {
    const from = this.#moves[1];
    return this.#moves.length > 2
      ? ((from.position - this.#last.position) * 1_000) / Math.max(1, this.#last.at - from.at)
      : 0;
  }

  /**
   * What to show.
   *
   * @param {number} now @param {boolean} isSmooth whether the number may glide
   */
  shown(now, isSmooth) {
    const { at, position } = this.#last;
    const most = this.#isPaused || !this.#rate ? 0 : this.#batch * ADVANCE;
    const due = Math.min(most, (this.#rate * (now - at)) / 1_000);
    const target = Math.min(this.#display, Math.max(1, position / 5, position - due));
    const part = isSmooth ? 1 - Math.exp((this.#displayedAt - now) / GLIDE) : 1;
    this.#display += (target - this.#display) * part;
    this.#displayedAt = now;
    this.isMoving = due < most || this.#display - target > REST;
    // What is left of a glide would otherwise hold the last number back.
    return Math.ceil(this.#display - REST);
  }
}
