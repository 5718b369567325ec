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

// The twin is below: while somebody types, none of these does anything.
test('g and a letter go to every view', async () => {
  const page = await visit(server, '/');
  const places = { i: '/inbox', s: '/stories', e: '/evals', l: '/learn', g: '/guard', a: '/audit', t: '/' };
  for (const [letter, where] of Object.entries(places)) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await goes(page, where);
    await settled(page);
    // Who arrives by the keyboard is at the heading of the view.
    await until(() => page.evaluate(() => document.activeElement?.tagName === 'H1'), `the heading of ${where}`, 10_000);
  }
  // A letter alone is the start of nothing.
  await page.keyboard.press('i');
  await page.keyboard.press('s');
  assert.equal(at(page), '/');
  page.watch.clean();
  await page.context().close();
});

test('j and k move, Enter opens, u returns to the row', async () => {
  const page = await visit(server, '/');
  const row = () => page.evaluate(() => document.activeElement?.closest('[data-task]')?.dataset.task ?? '');
  const order = await page.locator('[data-task]').evaluateAll((them) => them.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((it) => it.dataset.task));
  await page.keyboard.press('j');
  await until(async () => (await row()) === order[1], `the second row, ${order[1]}`, 10_000);
  await page.keyboard.press('j');
  await until(async () => (await row()) === order[2], `the third row, ${order[2]}`, 10_000);
  await page.keyboard.press('k');
  await until(async () => (await row()) === order[1], `the second row again, ${order[1]}`, 10_000);
  // By its key, and by the browser's own way back.
  for (const leave of [() => page.keyboard.press('u'), () => page.goBack()]) {
    await page.keyboard.press('Enter');
    await goes(page, `/tasks/${order[1]}`);
    await settled(page);
    await leave();
    await goes(page, '/');
    await until(async () => (await row()) === order[1], `the row ${order[1]}`, 10_000);
  }
  await page.keyboard.press('n');
  await goes(page, '/new');
  page.watch.clean();
  await page.context().close();
});

test('every key of a task acts', async () => {
  const page = await visit(server, '/tasks/ready');
  const dialog = page.getByRole('dialog');
  for (const [key, name] of [['a', /approve/i], ['x', /reject/i]]) {
    await page.keyboard.press(key);
    await dialog.waitFor();
    assert.match(await dialog.getAttribute('aria-label'), name);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  // The score is hidden, and shown again.
  const score = page.locator('#judge .rub.total b');
  assert.equal(await score.count(), 1);
  await page.keyboard.press('b');
  await until(async () => (await score.count()) === 0, 'the score is hidden', 10_000);
  await page.keyboard.press('b');
  await until(async () => (await score.count()) === 1, 'the score is shown', 10_000);
  // The files of the change, one after the other.
  const file = () => page.locator('.files li[aria-current] .p').innerText();
  const files = await page.locator('.files .p').allInnerTexts();
  assert.ok(files.length >= 2, files.join());
  for (const [key, shown] of [[']', 1], ['[', 0], ['v', 1]]) {
    await page.keyboard.press(key);
    await until(async () => (await file()) === files[shown], `${key} opens ${files[shown]}`, 10_000);
  }
  await until(() => page.locator('.files li', { hasText: files[0] }).innerText().then((it) => /seen/.test(it)), 'the file counts as seen', 10_000);
  page.watch.clean();
  await page.context().close();
});

test('r goes to the box of a question, and l asks before it lands', async () => {
  const page = await visit(server, '/tasks/question');
  await page.keyboard.press('r');
  await until(() => page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA'), 'the box', 10_000);
  // In the box, letters are letters.
  await page.keyboard.type('xp');
  assert.equal(await page.locator('.ask textarea').inputValue(), 'xp');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.goto(`${server.url}/tasks/approved`);
  await settled(page);
  await page.keyboard.press('l');
  await page.getByRole('dialog').waitFor();
  assert.match(await page.getByRole('dialog').getAttribute('aria-label'), /land/i);
  // What is not offered is not asked for.
  await page.goto(`${server.url}/tasks/question`);
  await settled(page);
  await page.keyboard.press('l');
  assert.equal(await page.getByRole('dialog').count(), 0);
  page.watch.clean();
  await page.context().close();
});

test('p pauses a task that runs', async () => {
  const own = await World.make();
  try {
    own.coder(own.waits('coder'));
    await own.start('runs');
    const served = await Server.start(own);
    const page = await visit(served, '/tasks/runs');
    await page.keyboard.press('p');
    await until(() => own.actions().some((it) => JSON.stringify(it).includes('PAUSE')), 'the order');
    own.go('coder');
    await until(() => own.status('runs').state === 'PAUSED', 'the pause');
    await page.locator('.tag', { hasText: 'PAUSED' }).waitFor();
    page.watch.clean();
    await page.context().close();
  } finally {
    await own.end();
  }
});

test('letters can be switched off, and the rest stays', async () => {
  const page = await visit(server, '/');
  await page.keyboard.press('?');
  await page.getByRole('checkbox').uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const key of ['n', 'g', 'i', '?']) await page.keyboard.press(key);
  assert.equal(at(page), '/');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
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
