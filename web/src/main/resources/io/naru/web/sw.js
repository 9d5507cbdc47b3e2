// @ts-check
// Keeps the waiting page, which is the same for everybody, and shows it while nobody can be reached; nothing else, and
// never instead of a newer one that can be had. Also, phones let only a service worker notify, and only that hears a
// notification being touched.

/** @type {any} */
const worker = self;

const PREFIX = 'naru-page:';

/** So many pages are kept, the last ones. */
const MOST = 4;

/** After so long without an answer, somebody who looks at nothing is shown what was kept. */
const PATIENCE = 5_000;

worker.addEventListener('install', () => worker.skipWaiting());
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('message', (/** @type {any} */ event) => {
  if (event.data?.page) {
    event.waitUntil(keep(event.data).catch(() => {}));
  }
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== 'GET') {
    return;
  }
  if (request.mode === 'navigate') {
    event.respondWith(page(request));
  } else if (/\/assets\/[^/]+\/[^/]+$/.test(new URL(request.url).pathname)) {
    // Their address changes with them, so what was kept is right.
    event.respondWith(caches.match(request.url).then((kept) => kept ?? fetch(request)));
  }
});

/** A page under its language, whatever somebody came for. @param {string} url */
function nameOf(url) {
  const { origin, pathname, searchParams } = new URL(url);
  const language = searchParams.get('lang');
  return origin + pathname + (language ? `?lang=${encodeURIComponent(language)}` : '');
}

/** @param {any} request */
async function page(request) {
  const name = nameOf(request.url);
  // Opening a cache makes it, and one without a page would push out one with.
  const kept = await caches.match(name, { cacheName: PREFIX + name });
  if (!kept) {
    return fetch(request);
  }
  const late = new Promise((resolve) => setTimeout(() => resolve(null), PATIENCE));
  const answer = await Promise.race([fetch(request), late]).catch(() => null);
  // A proxy whose server is gone says something of its own.
  return answer && answer.status < 500 ? answer : kept;
}

/** @param {{page: string, files: string[]}} wanted */
async function keep({ page, files }) {
  const name = nameOf(page);
  const cache = await caches.open(PREFIX + name);
  const fetched = await Promise.all(
    [name, ...files].map(async (url) => [url, url !== name && (await cache.match(url)) ? null : await fetch(url)]),
  );
  if (fetched.some(([, answer]) => answer && (!answer.ok || answer.redirected))) {
    return;
  }
  await Promise.all(fetched.map(([url, answer]) => answer && cache.put(url, answer)));
  // Those of an earlier version.
  for (const { url } of await cache.keys()) {
    if (url !== name && !files.includes(url)) {
      await cache.delete(url);
    }
  }
  const others = (await caches.keys()).filter((each) => each.startsWith(PREFIX) && each !== PREFIX + name);
  await Promise.all(others.slice(0, Math.max(0, others.length - MOST + 1)).map((each) => caches.delete(each)));
}

worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(bringBack(event.notification.data));
});

/** The page that told, or a new one if it is gone. @param {string} url */
async function bringBack(url) {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((/** @type {any} */ each) => each.url === url);
  return page ? page.focus() : worker.clients.openWindow(url);
}
