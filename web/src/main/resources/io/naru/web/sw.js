// @ts-check
// Shows nothing and keeps nothing: phones let only a service worker notify, and only that hears a notification being touched.

/** @type {any} */
const worker = self;

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
