// The keyboard: every key of the map, none while typing, and a whole review without a mouse.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled, visit } from './browser.js';
import { gallery } from './gallery.js';
import { Server } from './server.js';
import { World, scored, until } from './world.js';

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

const at = (page) => new URL(page.url()).pathname;
const goes = (page, where) => until(() => at(page) === where, `${where}, not ${at(page)}`, 10_000);

test('the numbers choose a group', async () => {
  const page = await visit(server, '/');
  const shown = () => page.locator('[data-task]').count();
  const all = await shown();
  await page.keyboard.press('3');
  await until(async () => (await shown()) < all, 'fewer rows', 10_000);
  page.watch.clean();
  await page.context().close();
});

test('the map of keys and the palette open and close', async () => {
  const page = await visit(server, '/');
  for (const key of ['?', 'Control+k']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  page.watch.clean();
  await page.context().close();
});

test('no letter acts while somebody types', async () => {
  const page = await visit(server, '/');
  await page.keyboard.press('/');
  await page.keyboard.type('gia?nxj');
  assert.equal(at(page), '/');
  assert.equal(await page.getByRole('dialog').count(), 0);
  const field = await page.evaluate(() => document.activeElement.value);
  assert.equal(field, 'gia?nxj');
  page.watch.clean();
  await page.context().close();
});

test('a whole review is done without a mouse', async () => {
  const own = await World.make();
  try {
    own.judge(scored('PASS'));
    await own.run('mine', { task_type: 'engineering_impl' });
    const served = await Server.start(own);
    const page = await visit(served, '/');
    await page.keyboard.press('j');
    await until(() => page.evaluate(() => document.activeElement?.closest('[data-task]') !== null), 'a row', 10_000);
    await page.keyboard.press('Enter');
    await goes(page, '/tasks/mine');
    await settled(page);
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    // What is confirmed is named: the attempt, and the commit.
    const text = await page.getByRole('dialog').innerText();
    assert.match(text, /attempt 1|\b1\b/i);
    await page.keyboard.press('Control+Enter');
    await until(() => own.status('mine').review, 'the review');
    page.watch.clean();
    await page.context().close();
  } finally {
    await own.end();
  }
});
