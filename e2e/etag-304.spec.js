// Conditional answers: strong validators from content, and a page that nothing moves on.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';

import { closeBrowser, mutations, observe, refresh, visit } from './browser.js';
import { ABSENT, VALUES, gallery } from './gallery.js';
import { Server, routes } from './server.js';
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

/// The addresses that are asked again and again, without the stream and without what tells the time.
async function asked() {
  const all = await routes(server, VALUES);
  return all.filter((it) => !['/api/stream', '/api/health'].includes(it.route) && !ABSENT.test(it.route)).map((it) => it.path);
}

/// What is wrong with how one address answers; nothing where all is well.
async function faults(ask, path) {
  const first = await ask(path);
  if (first.status !== 200) return [`${path}: ${first.status} ${first.text.slice(0, 200)}`];
  const { etag } = first.headers;
  if (!/^"[!#-~]+"$/.test(etag ?? '')) return [`${path}: no strong ETag but ${etag}`];
  const found = [];
  const again = await ask(path);
  if (again.headers.etag !== etag) found.push(`${path}: the same content has another ETag`);
  for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const known = await ask(path, { headers: { 'If-None-Match': condition } });
    if (known.status !== 304) found.push(`${path}: ${known.status} for If-None-Match ${condition}`);
    if (known.bytes.length > 0) found.push(`${path}: a 304 with a body`);
    if (known.headers.etag !== etag) found.push(`${path}: a 304 without its ETag`);
  }
  const other = await ask(path, { headers: { 'If-None-Match': '"other"' } });
  if (other.status !== 200) found.push(`${path}: ${other.status} for another ETag`);
  if (other.bytes.compare(first.bytes) !== 0) found.push(`${path}: other bytes`);
  return found;
}

// LOOP-U8: for every GET of the server's own description.
test('every answer has a strong validator, and 304 is empty', async () => {
  const paths = await asked();
  assert.ok(paths.length >= 8, `only ${paths.length} routes`);
  const found = [];
  for (const path of paths) found.push(...(await faults((...it) => server.get(...it), path)));
  assert.deepEqual(found, []);
});

// LOOP-U8: the twin: a server without validators, and one that answers 304 with a body, are noticed.
test('a server without validators is noticed', async () => {
  const careless = http.createServer((request, answer) => answer.end('{}'));
  await new Promise((resolve) => careless.unref().listen(0, '127.0.0.1', resolve));
  const ask = (path, more) => Server.prototype.ask.call({ port: careless.address().port }, 'GET', path, more);
  assert.deepEqual(await faults(ask, '/x'), ['/x: no strong ETag but undefined']);
  await new Promise((resolve) => careless.close(resolve));

  let count = 0;
  const moving = http.createServer((request, answer) => {
    answer.setHeader('ETag', `"${(count += 1)}"`);
    answer.end('{}');
  });
  await new Promise((resolve) => moving.unref().listen(0, '127.0.0.1', resolve));
  const asking = (path, more) => Server.prototype.ask.call({ port: moving.address().port }, 'GET', path, more);
  assert.ok((await faults(asking, '/x')).length >= 5);
  await new Promise((resolve) => moving.close(resolve));
});

// LOOP-U8: a validator comes from content: not from the process, and not from times of files.
test('the same content has the same validator after a restart and after touch', async () => {
  const paths = await asked();
  const tags = async () => {
    const found = {};
    for (const path of paths) found[path] = (await server.get(path)).headers.etag;
    return found;
  };
  const first = await tags();
  const later = new Date(Date.now() + 60_000);
  for (const task of ['ready', 'liar', 'question']) {
    for (const file of ['status.json', 'task.json', 'events.jsonl']) {
      fs.utimesSync(world.out(task, file), later, later);
    }
  }
  assert.deepEqual(await tags(), first);
  await server.restart();
  assert.deepEqual(await tags(), first);
});

// LOOP-U8.
test('another content has another validator', async () => {
  const own = await World.make();
  try {
    own.judge(scored('PASS'));
    await own.run('one', { task_type: 'engineering_impl' });
    const served = await Server.start(own);
    const tags = async () => {
      const found = [];
      for (const path of ['/api/tasks', '/api/inbox', '/api/tasks/one']) {
        found.push((await served.get(path)).headers.etag);
      }
      return found;
    };
    const old = await tags();
    await own.order('approve', 'one');
    await until(async () => (await tags()).every((it, at) => it !== old[at]), 'new validators', 10_000);
    const known = await served.get('/api/tasks/one', { headers: { 'If-None-Match': old[2] } });
    assert.equal(known.status, 200);
  } finally {
    await own.end();
  }
});

/// Lets the page ask again, as its stream does, until it has had so many answers of 304.
async function quiet(page, wanted) {
  const count = () => page.watch.answers.filter((it) => it.status === 304).length;
  const start = count();
  await until(async () => {
    await refresh(page);
    return count() - start >= wanted;
  }, `${wanted} answers of 304`);
}

// LOOP-U8: in a browser, counted by an observer on the whole document.
for (const [name, at] of [
  ['the list', '/'],
  ['a task with its log', '/tasks/ready'],
  ['the inbox', '/inbox'],
]) {
  test(`twenty answers of 304 move nothing on ${name}`, async () => {
    const page = await visit(server, at, { before: (it) => it.clock.install() });
    // The first answers after the stream opened may still come.
    await quiet(page, 3);
    // Ages grow with time, whatever is answered: so time stands still from here on.
    await page.clock.pauseAt(Date.now() + 2_000);
    await quiet(page, 3);
    await observe(page);
    await quiet(page, 20);
    assert.deepEqual(await mutations(page), []);
    page.watch.clean();
    await page.context().close();
  });
}

// LOOP-U8: the twin: a page that writes a row again although nothing changed is noticed.
test('a row that is written again is noticed', async () => {
  const page = await visit(server, '/');
  await observe(page);
  await page.evaluate(() => {
    const row = [...document.querySelectorAll('a, td, li')].find((it) => it.textContent.includes('ready'));
    row.textContent = row.textContent;
  });
  await until(async () => (await mutations(page)).length > 0, 'a mutation');
  await page.context().close();
});
