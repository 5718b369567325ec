// Accessible: a scan of every view, what a screen reader hears, zoom, motion, forced colours, and
// everything by the keyboard.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { axe, closeBrowser, dress, settled, visit } from './browser.js';
import { Server } from './server.js';
import { WORLDS } from './views.js';
import { ALL, World, until } from './world.js';

let served;
let running;
before(async () => {
  served = [];
  for (const [make, views] of WORLDS) served.push([await Server.start(await make()), views]);
  running = await World.make();
  // A test that is under way has the one seal that moves.
  await running.start('runs', { test_cmd: `if [ -e answer.txt ]; then ${running.waits('test', ':')}; fi; sh check.sh`, test_timeout_seconds: 600 });
  const server = await Server.start(running);
  served.push([server, [['tasks-running', '/'], ['task-running', '/tasks/runs']]]);
  const step = async () => (await server.get('/api/tasks/runs')).json.row.running?.step;
  await until(async () => (await step()) === 'test', 'the test runs');
});
after(async () => {
  for (const [server] of served ?? []) await server.world.end();
  await closeBrowser();
});

/// One pass covers every view in both themes; all of it, both themes and languages at both widths.
const LOOKS = [
  [1280, ALL ? ['light en', 'dark en', 'dark zh', 'light zh'] : ['light en']],
  [390, ALL ? ['light en', 'dark en', 'dark zh', 'light zh'] : ['dark zh']],
];

for (const [width, looks] of LOOKS) {
  test(`axe finds nothing: ${width} px, ${looks.join(', ')}`, async () => {
    const found = [];
    for (const [server, views] of served) {
      const page = await visit(server, views[0][1], { width, expected: [404] });
      for (const [name, at] of views) {
        await page.goto(`${server.url}${at}`);
        await settled(page);
        for (const look of looks) {
          await dress(page, ...look.split(' '));
          found.push(...(await axe(page)).map((it) => `${name}, ${look}: ${it}`));
        }
      }
      page.watch.clean();
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
}

/// A window of 1280 by 1024 at 400 % is one of 320 by 256.
const ZOOMED = { width: 320, height: 256 };

test('every view has its landmarks, is reached by the keyboard, and has no horizontal bar at 400 %', async () => {
  const found = [];
  for (const [server, views] of served) {
    const page = await visit(server, views[0][1], { expected: [404] });
    for (const [name, at] of views) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${server.url}${at}`);
      await settled(page);
      const count = (locator) => locator.count();
      if ((await count(page.locator('h1'))) !== 1) found.push(`${name}: not one heading`);
      if ((await count(page.getByRole('main'))) !== 1) found.push(`${name}: not one main part`);
      if ((await count(page.getByRole('navigation'))) < 1) found.push(`${name}: no navigation`);
      found.push(...(await unreachable(page)).map((it) => `${name}: not reached: ${it}`));
      await page.setViewportSize(ZOOMED);
      await settled(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`${name} is ${wide} px too wide`);
    }
    page.watch.clean();
    await page.context().close();
  }
  assert.deepEqual(found, []);
});

// The twin: what is taken out of the order, and what is too wide, is noticed.
test('what the keyboard does not reach and what is too wide is noticed', async () => {
  const [server] = served[0];
  const page = await visit(server, '/tasks/ready');
  await page.locator('[data-order=APPROVE]').evaluate((it) => it.setAttribute('tabindex', '-1'));
  assert.ok((await unreachable(page)).some((it) => /APPROVE/.test(it)));
  await page.setViewportSize(ZOOMED);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.court { min-width: 30rem }');
    document.adoptedStyleSheets = [sheet];
  });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) > 0);
  await page.context().close();
});

test('the first key leads past the navigation', async () => {
  const [server] = served[0];
  const page = await visit(server, '/');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), '#main');
  page.watch.clean();
  await page.context().close();
});

test('axe finds nothing in what opens over the page', async () => {
  const [server] = served[0];
  for (const scheme of ['light', 'dark']) {
    const page = await visit(server, '/tasks/ready', { scheme });
    for (const key of ['a', 'x', '?', 'Control+k']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await settled(page);
      assert.deepEqual(await axe(page), [], `${key}, ${scheme}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    page.watch.clean();
    await page.context().close();
  }
  const stranger = await visit(server, '/', { isStranger: true });
  await stranger.goto(`${server.url}/`);
  await settled(stranger);
  assert.deepEqual(await axe(stranger), []);
  await stranger.context().close();
});

// The twin: what is not accessible is found.
test('axe finds what was made wrong', async () => {
  const [server] = served[0];
  const page = await visit(server, '/');
  await page.evaluate(() => {
    for (const it of document.querySelectorAll('.find .vh, .find kbd')) it.remove();
    document.querySelector('.find input').removeAttribute('placeholder');
    document.documentElement.removeAttribute('lang');
    for (const it of document.querySelectorAll('.seal[role=img]')) it.removeAttribute('aria-label');
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.sub { color: #ccc !important }');
    document.adoptedStyleSheets = [sheet];
  });
  const found = (await axe(page)).map((it) => it.split(':')[0]);
  for (const rule of ['label', 'html-has-lang', 'svg-img-alt', 'color-contrast']) assert.ok(found.includes(rule), `${rule}: ${[...new Set(found)]}`);
  await page.context().close();
});

test('a strip is a list, and each seal says what it is', async () => {
  const [server] = served[0];
  for (const [lang, names] of [
    ['en', ['paths verified', 'secrets verified', 'tests contradicted']],
    ['zh', ['路径：已验证', '密钥：已验证', '测试：不成立']],
  ]) {
    const page = await visit(server, '/', { lang });
    const strip = page.locator('[data-task=failed]').getByRole('list');
    const said = await strip.getByRole('img').evaluateAll((them) => them.map((it) => it.getAttribute('aria-label')));
    assert.equal(said.length, 6);
    assert.deepEqual(said.slice(0, 3), names);
    assert.equal(await strip.getByRole('listitem').count(), 6);
    await page.goto(`${server.url}/tasks/failed`);
    await settled(page);
    // On the page of a task the words stand beside the seal, and the button has both.
    const line = await page.locator('.proof').getByRole('button').evaluateAll((them) => them.map((it) => it.textContent.replaceAll(/\s+/g, ' ').trim()));
    assert.match(line[2], lang === 'en' ? /^tests contradicted/ : /^测试 不成立/);
    page.watch.clean();
    await page.context().close();
  }
});

const animations = (page) => page.evaluate(() => document.getAnimations().filter((it) => it.playState === 'running').length);

test('who wants no motion sees none', async () => {
  const [server] = served.at(-1);
  const moving = await visit(server, '/');
  // The twin: without the wish, the arc of what runs turns.
  assert.ok((await animations(moving)) > 0);
  await moving.context().close();
  const still = await visit(server, '/', { motion: 'reduce' });
  for (const at of ['/', '/tasks/runs']) {
    await still.goto(`${server.url}${at}`);
    await settled(still);
    assert.ok((await still.locator('.seal.running').count()) > 0, at);
    assert.equal(await animations(still), 0, at);
  }
  still.watch.clean();
  await still.context().close();
});

test('with forced colours the seals are there', async () => {
  const [server] = served[0];
  const page = await visit(server, '/', { forced: true });
  const seals = page.locator('[data-task=liar] .seal');
  const [canvas, ink] = await page.evaluate(() => {
    const probe = document.createElement('p');
    probe.setAttribute('class', 'probe');
    document.body.append(probe);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.probe { color: CanvasText; background: Canvas }');
    document.adoptedStyleSheets = [sheet];
    const { color, backgroundColor } = getComputedStyle(probe);
    return [backgroundColor, color];
  });
  assert.notEqual(canvas, ink);
  for (const it of await seals.all()) {
    assert.equal(await it.evaluate((element) => getComputedStyle(element).color), ink);
    const box = await it.boundingBox();
    assert.ok(box.width >= 12 && box.height >= 12);
  }
  page.watch.clean();
  await page.context().close();
});

/// What can be pressed and Tab does not come to. Of a list with a roving focus one row is enough.
async function unreachable(page) {
  const count = await page.evaluate(() => {
    const can = (it) => it.checkVisibility({ visibilityProperty: true }) && !it.disabled && !it.closest('[inert]');
    window.open_ = [...document.querySelectorAll('a[href], button, input, textarea, select, summary, [role=tab], [role=option], [role=row][tabindex]')].filter(can);
    window.reached = new Set();
    document.activeElement?.blur();
    scrollTo(0, 0);
    return window.open_.length;
  });
  for (let step = 0; step < count + 20; step += 1) {
    await page.keyboard.press('Tab');
    const isOver = await page.evaluate(() => {
      const it = document.activeElement;
      const again = window.reached.has(it);
      window.reached.add(it);
      return again || it === document.body;
    });
    if (isOver && step > 0) break;
  }
  return page.evaluate(() => {
    const roving = (it) => it.closest('[role=grid], [role=listbox], [role=tablist]') ?? (it.type === 'radio' ? it.closest('fieldset') : null);
    const reached = [...window.reached];
    return window.open_.filter((it) => it.isConnected && !window.reached.has(it) && !(roving(it) && reached.some((other) => roving(it).contains(other)))).map((it) => it.outerHTML.slice(0, 100));
  });
}
