// Scrolls through a long list as a person with a wheel would, and listens for tasks of the browser that
// take long: while one runs, the page stands still.

import { closeBrowser, visit } from './browser.js';

/// What the whole way down was like: rows, seconds, rows in the document at most, and the long tasks in
/// milliseconds, the longest first.
export async function scroll(server, rows, seconds) {
  const page = await visit(server, '/');
  try {
    return await page.evaluate(wayDown, { rows, most: seconds * 1000 });
  } finally {
    await page.context().close();
    await closeBrowser();
  }
}

/// Runs in the page.
function wayDown({ rows, most }) {
  const long = [];
  const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((it) => it.duration)));
  observer.observe({ type: 'longtask' });
  const start = performance.now();
  let inDocument = 0;
  return new Promise((resolve) => {
    const step = () => {
      const shown = [...document.querySelectorAll('[data-task]')];
      inDocument = Math.max(inDocument, shown.length);
      const reached = Math.max(0, ...shown.map((it) => Number(it.getAttribute('aria-rowindex'))));
      const passed = performance.now() - start;
      if (reached >= rows || passed > most) {
        long.push(...observer.takeRecords().map((it) => it.duration));
        observer.disconnect();
        resolve({ reached, seconds: passed / 1000, inDocument, long: long.sort((a, b) => b - a) });
        return;
      }
      scrollBy(0, innerHeight * 0.8);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
