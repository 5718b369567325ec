// Both languages: every view in Chinese, switched without losing anything.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled, visit } from './browser.js';
import { Server } from './server.js';
import { WORLDS } from './views.js';
import { until } from './world.js';

let served;
before(async () => {
  served = [];
  for (const [make, views] of WORLDS) served.push([await Server.start(await make()), views]);
});
after(async () => {
  for (const [server] of served ?? []) await server.world.end();
  await closeBrowser();
});

/// Names that are written the same in every language.
const NAMES = new Set(['provost', 'en', 'utc', 'ac', 'us', 'p0', 'p1', 'p2', 'esc', 'json', 'git', 'id', 'kappa', 'usd', 'k']);

/// What fields show while they are empty: commands and places.
const EXAMPLES = new Set(['cargo test --workspace', 'docs/prd.md US-021', 'git push --force']);

/// Every word that an answer carried as a value: what people, agents and files are called.
function data(value, found = new Set()) {
  if (typeof value === 'string') for (const it of words(value)) found.add(it);
  else if (Array.isArray(value)) for (const it of value) data(it, found);
  else if (value && typeof value === 'object') {
    for (const [key, it] of Object.entries(value)) {
      // A code is what the page has a text for, and no value.
      if (key !== 'code') data(it, found);
      // What an entry of the audit chain says is shown with the names that it has there.
      if (key === 'said') for (const name of Object.keys(it ?? {})) data(name, found);
    }
  }
  return found;
}

const words = (text) => text.toLowerCase().match(/[a-z][a-z0-9]*/g)?.filter((it) => it.length > 1) ?? [];

/// The texts of the page with Latin letters, without those that are code.
const latin = (page) =>
  page.evaluate(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (/[A-Za-z]{2}/.test(node.data) && !element.closest('noscript, code, pre, kbd')) found.push(node.data.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (element.closest('code, pre')) continue;
      for (const name of ['aria-label', 'title', 'placeholder']) {
        const text = element.getAttribute(name);
        if (text && /[A-Za-z]{2}/.test(text)) found.push(text);
      }
    }
    return found;
  });

/// What is shown in Latin letters and is neither data nor a name.
async function foreign(page) {
  const known = data(page.answers);
  const isKnown = (word) => known.has(word) || NAMES.has(word);
  // Commands are typed, digests and names of states are what they are, in every language.
  const plain = (text) => text.replaceAll(/`[^`]*`|\bprovost .*|\b[0-9a-f]{7,8}\b|\b[A-Z][A-Z_0-9]+\b/g, ' ');
  return (await latin(page)).filter((text) => !EXAMPLES.has(text) && words(plain(text)).some((it) => !isKnown(it)));
}

/// A visit that keeps what the answers said.
async function reads(server, at, wish) {
  const page = await visit(server, at, {
    ...wish,
    expected: [404],
    before: (it) => {
      it.answers = [];
      it.on('response', async (response) => {
        if (new URL(response.url()).pathname.startsWith('/api/') && !response.url().includes('/stream')) it.answers.push(await response.json().catch(() => null));
      });
    },
  });
  return page;
}

test('every view in Chinese has no Latin words but data, and in neither language a code without a text', async () => {
  const found = [];
  for (const [server, views] of served) {
    const page = await reads(server, views[0][1], { lang: 'zh' });
    for (const [name, at] of views) {
      await page.evaluate(() => localStorage.setItem('provost.lang', 'zh'));
      await page.goto(`${server.url}${at}`);
      await settled(page);
      assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
      found.push(...(await foreign(page)).map((it) => `${name}: ${it}`), ...(await bare(page)).map((it) => `${name}, zh: ${it}`));
      await page.evaluate(() => import('/app/i18n.js').then((it) => it.choose('en')));
      await settled(page);
      found.push(...(await bare(page)).map((it) => `${name}, en: ${it}`));
    }
    page.watch.clean();
    await page.context().close();
  }
  assert.deepEqual(found, []);
});

// The twin: the same look at the page in English finds a great deal.
test('English words are noticed', async () => {
  const [server] = served[0];
  const page = await reads(server, '/tasks/ready', { lang: 'en' });
  assert.ok((await foreign(page)).length > 10);
  page.watch.clean();
  await page.context().close();
});

/// Texts that are a code, because the catalogue has no text for it.
const bare = (page) =>
  page.evaluate(() => {
    const found = [];
    const isCode = (text) => /(?:^|\s)(?:page|task|proof|desk|story|guard|learn|eval|adapter|refusal|git|vault|ignored)\.[a-z_]+(?:\.[a-z_]+)*(?:\s|$)/.test(text);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (isCode(node.data) && !node.parentElement.closest('code, pre, .mono, .link, [dir=auto]')) found.push(node.data);
    }
    for (const it of document.querySelectorAll('[title], [aria-label]')) {
      if (isCode(it.title) && !it.closest('.link')) found.push(it.title);
      if (isCode(it.getAttribute('aria-label') ?? '')) found.push(it.getAttribute('aria-label'));
    }
    return found;
  });

// The twin: a catalogue that lacks a text shows its code, and that is seen.
test('a code without a text is noticed', async () => {
  const [server] = served[0];
  const page = await visit(server, '/', { before: (it) => it.route('**/i18n/en.*json', async (route) => {
    const answer = await route.fetch();
    const { 'page.view_inbox': _, ...rest } = await answer.json();
    await route.fulfill({ response: answer, json: rest });
  }) });
  assert.deepEqual([...new Set(await bare(page))], ['page.view_inbox']);
  await page.context().close();
});

test('switching keeps the place, what was typed and the scroll', async () => {
  const [server] = served[0];
  const page = await visit(server, '/tasks/question', { height: 500 });
  await page.locator('.ask textarea').fill('both of them, 两个都要');
  await page.evaluate(() => scrollTo(0, 300));
  const before = await page.evaluate(() => ({ at: location.href, y: scrollY, node: document.querySelector('.ask textarea') && (window.kept = document.querySelector('.ask textarea')) !== null }));
  assert.ok(before.y > 100);
  const requests = page.watch.requests.length;
  await page.getByRole('button', { name: '中文' }).click();
  await until(() => page.locator('html').getAttribute('lang').then((it) => it === 'zh-CN'), 'Chinese');
  await settled(page);
  assert.equal(await page.locator('.ask textarea').inputValue(), 'both of them, 两个都要');
  const after = await page.evaluate(() => ({ at: location.href, y: scrollY, isSame: window.kept === document.querySelector('.ask textarea') }));
  assert.deepEqual([after.at, after.isSame], [before.at, true], 'the same place, the same box');
  assert.ok(Math.abs(after.y - before.y) < 60, `${before.y} and ${after.y}`);
  // Only texts are asked for; nothing is loaded again.
  assert.deepEqual(page.watch.requests.slice(requests).filter((it) => !it.includes('/i18n/')), []);
  // It is remembered, and switched back.
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  await page.getByRole('button', { name: 'EN', exact: true }).click();
  await until(() => page.locator('html').getAttribute('lang').then((it) => it === 'en'), 'English');
  page.watch.clean();
  await page.context().close();
});
