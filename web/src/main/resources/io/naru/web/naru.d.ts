/** A place in a queue, as the server tells it. */
export interface Entry {
  eventType: string;
  eventId: string;
  status: 'LOBBY' | 'WAITING' | 'ENTERED' | 'COMPLETED' | 'EXPIRED' | 'LEFT';
  /** The secret that speaks for this place. */
  entryToken: string;
  /** With six fraction digits, so that text order is time order. */
  joinedAt: string;
  /** The number of the queue's state that this belongs to. */
  change: number;
}

export interface WaitingEntry extends Entry {
  status: 'WAITING';
  /** For people, from 1. Never goes up while one waits in a lane. */
  position: number;
  ahead: number;
  totalWaiting: number;
  /** How many wait behind. */
  behind?: number;
  /** The how-manieth of its lane it was to join: with it the place follows from the board. 0: there will be one. */
  ticket?: number;
  /** The lane, where the queue has lanes: place and counts are of that lane. `fallback`: back after a failed payment. */
  lane?: string;
  /** So many go in before, at most, whoever arrives; left out where nobody can promise that, null of a place by the board, which does not say. */
  atMostBefore?: number | null;
  /** By the rate that is set, if nothing else held people up. Left out while nobody is let in. */
  estimatedWaitSeconds?: number;
  /** From what happened in the last minutes, in seconds from `at` on; left out while nobody can say. */
  wait?: { lowSeconds: number; highSeconds: number; at: string };
  /** How long the turn will be. */
  turnSeconds?: number;
  /** For so long the place is kept if nobody is there when the turn comes; left out where that does not matter. */
  absenceGraceSeconds?: number;
  /** Something may be owed before the turn: see `naru-proof.js`, whose `prove` asks and brings it. */
  proof?: true;
  /** The turn came while nobody was there; this one is next. */
  passedOver?: true;
  /** The number of the board that belongs to this. */
  board?: number;
  /** Nobody is let in at the moment; places are kept. */
  paused?: true;
  /** Why: the operator paused it, the store cannot be reached, it has not begun, or there is nothing left (see `board`). */
  pausedBy?: PausedBy;
  /** What the operator says about it, as plain text. */
  reason?: string;
  /** The position with which this browser began, also before the tab was closed. */
  first: number;
}

/** Somebody who waits and has no place yet: a draw decides (`LOBBY`), or it is decided in a moment. */
export interface UnplacedEntry extends Entry {
  status: 'LOBBY' | 'WAITING';
  position?: undefined;
  ticket: 0;
  lane?: string;
  /** When the line opens, and all in the lobby are drawn; only before. */
  opensAt?: string;
  draw?: DrawInfo;
  turnSeconds: number;
  board: number;
  absenceGraceSeconds?: number;
  proof?: true;
  paused?: true;
  pausedBy?: PausedBy;
  reason?: string;
}

/** How far the draw of a lobby is, until everybody stands in line. */
export interface DrawInfo {
  /** What decides: a seed that was fixed beforehand, or that and a public coin. */
  kind: 'SEED' | 'COIN';
  /** People come; the list is fixed and the order not known; the line is being made of the order. */
  phase: 'LOBBY' | 'CLOSED' | 'DRAWN';
  opensAt?: string;
  /** How many are in it; while people come, to two figures. */
  people?: number;
  /** The public coin that is waited for, and when it is due; a late one is waited for. */
  round?: number;
  coinAt?: string;
}

export interface EnteredEntry extends Entry {
  status: 'ENTERED';
  enteredAt: string;
  /** The signed right to go in, for the site behind. */
  pass: string;
  passExpiresAt: string;
  /** Where to go, if the queue has it. */
  targetUrl?: string;
  /** When the turn is over, in milliseconds by the clock of this browser, whatever that says. */
  endsAt: number;
}

/** More may come; treat one that you do not know as `operator`. */
export type PausedBy = 'operator' | 'store' | 'schedule' | 'draw' | 'stock';

/** Texts by language, as `ko`; under `""` one for any language. Plain text, never HTML. */
export type Words = Record<string, string>;

/** What is the same for everybody in a queue. */
export interface Board {
  eventType: string;
  eventId: string;
  /** Counts what the operator changes. */
  board: number;
  /**
   * `PAUSED`: nobody is let in. `CLOSED`: nobody may enter any more, those who wait go on. `INACTIVE`: both. `ENDED`: it is
   * over, also for those who waited.
   */
  state: 'OPEN' | 'PAUSED' | 'CLOSED' | 'INACTIVE' | 'ENDED';
  entryOpen: boolean;
  admissionPaused: boolean;
  pausedBy?: PausedBy;
  reason?: string;
  /** Times to come, and what time it is by the server's clock: when one may enter, when people are let in, when entry closes, when it ends. */
  opensAt?: string;
  admitsFrom?: string;
  closesAt?: string;
  endsAt?: string;
  at?: string;
  /** While a draw is to come or under way. */
  draw?: DrawInfo;
  title: Words;
  message: Words;
  /** What the operator says at the end, and where one can go on. */
  endText?: Words;
  endUrl?: string;
  /** What there is for those who go in, where the queue goes by that; figures only if they are known. */
  stock?: { remaining?: number; held?: number; state: 'on' | 'paying' | 'sold-out' | 'stale' };
  turnSeconds: number;
  waiting: number;
  /** The state that what follows belongs to; only where tickets are counted, and not on a stream. How to read it: docs/reach.md. */
  change?: number;
  /** Who has fewer before them asks by themselves. */
  askWithin?: number;
  ratePerSecond?: number;
  block?: number;
  lanes?: { id: number; name?: string; waiting: number; front: number; next: number; gone: number[]; waits?: number[][] }[];
}

/**
 * `live`: places are pushed. `polling`: they are asked for, because streams are refused or blocked. `away`: the server
 * cannot be reached; the place is kept, and trying goes on.
 */
export type Connection = 'live' | 'polling' | 'away';

/** No place now; the client asks again by itself. */
export interface Refusal {
  /** The queue is not open, as many wait as may, too many new places were taken within a minute, or the code gives no place. */
  code: 'S805' | 'line-full' | 'too-many-enters' | 'code-invalid' | string;
  /** In how many seconds it asks again. */
  seconds: number;
  /** When the queue opens by itself, if it does; it is entered then. */
  opensAt?: string;
}

/** The place is no more, or there never was one; `enter()` takes a new one. */
export interface Ending {
  /**
   * `S801` no such queue, `S803` no such place (left in another tab, forged, forgotten), `S804` the turn came and
   * passed, `ENDED` the queue has ended (see `board`), `COMPLETED`, `LEFT`; or the code of another problem.
   */
  code: string;
  entry?: Entry;
}

export interface NaruEvents {
  /** Every news, moved or not: at least every few seconds while connected. */
  status: CustomEvent<WaitingEntry | UnplacedEntry>;
  /** What is the same for everybody: at the beginning, and within seconds of what the operator does. */
  board: CustomEvent<Board>;
  /** It is one's turn. When that is over, `ended` follows. */
  entered: CustomEvent<EnteredEntry>;
  ended: CustomEvent<Ending>;
  refused: CustomEvent<Refusal>;
  connection: CustomEvent<Connection>;
}

/** One visitor's way through one queue. */
export class Naru extends EventTarget {
  /**
   * @param options.base the address of the Naru server; without it, the one that this module came from
   * @param options.code gives a place in a lane; used with the first place that is taken or gone on with
   * @param options.token a token of the site that names the visitor (`--site-issuer`): one place on all their devices
   * @param options.follow `board`: lives on the board, which a cache can carry, until the turn is near
   */
  constructor(type: string, id: string, options?: { base?: string; code?: string; follow?: 'board'; token?: string });

  readonly type: string;
  readonly id: string;
  /** What gives a place in a lane; empty once it has, or was refused for good. While nobody can be reached it is kept. */
  readonly code: string;
  /** The last news; null without a place. */
  readonly entry: WaitingEntry | UnplacedEntry | EnteredEntry | null;
  /** What was last heard of the queue as a whole; null before. */
  readonly board: Board | null;
  /** The place as it was last heard of, also by a page before this one, and when; null without one. */
  readonly kept: { position: number; first: number; at: number } | null;

  /** Goes on with the place that this browser has, or takes one. */
  start(): void;
  /** Takes a place, whatever was before; who has one keeps it. */
  enter(): void;
  /** Takes a place in the lane of a code. Rejects with the problem's code as message, as `code-invalid`; a place that one has is kept then. */
  useCode(code: string): Promise<void>;
  /** Gives the place up. Rejects if the server cannot be reached; the place is then still there. */
  leave(): Promise<void>;
  /**
   * The payment failed: the turn goes on for another try, or, with `giveUp`, is over, and there is a new place in front of
   * the line (`status` follows). Rejects if the server cannot be reached, or with `no-more-returns`; the turn is then as it was.
   */
  return(options?: { giveUp?: boolean }): Promise<void>;
  /** The server's time in milliseconds, as far as a board has said it; times of the board are to be understood by it. */
  now(): number;

  /** Follows no longer; the place is kept. */
  stop(): void;

  addEventListener<K extends keyof NaruEvents>(
    type: K,
    listener: (event: NaruEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
}
