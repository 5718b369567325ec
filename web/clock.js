// Time that passes on the page: one tick for everything that shows a duration.
import { signal } from './ui.js';

/** Every second, for what runs; every 20 seconds, for ages. */
export const now = signal(Date.now());
export const slowNow = signal(Date.now());

setInterval(() => { if (!document.hidden) now.value = Date.now(); }, 1000);
setInterval(() => { if (!document.hidden) slowNow.value = Date.now(); }, 20_000);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = slowNow.value = Date.now();
});
