// The proof on the page: what was claimed beside what was run, and seals that are told apart by
// their shapes alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { SAID, annals } from './annals.js';
import { browser, closeBrowser, settled, visit } from './browser.js';
import { gallery } from './gallery.js';
import { Server } from './server.js';

let server;
let told;
let worlds;
before(async () => {
  worlds = [await gallery(), await annals()];
  [server, told] = [await Server.start(worlds[0]), await Server.start(worlds[1])];
});
after(async () => {
  for (const it of worlds ?? []) await it.end();
  await closeBrowser();
});

const FACTS = ['paths', 'secrets', 'tests', 'claims', 'judge', 'review'];

/// The standings of the proof line as it is drawn.
const line = (page) =>
  page.locator('.proof .seal').evaluateAll((them) => them.map((it) => it.getAttribute('class').replace('seal ', '')));

// What was run counts, whatever was said about it.
test('a liar has broken seals, its claim is quoted, and the command and its exit code are there', async () => {
  const page = await visit(told, '/tasks/claimant');
  const standings = Object.fromEntries((await line(page)).map((it, at) => [FACTS[at], it]));
  assert.deepEqual([standings.tests, standings.claims, standings.judge], ['contradicted', 'contradicted', 'contradicted']);
  assert.notEqual(standings.review, 'verified');
  // A claim is quoted, and never beside a green mark.
  const quote = page.locator('.versus q', { hasText: SAID });
  await quote.waitFor();
  assert.equal(await page.locator('.said .verified, .said .ok').count(), 0);
  const ran = page.locator('.versus .ev');
  await ran.getByText('sh tests/check.sh', { exact: true }).waitFor();
  assert.match(await ran.innerText(), /exit 1\b/);
  const criterion = page.locator('.crits li', { hasText: 'AC-1' });
  assert.match(await criterion.innerText(), /sh greet\.sh \| grep -qx hello/);
  assert.match(await criterion.innerText(), /exit 1\b/);
  assert.match(await criterion.locator('.label').innerText(), /CONTRADICTED/i);
  // The second criterion was claimed in words alone: nobody ran anything.
  const words = page.locator('.crits li', { hasText: 'AC-2' });
  assert.equal(await words.locator('.seal').getAttribute('class'), 'seal not_verified');
  page.watch.clean();
  await page.context().close();
});

// The twin: where the same claims hold, nothing is broken.
test('a coder that told the truth has no broken seal', async () => {
  const page = await visit(told, '/tasks/honest');
  const standings = await line(page);
  assert.ok(!standings.includes('contradicted'), standings.join());
  assert.deepEqual(standings.slice(2, 4), ['verified', 'verified']);
  assert.equal(await page.locator('.versus').count(), 0);
  page.watch.clean();
  await page.context().close();
});

test('a coder that changed nothing is contradicted by its test', async () => {
  const page = await visit(server, '/tasks/liar');
  assert.equal((await line(page))[2], 'contradicted');
  const evidence = page.locator('#fact-tests .ev');
  assert.match(await evidence.innerText(), /sh check\.sh[\s\S]*exit [1-9]/);
  page.watch.clean();
  await page.context().close();
});

test('a task without a test is never shown as proven', async () => {
  const { seals } = (await server.get('/api/tasks?q=untested')).json.tasks[0];
  assert.equal(seals.find((it) => it.fact === 'tests').standing, 'not_verified');
  const page = await visit(server, '/tasks/untested');
  assert.equal((await line(page))[2], 'not_verified');
  assert.match(await page.locator('h1').innerText(), /not all of it is proven/);
  await page.goto(`${server.url}/`);
  await settled(page);
  const row = page.locator('[data-task=untested]');
  assert.equal(await row.locator('.strip li:nth-child(3) .seal').getAttribute('class'), 'seal not_verified');
  // The cord is solid as far as everything before is proven, and not behind the gap.
  assert.deepEqual(await row.locator('.strip li').evaluateAll((them) => them.map((it) => it.classList.contains('held')).slice(2)), [false, false, false, false]);
  const { counts } = (await server.get('/api/tasks')).json;
  const proven = (await server.get('/api/tasks?group=proven')).json.tasks.map((it) => it.task_id);
  assert.equal(proven.length, counts.proven);
  assert.ok(!proven.includes('untested'));
  page.watch.clean();
  await page.context().close();
});

/// How a standing is drawn for each label.
const LABELS = { REPRODUCED: 'verified', CONTRADICTED: 'contradicted', STALE: 'stale', NOT_RUN: 'not_verified', WAIVED: 'waived' };

/// A seal of 16 px in one colour, as grey values.
async function pictures(page, standings) {
  await page.evaluate((names) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#row { position: fixed; inset: 0 auto auto 0; z-index: 99; display: flex; gap: 8px; padding: 8px; background: #fff } #row .seal { width: 16px; height: 16px; color: #333 } #row .arc { animation: none }');
    document.adoptedStyleSheets = [sheet];
    const row = document.createElement('div');
    row.id = 'row';
    row.append(...names.map((name) => {
      const seal = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      seal.setAttribute('class', `seal ${name}`);
      const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
      use.setAttribute('href', `#s-${name}`);
      seal.append(use);
      return seal;
    }));
    document.getElementById('row')?.remove();
    document.body.append(row);
  }, standings);
  const shots = [];
  for (let at = 0; at < standings.length; at += 1) shots.push(await page.locator(`#row .seal:nth-child(${at + 1})`).screenshot());
  return greys(shots.map((it) => it.toString('base64')));
}

/// The grey values of pictures, as another page decodes them.
async function greys(shots) {
  const page = await (await browser()).newPage();
  const values = await page.evaluate(async (them) => {
    const decode = async (text) => {
      const bytes = Uint8Array.from(atob(text), (it) => it.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(16, 16);
      const context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0, 16, 16);
      const { data } = context.getImageData(0, 0, 16, 16);
      return Array.from({ length: 256 }, (_, at) => Math.round(0.299 * data[4 * at] + 0.587 * data[4 * at + 1] + 0.114 * data[4 * at + 2]));
    };
    return Promise.all(them.map(decode));
  }, shots);
  await page.close();
  return values;
}

/// How many pixels of two pictures differ enough to be seen.
const differ = (one, other) => one.filter((it, at) => Math.abs(it - other[at]) > 64).length;
const ENOUGH = 16;

test('each label has its own shape, also in grey', async () => {
  const page = await visit(told, '/stories');
  const names = Object.values(LABELS);
  const shapes = await pictures(page, names);
  const found = [];
  names.forEach((one, at) => {
    assert.ok(shapes[at].some((it) => it < 128), `${one} is drawn`);
    names.slice(at + 1).forEach((other, n) => {
      const pixels = differ(shapes[at], shapes[at + 1 + n]);
      if (pixels < ENOUGH) found.push(`${one} and ${other} differ in ${pixels} of 256 pixels`);
    });
  });
  assert.deepEqual(found, []);
  // The twin: two that are the same do not differ.
  const [one, other] = await pictures(page, ['stale', 'stale']);
  assert.ok(differ(one, other) < ENOUGH);
  page.watch.clean();
  await page.context().close();
});

test('the labels of a story are drawn by these shapes', async () => {
  const page = await visit(told, '/stories');
  const drawn = await page.locator('.story').filter({ hasText: 'US-002' }).locator('.acs .seal').evaluateAll((them) => them.map((it) => it.getAttribute('class')));
  assert.deepEqual(drawn, ['seal contradicted', 'seal not_verified', drawn[2], 'seal waived']);
  const stale = page.locator('.plan').first().locator('.story').filter({ hasText: 'US-001' });
  assert.deepEqual(await stale.locator('.acs .seal').evaluateAll((them) => them.map((it) => it.getAttribute('class'))), ['seal stale', 'seal stale']);
  page.watch.clean();
  await page.context().close();
});
