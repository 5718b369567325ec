// How much the page costs: bytes over the wire, nodes in the document, and how long one waits.
//
// Times depend on the machine: they are told, and nothing fails by them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled, visit } from './browser.js';
import { gallery } from './gallery.js';
import { Server } from './server.js';
import { World, until } from './world.js';

const KB = 1000;
/// The first view, with the heads of its answers.
const FIRST = 60 * KB;
/// What somebody loads who visits every view, in one language: the content as it is sent.
const ALL = 100 * KB;

let world;
let server;
before(async () => {
  world = await gallery();
  server = await Server.start(world);
});
after(async () => {
  await world?.end();
  await closeBrowser();
});

/// A visit that weighs every answer that is a file of the page: its head and its body, as they came.
async function weighs(served, at) {
  const [files, times] = [new Map(), new Map()];
  const page = await visit(served, at, {
    isStranger: true,
    before: async (it) => {
      const client = await it.context().newCDPSession(it);
      await client.send('Network.enable');
      const paths = new Map();
      client.on('Network.responseReceived', ({ requestId, response }) => {
        const { pathname } = new URL(response.url);
        if (!pathname.startsWith('/api/')) paths.set(requestId, pathname);
      });
      client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const path = paths.get(requestId);
        if (!path) return;
        files.set(path, (files.get(path) ?? 0) + encodedDataLength);
        times.set(path, (times.get(path) ?? 0) + 1);
      });
    },
  });
  await page.goto(`${served.url}${at}#token=${served.token}`);
  await settled(page);
  return { page, files, times };
}

const sum = (files) => [...files.values()].reduce((all, it) => all + it, 0);
const heaviest = (files) => [...files].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([path, bytes]) => `${path} ${bytes}`).join(', ');

test('the first view is at most 60 KB over the wire', async (t) => {
  const { page, files } = await weighs(server, '/');
  t.diagnostic(`${sum(files)} bytes in ${files.size} files: ${heaviest(files)}`);
  assert.ok(files.size > 5 && files.has('/'), 'the files were seen');
  assert.ok(sum(files) <= FIRST, `${sum(files)} bytes in ${files.size} files: ${heaviest(files)}`);
  page.watch.clean();
  await page.context().close();
});

test('all views together are at most 100 KB of content, and each file is loaded once', async (t) => {
  const { page, files, times } = await weighs(server, '/');
  // Within the page, as a person goes: nothing is loaded twice.
  for (const [letter, at] of [['i', '/inbox'], ['s', '/stories'], ['e', '/evals'], ['l', '/learn'], ['g', '/guard'], ['a', '/audit'], ['t', '/']]) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await until(() => new URL(page.url()).pathname === at, at, 10_000);
    await settled(page);
  }
  for (const open of ['?', 'Control+k']) {
    await page.keyboard.press(open);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByRole('link', { name: 'ready', exact: true }).click();
  await settled(page);
  await page.keyboard.press('n');
  await until(() => new URL(page.url()).pathname === '/new', 'a new task', 10_000);
  await settled(page);
  let [bodies, plain] = [0, 0];
  for (const path of files.keys()) {
    bodies += (await server.ask('GET', path, { headers: { 'Accept-Encoding': 'gzip' } })).bytes.length;
    plain += (await server.ask('GET', path)).bytes.length;
  }
  t.diagnostic(`${bodies} bytes of content in gzip, ${sum(files)} with heads, in ${files.size} files: ${heaviest(files)}`);
  assert.ok(bodies <= ALL, `${bodies} bytes in ${files.size} files: ${heaviest(files)}`);
  // The twin: the same files uncompressed are over it.
  assert.ok(plain > ALL, `${plain}`);
  for (const view of ['inbox', 'task', 'new', 'stories', 'evals', 'learn', 'guard', 'audit']) assert.ok(files.has(`/app/views/${view}.js`), view);
  // The browser asks for its icon as it likes.
  assert.deepEqual([...times].filter(([path, count]) => count > 1 && path !== '/app/icon.svg'), []);
  page.watch.clean();
  await page.context().close();
});

// The twin: the same files as they lie on disk are too heavy, so the budget is one.
test('without compression the first view is over its budget', async () => {
  const { page, files } = await weighs(server, '/');
  let plain = 0;
  for (const path of files.keys()) plain += (await server.ask('GET', path)).bytes.length;
  assert.ok(plain > FIRST, `${plain}`);
  await page.context().close();
});

/// How many nodes a document has.
const nodes = (page) => page.evaluate(() => document.querySelectorAll('*').length);

test('a thousand tasks need no more nodes than a hundred', async (t) => {
  const own = await World.make();
  try {
    await own.run('one');
    own.copies('one', 99);
    const served = await Server.start(own);
    const few = await visit(served, '/');
    const [some, rows] = [await nodes(few), await few.locator('[data-task]').count()];
    await few.context().close();
    await served.stop();
    own.copies('one', 900, (number) => `more-${number}`);
    const again = await Server.start(own);
    const page = await visit(again, '/');
    const { counts } = (await again.get('/api/tasks')).json;
    assert.equal(counts.all, 1000);
    assert.ok(Math.abs((await nodes(page)) - some) < 50, `${some} and ${await nodes(page)}`);
    assert.ok(rows < 40, `${rows} rows`);
    // To the end, page by page: what was scrolled by is gone from the document.
    const last = () => page.evaluate(() => Math.max(...[...document.querySelectorAll('[data-task]')].map((it) => Number(it.getAttribute('aria-rowindex')))));
    await until(async () => {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      return (await last()) === 1000;
    }, 'the last row', 60_000);
    assert.ok((await nodes(page)) < 2 * some, `${some}, and ${await nodes(page)} at the end`);
    assert.ok((await page.locator('[data-task]').count()) < 40);
    t.diagnostic(`${some} nodes, ${rows} rows with 100 tasks; ${await nodes(page)} nodes at the end of 1000`);
    page.watch.clean();
    await page.context().close();
  } finally {
    await own.end();
  }
});

test('first paint and the answer to an order are told', async (t) => {
  const { page } = await weighs(server, '/');
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null);
  const dialog = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const began = performance.now();
        new MutationObserver((_, observer) => {
          if (!document.querySelector('dialog[open]')) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - began));
        }).observe(document.body, { childList: true, subtree: true });
        dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
      }),
  );
  t.diagnostic(`first contentful paint ${Math.round(paint)} ms, a dialog ${Math.round(dialog)} ms after its key`);
  assert.ok(paint > 0 && dialog > 0);
  page.watch.clean();
  await page.context().close();
});
