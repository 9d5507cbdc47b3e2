// @ts-check
// The number that is shown between two messages. It counts on at the pace seen so far, stays within what is plausible, and
// never goes up. Times are milliseconds, from any clock that runs forward.

/** How far back movement tells something about the pace. */
const WINDOW = 120_000;

/** Of a batch that is due, this much is counted in advance: the rest waits for the message. */
const ADVANCE = 0.8;

export class Counter {
  /** @type {{at: number, position: number}[]} */
  #seen = [];
  #batch = 0;
  #movedAt = 0;
  #estimate = 0;
  #display = Infinity;
  #displayedAt = 0;

  /**
   * News from the server, moved or not.
   *
   * @param {number} position @param {number} estimate in seconds, if the rate holds @param {number} now
   */
  news(position, estimate, now) {
    const last = this.#seen.at(-1);
    this.#estimate = estimate;
    if (!last) {
      this.#movedAt = now;
      this.#display = position;
      this.#displayedAt = now;
    } else if (position < last.position) {
      // Forgets slowly, so that one large batch does not count for ever.
      this.#batch = Math.max(last.position - position, this.#batch * 0.7);
      this.#movedAt = now;
    }
    this.#seen.push({ at: now, position });
    while (this.#seen.length > 2 && (this.#seen[1].at < now - WINDOW || this.#seen.length > 512)) {
      this.#seen.shift();
    }
  }

  /** People per second, as seen lately; 0 while there is nothing to tell it from. */
  get #rate() {
    const [first, last] = [this.#seen[0], this.#seen[this.#seen.length - 1]];
    return last.at > first.at ? ((first.position - last.position) * 1_000) / (last.at - first.at) : 0;
  }

  get #position() {
    return this.#seen[this.#seen.length - 1].position;
  }

  /**
   * What to show.
   *
   * @param {number} now @param {boolean} isSmooth whether the number may glide
   */
  shown(now, isSmooth) {
    const position = this.#position;
    const due = Math.min(this.#batch * ADVANCE, (this.#rate * (now - this.#movedAt)) / 1_000);
    const target = Math.min(this.#display, Math.max(1, position / 5, position - due));
    const glide = isSmooth ? 1 - Math.exp((this.#displayedAt - now) / 180) : 1;
    this.#display += (target - this.#display) * glide;
    this.#displayedAt = now;
    // What is left of a glide would otherwise hold the last number back.
    return Math.ceil(this.#display - 0.05);
  }

  /**
   * How long it may take, from and to, in seconds: by the rate that is set, and by the pace that was seen.
   *
   * @param {number} now @returns {[number, number] | null} null if the line stands still
   */
  wait(now) {
    if (this.isPaused(now)) {
      return null;
    }
    const span = now - this.#seen[0].at;
    const seen = span > 20_000 && this.#rate > 0 ? this.#position / this.#rate : this.#estimate;
    return [Math.min(seen, this.#estimate), Math.max(seen, this.#estimate)];
  }

  /** Whether nobody went in for much longer than usual. @param {number} now */
  isPaused(now) {
    const usual =
      this.#batch > 0 && this.#rate > 0 ? (3 * this.#batch) / this.#rate : Math.min(this.#estimate, 3_600);
    return now - this.#movedAt > 1_000 * Math.max(60, 30 + usual);
  }
}
