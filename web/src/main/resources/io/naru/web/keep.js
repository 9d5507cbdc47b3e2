// @ts-check
// The page's service worker: it keeps the page for when everything behind it is gone, and phones let only it notify.

/** Where it is, beside what it looks after. */
const WORKER = document.getElementById('wait')?.dataset.worker ?? '/wait/sw.js';

/** @returns {Promise<ServiceWorkerRegistration | null>} */
export async function worker() {
  try {
    await navigator.serviceWorker.register(WORKER);
    return await navigator.serviceWorker.ready;
  } catch {
    // None in a private window, or without TLS.
    return null;
  }
}

/** Has this page kept, with all that it is made of. */
export async function keepPage() {
  const links = document.querySelectorAll('link[rel=icon], link[rel=stylesheet], link[rel=modulepreload], script[src]');
  const files = [...links].map((link) => /** @type {any} */ (link).href ?? /** @type {any} */ (link).src);
  const registration = await worker();
  registration?.active?.postMessage({
    page: location.href,
    files: [...files, ...['naru-board.js', 'lobby.js'].map((name) => new URL(name, import.meta.url).href)],
  });
}
