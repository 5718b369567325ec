// A picture of every view, and what can be said about a layout without knowing it: nothing is wider
// than its window, nothing is cut off, nothing lies on something else.
//
// The pictures are written into `target/e2e/pictures`, to be looked at. They are not compared with
// stored ones: those would weigh more than the page, and change with every font.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { closeBrowser, dress, settled, visit } from './browser.js';
import { faults } from './layout.js';
import { Server } from './server.js';
import { WORLDS } from './views.js';
import { ALL, ROOT, World, scored, until } from './world.js';

const PICTURES = path.join(ROOT, 'target/e2e/pictures');

/// Each size with the looks that are taken of a view while it is open.
const SIZES = [
  ['', {}, ['light', 'dark', 'zh']],
  ['phone', { width: 390, height: 844 }, ALL ? ['light', 'dark', 'zh'] : ['light']],
  ...(ALL ? [['middle', { width: 1000 }, ['light', 'zh']]] : []),
];

/// What is not at an address of its own: dialogs, a letter on a phone, an order under way.
const SCENES = [
  ['confirm', '/tasks/ready', (page) => page.keyboard.press('a')],
  ['reject', '/tasks/ready', (page) => page.keyboard.press('x')],
  ['palette', '/tasks/ready', (page) => page.keyboard.press('Control+k')],
  ['keys', '/', (page) => page.keyboard.press('?')],
];

let served;
let running;
before(async () => {
  fs.rmSync(PICTURES, { recursive: true, force: true });
  fs.mkdirSync(PICTURES, { recursive: true });
  served = [];
  for (const [make, views] of WORLDS) {
    const world = await make();
    served.push([await Server.start(world), views, world]);
  }
  running = await World.make();
  running.judge(scored('PASS'));
  running.coder(`for n in 1 2 3; do echo "reading file $n of 3"; done; ${running.waits('coder')}`);
  await running.start('paginate-orders', { goal: 'The list of orders is paged by key', task_type: 'engineering_impl' });
  const server = await Server.start(running);
  served.push([server, [['tasks-running', '/'], ['task-running', '/tasks/paginate-orders']], running]);
  const step = async () => (await server.get('/api/tasks/paginate-orders')).json.row.running?.step;
  await until(async () => (await step()) === 'coder', 'the coder works');
});
after(async () => {
  for (const [, , world] of served ?? []) await world.end();
  await closeBrowser();
});

/// A moment that is the same distance from the newest task in every run.
async function fixed(server) {
  const { tasks } = (await server.get('/api/tasks?limit=1')).json;
  return new Date(Date.parse(tasks[0]?.updated_at ?? Date.now()) + 12 * 60_000);
}

const shoot = (page, name, look, fullPage = true) =>
  page.screenshot({ path: path.join(PICTURES, `${name}-${look}.png`), fullPage, animations: 'disabled', caret: 'hide' });

for (const [size, wish, looks] of SIZES) {
  test(`every view is laid out well: ${size || 'wide'}, ${looks.join(', ')}`, async () => {
    const found = [];
    for (const [server, views] of served) {
      const time = await fixed(server);
      const page = await visit(server, views[0][1], { ...wish, expected: [404], before: (it) => it.clock.setFixedTime(time) });
      for (const [name, at] of views) {
        await page.goto(`${server.url}${at}`);
        await settled(page);
        for (const look of looks) {
          await dress(page, look === 'dark' ? 'dark' : 'light', look === 'zh' ? 'zh' : 'en');
          found.push(...(await faults(page)).map((it) => `${name}, ${look}: ${it}`));
          await shoot(page, name, [size, look].filter(Boolean).join('-'));
        }
      }
      page.watch.clean();
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
}

for (const [size, wish] of SIZES) {
  test(`what opens over the page is laid out well: ${size || 'wide'}`, async () => {
    const found = [];
    const [server] = served[0];
    const page = await visit(server, '/', wish);
    for (const [name, at, act] of SCENES) {
      await page.goto(`${server.url}${at}`);
      await settled(page);
      await act(page);
      await page.getByRole('dialog').waitFor();
      await settled(page);
      found.push(...(await faults(page)).map((it) => `${name}: ${it}`));
      await shoot(page, name, size || 'light', false);
    }
    page.watch.clean();
    await page.context().close();
    const stranger = await visit(server, '/', { ...wish, isStranger: true });
    await stranger.goto(`${server.url}/`);
    await settled(stranger);
    found.push(...(await faults(stranger)).map((it) => `login: ${it}`));
    await shoot(stranger, 'login', size || 'light', false);
    stranger.watch.clean();
    await stranger.context().close();
    assert.deepEqual(found, []);
  });
}

// The twin: each fault, planted, is noticed.
test('a layout that is broken is noticed', async () => {
  const [server] = served[0];
  const page = await visit(server, '/');
  assert.deepEqual(await faults(page), []);
  const planted = async (what, css) => {
    await page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, css);
    const found = await faults(page);
    assert.ok(found.some((it) => what.test(it)), `${css}: ${found.slice(0, 3).join('\n')}`);
  };
  await planted(/px wide in a window/, 'main { width: 2000px; max-width: none }');
  await planted(/leaves/, '.task .id { width: 1rem; text-overflow: clip; overflow: visible }');
  await planted(/is cut off/, 'h1 { height: 1rem; overflow: hidden }');
  await planted(/lies on/, '.task .goal { transform: translateY(-1.2rem) }');
  await page.evaluate(() => (document.adoptedStyleSheets = []));
  assert.deepEqual(await faults(page), []);
  await page.goto(`${server.url}/tasks/ready`);
  await settled(page);
  await planted(/by .* px/, '.rub .bar-i { width: 0; border: 0 }');
  await until(() => page.watch.pending.size === 0, 'the last answer');
  page.watch.clean();
  await page.context().close();
});
