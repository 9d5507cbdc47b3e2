// @ts-check
// One screen for one queue: what it is doing this second, and what the operator can do about it.

import { act, call, get, isLimited, may, nameOf, queuePath } from './api.js';
import { auditTable } from './audit.js';
import { chart } from './chart.js';
import { ask, doing, failed } from './dialogs.js';
import { drawCard } from './draw.js';
import { announce, every, field, h, put } from './dom.js';
import { textEdits } from './edits.js';
import { messageCard, wordsEditor } from './message.js';
import { perSecond } from './pace.js';
import { peopleCard } from './people.js';
import { settingsCard } from './settings.js';
import { siteCharts } from './site.js';
import { badge, standing, stateOf } from './state.js';
import { stockForm } from './stock.js';
import { between, decimal, inLanguage, number, percent, say, span, trouble } from './words.js';

const OLD_AFTER = 3_500;
const CHART_EVERY = 15_000;
const POLL_EVERY = 3_000;
/** Until a stream that was refused is tried again: so long, or up to twice as long. */
const STREAM_AGAIN = 10_000;
const MINUTE = 60_000;
const MINUTES = 60;

/** What the rate follows, and what keeps it from being faster. @param {{perSecond: number, limitedBy: string, insideLimit?: number, p95Millis?: number, errorPercent?: number}} rate */
const follows = (rate) =>
  [
    say('figures.follows', { rate: decimal(rate.perSecond), by: say(`limited.${rate.limitedBy}`) }),
    rate.insideLimit ? say('figures.insideLimit', { n: number(rate.insideLimit) }) : '',
    rate.p95Millis !== undefined ? say('figures.site', { ms: number(Math.round(rate.p95Millis)), errors: percent((rate.errorPercent ?? 0) / 100) }) : '',
  ]
    .filter(Boolean)
    .join(' · ');

/** The way to what belongs to a queue. @param {string} name @param {'live' | 'look' | 'statistics'} here */
export function subNav(name, here) {
  const link = (/** @type {string} */ id, /** @type {string} */ href) =>
    h('a', { href, 'aria-current': id === here ? 'page' : null }, say(`nav.${id}`));
  return h(
    'nav',
    { class: 'sub', 'aria-label': name },
    link('live', `#/queues/${name}`),
    link('look', `#/queues/${name}/look`),
    link('statistics', `#/queues/${name}/statistics`),
    h('a', { href: `/wait/${name}`, target: '_blank', rel: 'noopener' }, say('nav.page')),
    h('a', { href: `/wait/${name}/fair`, target: '_blank', rel: 'noopener' }, say('nav.fair')),
  );
}

/** @param {{name: string, waiting: number}} lane */
const inLane = ({ name, waiting }) => `${name} ${number(waiting)}`;

/**
 * @param {Element} main
 * @param {string} name
 * @returns {Promise<() => void>} what to do when it is left
 */
export async function showQueue(main, name) {
  let queue;
  try {
    queue = await get(queuePath(name));
  } catch (problem) {
    main.replaceChildren(h('h1', { tabindex: -1 }, name), failed(problem));
    return () => {};
  }
  const screen = new QueueScreen(name, queue);
  main.replaceChildren(screen.element);
  screen.watch();
  return () => screen.leave();
}

class QueueScreen {
  /** @param {string} name @param {any} queue */
  constructor(name, queue) {
    this.name = name;
    this.queue = queue;
    this.toldAt = performance.now();
    /** What was inside, a sample per minute, as far as this page has seen. @type {Map<number, number>} */
    this.inside = new Map();
    this.siteCharts = siteCharts(name);
    const latest = () => this.queue;

    this.title = h('h1', { tabindex: -1 }, name);
    this.state = h('div', { class: 'states' });
    this.health = h('p', { class: 'quiet health' });
    this.figures = h('dl', { class: 'figures' });
    this.details = h('ul', { class: 'details' });
    this.age = h('p', { class: 'age quiet' });
    this.charts = h('div', { class: 'charts' });
    this.totals = h('dl', { class: 'totals' });
    this.acts = h('div', { class: 'acts' });
    this.said = h('p', { class: 'quiet', id: 'said-act' });
    this.drawing = drawCard(name);
    this.settings = settingsCard(name, latest);
    this.stock = stockForm(name);
    this.message = messageCard(name, latest);
    this.audit = auditTable(queuePath(name, '/audit'));
    this.drawnActs = '';
    /** What is edited while somebody is about to end the queue. @type {ReturnType<typeof textEdits> | null} */
    this.ending = null;

    this.element = h(
      'div',
      { class: 'queue' },
      h('div', { class: 'head' }, this.title, this.state, this.health),
      subNav(name, 'live'),
      h(
        'section',
        { class: 'card', id: 'figures', 'aria-labelledby': 'figures-title' },
        h('h2', { id: 'figures-title', class: 'unseen' }, say('figures.title')),
        this.figures,
        this.details,
        this.age,
        this.charts,
        this.totals,
      ),
      this.drawing.element,
      may('operator')
        ? h('section', { class: 'card', id: 'acts', 'aria-labelledby': 'acts-title' }, h('h2', { id: 'acts-title' }, say('acts.title')), this.acts, this.admitForm(), this.said, this.stock.element)
        : null,
      h(
        'div',
        { class: 'columns' },
        h('div', {}, this.settings.element, this.message.element),
        h('div', {}, peopleCard(name), h('section', { class: 'card', id: 'audit', 'aria-labelledby': 'audit-title' }, h('h2', { id: 'audit-title' }, say('audit.title')), this.audit.element)),
      ),
      may('admin') && !isLimited()
        ? h('p', { class: 'delete' }, h('button', { type: 'button', class: 'danger plain', onclick: () => this.delete() }, say('delete.button')))
        : null,
    );
    this.draw();
    every(this.element, 1_000, () => this.drawAge());
    every(this.element, CHART_EVERY, () => this.drawCharts());
    this.drawCharts();
  }

  /** As long as somebody looks: a browser has few connections, and a tab that nobody sees needs none. */
  watch() {
    this.seen = () => (document.hidden ? this.rest() : this.open());
    document.addEventListener('visibilitychange', this.seen);
    this.seen();
  }

  open() {
    this.rest();
    const source = new EventSource(queuePath(this.name, '/live'));
    this.source = source;
    source.addEventListener('figures', (event) => this.told(JSON.parse(event.data)));
    source.addEventListener('gone', () => {
      this.leave();
      this.element.replaceChildren(h('h1', { tabindex: -1 }, this.name), h('p', { role: 'alert' }, say('problem.S801')));
    });
    source.addEventListener('signed-out', () => {
      source.close();
      this.poll();
    });
    // A browser comes back by itself, unless it was told no, as by a proxy whose server starts again.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) {
        this.poll();
      }
    });
  }

  /**
   * Without a stream: asks now and then, and so finds out why there is none. Where asking works, the stream may work again.
   *
   * @param {number} [streamAt] when to try it
   */
  async poll(streamAt = Infinity) {
    const { source } = this;
    const isOver = () => source !== this.source || !this.element.isConnected;
    let next = Infinity;
    try {
      const queue = await get(queuePath(this.name));
      if (isOver()) {
        return;
      }
      this.told(queue);
      // Not all consoles at once.
      next = Math.min(streamAt, performance.now() + STREAM_AGAIN * (1 + Math.random()));
    } catch (problem) {
      if (isOver()) {
        return;
      }
      put(this.health, trouble(problem));
    }
    this.polling = setTimeout(() => (performance.now() < next ? this.poll(next) : this.open()), POLL_EVERY);
  }

  /** Asks for nothing any more. */
  rest() {
    this.source?.close();
    this.source = undefined;
    clearTimeout(this.polling);
  }

  leave() {
    this.rest();
    document.removeEventListener('visibilitychange', this.seen ?? (() => {}));
  }

  /** @param {any} queue */
  told(queue) {
    const versionBefore = this.queue.version;
    // An answer to an act may be newer than what was read a moment before it.
    if (queue.version < versionBefore && queue.createdAt === this.queue.createdAt) {
      return;
    }
    this.queue = queue;
    this.toldAt = performance.now();
    this.inside.set(Math.floor(Date.now() / MINUTE) * MINUTE, queue.figures.inside);
    if (this.inside.size > MINUTES) {
      this.inside.delete(/** @type {number} */ (this.inside.keys().next().value));
    }
    this.draw();
    if (queue.version !== versionBefore) {
      this.audit.load();
    }
  }

  draw() {
    const { queue } = this;
    const title = inLanguage(queue.title);
    this.title.replaceChildren(this.name, title ? h('span', { class: 'quiet' }, ` ${title}`) : '');
    document.title = `${number(queue.figures.waiting)} · ${this.name} · Naru`;
    this.state.replaceChildren(
      badge(queue),
      h('span', { class: 'quiet' }, standing(queue)),
    );
    // Without a stream nothing is known of the server but that it answers.
    put(this.health, queue.server ? `${say('health.read', { ms: number(queue.server.readMillis) })} · ${say(`health.${queue.server.line}`)}` : '');
    this.drawFigures();
    this.drawActs();
    this.drawAge();
    this.drawing.draw(queue);
    this.settings.draw(queue);
    this.stock.draw(queue);
    this.message.draw(queue);
    this.ending?.told(queue);
  }

  drawFigures() {
    const { queue } = this;
    const { figures } = queue;
    const rate = queue.ratePerSecond;
    const allowed = say('figures.allowed', { rate: decimal(queue.rate?.perSecond ?? perSecond(queue)) });
    const bound = queue.boundBy ? say(`bound.${queue.boundBy}`) : '';
    this.figures.replaceChildren(
      ...figure('waiting', say('figures.waiting'), number(figures.waiting), rate ? say('figures.joining', { rate: decimal(rate.joined) }) : ''),
      ...figure('inside', say('figures.inside'), number(figures.inside), say('figures.of', { n: number(queue.maxCapacity) })),
      ...figure('in', say('figures.in'), rate ? decimal(rate.admitted) : '–', `${say('figures.perSecond')} · ${allowed}`, bound, queue.boundBy),
    );
    const wait = queue.newcomerWait;
    this.details.replaceChildren(
      h('li', {}, say('figures.first', { time: span(figures.longestWaitSeconds) })),
      figures.proofs?.owing ? h('li', { id: 'owing' }, say('figures.owing', { n: number(figures.proofs.owing) })) : '',
      figures.absent ? h('li', { id: 'absent' }, say('figures.absent', { n: number(figures.absent) })) : '',
      queue.rate && queue.rate.limitedBy !== 'settings' ? h('li', { id: 'follows' }, follows(queue.rate)) : '',
      wait ? h('li', { id: 'newcomer' }, say('figures.newcomer', { time: between(wait.lowSeconds, wait.highSeconds) })) : '',
      figures.lanes ? h('li', { id: 'lanes' }, `${say('figures.lanes')}: ${figures.lanes.map(inLane).join(', ')}`) : '',
      queue.stock ? h('li', { id: 'stock' }, stockOf(queue)) : '',
      queue.streams !== undefined ? h('li', {}, say('figures.streams', { n: number(queue.streams) })) : '',
    );
    const share = figures.entered > 0 ? figures.expired / figures.entered : null;
    this.totals.replaceChildren(
      ...['joined', 'entered', 'completed', 'left', 'expired'].map((name) =>
        h(
          'div',
          {},
          h('dt', {}, say(`total.${name}`)),
          h('dd', { 'data-total': name }, number(figures[name]), name === 'expired' && share !== null ? ` (${percent(share)})` : ''),
        ),
      ),
    );
  }

  /** How old the figures are, so that nobody takes yesterday's for today's. */
  drawAge() {
    const age = performance.now() - this.toldAt;
    const isOld = age > OLD_AFTER;
    this.element.toggleAttribute('data-old', isOld);
    put(this.age, age < 1_500 ? say('age.now') : say(isOld ? 'age.old' : 'age.seconds', { n: Math.round(age / 1_000) }));
  }

  async drawCharts() {
    let minutes;
    /** @type {any[]} */
    let ofSite;
    try {
      ({ minutes } = await get(queuePath(this.name, `/timeline?minutes=${MINUTES}`)));
      ofSite = this.queue.adaptive ? await this.siteCharts(minutes.map((/** @type {any} */ minute) => Date.parse(minute.at))) : [];
    } catch (problem) {
      this.charts.replaceChildren(failed(problem));
      return;
    }
    // Whoever reads the table of it keeps it open.
    const open = [...this.charts.querySelectorAll('details')].map((details) => details.open);
    const times = minutes.map((/** @type {any} */ minute) => Date.parse(minute.at));
    const of = (/** @type {string} */ name) => minutes.map((/** @type {any} */ minute) => minute[name]);
    const inside = times.map((/** @type {number} */ at) => this.inside.get(Math.floor(at / MINUTE) * MINUTE) ?? null);
    this.charts.replaceChildren(
      chart({
        title: say('chart.perMinute'),
        times,
        series: [
          { name: say('chart.joined'), kind: 'joined', values: of('joined') },
          { name: say('chart.admitted'), kind: 'admitted', values: of('admitted') },
        ],
      }),
      chart({ title: say('chart.insideTitle'), times, series: [{ name: say('chart.inside'), kind: 'inside', values: inside }] }),
      ...ofSite,
    );
    [...this.charts.querySelectorAll('details')].forEach((details, i) => {
      details.open = open[i] ?? false;
    });
  }

  // --- acts

  drawActs() {
    const state = stateOf(this.queue);
    const entryOpen = this.queue.entryOpen ?? this.queue.isActive;
    const paused = this.queue.admissionPaused ?? !this.queue.isActive;
    const key = `${state}${entryOpen}${paused}`;
    if (key === this.drawnActs) {
      return;
    }
    this.drawnActs = key;
    // The button that was pressed may go; what comes in its place has the focus then.
    const hadFocus = this.acts.contains(document.activeElement);
    const isShut = state === 'ENDED' || (!entryOpen && paused);
    this.acts.replaceChildren(
      ...(isShut
        ? [this.button('activate', 'primary'), state === 'ENDED' ? '' : this.endButton()]
        : [
            paused ? this.button('resume', 'primary') : h('button', { type: 'button', id: 'act-pause', onclick: () => this.pause() }, say('acts.pause')),
            entryOpen ? this.button('close') : this.button('open'),
            this.endButton(),
          ]),
    );
    if (hadFocus) {
      this.focusActs();
    }
  }

  /** Where the next act is, for whoever uses no mouse. */
  focusActs() {
    this.acts.querySelector('button')?.focus();
  }

  /** @param {string} what @param {string} [className] */
  button(what, className = '') {
    const act = async () => {
      const text = await this.act(what);
      this.focusActs();
      return text;
    };
    return doing(say(`acts.${what}`), act, { id: `act-${what}`, class: className });
  }

  /** @param {string} what @param {object} [more] */
  async act(what, more) {
    // Nothing holds any more that the answer leaves out.
    this.told({ ...this.queue, pausedBy: undefined, ...(await act(this.name, what, more)) });
    const text = say(`acts.${what}.done`);
    put(this.said, text);
    return text;
  }

  async pause() {
    const reason = h('input', { type: 'text', maxlength: 200, name: 'reason' });
    await ask({
      title: say('acts.pause.title'),
      text: say('acts.pause.text'),
      body: field(say('acts.pause.reason'), reason, { hint: say('acts.pause.hint') }),
      yes: say('acts.pause'),
      act: async () => announce(await this.act('pause', reason.value.trim() ? { reason: reason.value.trim() } : {})),
    });
    this.focusActs();
  }

  endButton() {
    return h('button', { type: 'button', id: 'act-end', class: 'danger', onclick: () => this.end() }, say('acts.end'));
  }

  async end() {
    const { queue } = this;
    const hasText = 'endText' in queue;
    const text = hasText ? wordsEditor({ label: say('acts.end.words'), value: queue.endText, max: 500, isLong: true }) : null;
    const url = hasText ? h('input', { type: 'url', maxlength: 2_000, name: 'endUrl', value: queue.endUrl ?? '' }) : null;
    const form = text ? textEdits({ name: this.name, queue, editors: { endText: text }, inputs: { endUrl: url } }) : null;
    this.ending = form;
    await ask({
      title: say('acts.end.title'),
      text: say('acts.end.text', { waiting: number(queue.figures.waiting), inside: number(queue.figures.inside) }),
      body: text ? [text.element, field(say('acts.end.url'), url), form?.notice] : null,
      yes: say('acts.end.yes'),
      danger: true,
      typed: this.name,
      act: async () => {
        if (form && !(await form.save())) {
          return false;
        }
        announce(await this.act('end'));
        return true;
      },
    });
    this.ending = null;
    this.focusActs();
  }

  admitForm() {
    const count = h('input', { type: 'number', min: 1, max: 100_000, step: 1, inputmode: 'numeric', value: this.queue.entryBatchSize, name: 'count' });
    return h(
      'div',
      { class: 'admit' },
      field(say('acts.admit.label'), count),
      doing(
        say('acts.admit'),
        async () => {
          const { admitted } = await act(this.name, 'process', { count: Number(count.value) });
          const text = say('acts.admit.done', { n: number(admitted) });
          put(this.said, text);
          return text;
        },
        { id: 'act-admit' },
      ),
    );
  }

  async delete() {
    const isDone = await ask({
      title: say('delete.title'),
      text: say('delete.text'),
      yes: say('delete.button'),
      danger: true,
      typed: this.name,
      act: () => call('DELETE', queuePath(this.name, `?confirm=${nameOf(this.queue)}`)),
    });
    if (isDone) {
      this.leave();
      location.hash = '#/';
    }
  }
}

/** What the site said last of its stock. @param {any} queue */
function stockOf({ stockFigures, at }) {
  if (!stockFigures) {
    return say('figures.stock.none');
  }
  const age = Math.max(0, Math.round(((at ? Date.parse(at) : Date.now()) - Date.parse(stockFigures.at)) / 1_000));
  const { remaining, held } = stockFigures;
  return say('figures.stock', { remaining: number(remaining), held: number(held), time: span(age) });
}

/** @param {string} name @param {string} label @param {string} value @param {string} about @param {string} [more] @param {string} [kind] */
function figure(name, label, value, about, more = '', kind = '') {
  return [
    h('dt', { class: name }, label),
    h('dd', { class: name, 'data-figure': name }, h('strong', {}, value), h('span', { class: 'quiet' }, about), more ? h('span', { class: 'bound', 'data-bound': kind }, more) : null),
  ];
}
