// Who may ask: the key, the name of the host, and where a request comes from.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';

import { browser, closeBrowser, visit } from './browser.js';
import { ABSENT, VALUES, gallery } from './gallery.js';
import { Server, routes } from './server.js';

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

const OPEN = ['/api/health', '/api/openapi.json', '/api/session'];

/// Every address of the description with its method.
async function everything() {
  const found = [];
  for (const method of ['get', 'post', 'put', 'delete']) {
    for (const it of await routes(server, VALUES, method)) found.push({ ...it, method: method.toUpperCase() });
  }
  return found;
}

// LOOP-A13: without a key nothing is told, whatever is asked.
test('no key, a wrong key and the token itself open nothing', async () => {
  const keys = [undefined, 'x', 'a'.repeat(64), server.token, `${await server.session()}x`];
  for (const { route, path, method } of await everything()) {
    if (OPEN.includes(route)) continue;
    for (const key of keys) {
      const body = method === 'GET' ? undefined : {};
      const answer = await server.ask(method, path, { key, body });
      assert.equal(answer.status, 401, `${method} ${path}`);
      assert.equal(answer.bytes.length, 0, `${method} ${path} tells ${answer.text}`);
    }
  }
});

// LOOP-A13: the twin: with the key the same addresses answer.
test('with a key the same addresses answer', async () => {
  for (const { path, route } of await routes(server, VALUES)) {
    if (route === '/api/stream' || ABSENT.test(route)) continue;
    assert.equal((await server.get(path)).status, 200, path);
  }
});

// LOOP-A13.
test('a key of an earlier run and a key that was ended open nothing', async () => {
  const key = await server.session();
  await server.restart();
  assert.equal((await server.ask('GET', '/api/tasks', { key })).status, 401);
  const own = await server.session();
  assert.equal((await server.ask('GET', '/api/tasks', { key: own })).status, 200);
  const ended = await server.ask('DELETE', '/api/session', { key: own });
  assert.ok(ended.status < 300, `${ended.status}`);
  assert.equal((await server.ask('GET', '/api/tasks', { key: own })).status, 401);
  server.key = undefined;
});

// LOOP-A13: a name that was made to lead here is not ours.
test('a foreign host is refused on every address', async () => {
  const key = await server.session();
  for (const host of ['evil.example', `evil.example:${server.port}`, '127.0.0.1', `127.0.0.1:${server.port + 1}`, `localhost.evil.example:${server.port}`]) {
    for (const path of ['/', '/api/health', '/api/tasks', '/vendor/preact.js', '/i18n/en.json']) {
      const answer = await server.ask('GET', path, { key, headers: { Host: host } });
      assert.equal(answer.status, 421, `${host} ${path}`);
      assert.ok(!answer.text.includes('ready'), answer.text);
    }
  }
  const ours = await server.ask('GET', '/api/tasks', { key, headers: { Host: `localhost:${server.port}` } });
  assert.equal(ours.status, 200);
});

// LOOP-A13: another port of this machine is another program.
test('a foreign origin is refused, with a key too', async () => {
  const key = await server.session();
  const before = world.bytes();
  const foreign = [
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Origin: `https://127.0.0.1:${server.port}` },
    { Origin: `http://127.0.0.1:${server.port + 1}` },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];
  for (const headers of foreign) {
    for (const [method, path] of [['GET', '/api/tasks'], ['POST', '/api/tasks/ready/orders'], ['POST', '/api/session'], ['OPTIONS', '/api/tasks']]) {
      const body = method === 'POST' ? { token: server.token } : undefined;
      const answer = await server.ask(method, path, { key, headers, body });
      assert.equal(answer.status, 403, `${JSON.stringify(headers)} ${method} ${path}`);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
  }
  assert.deepEqual(world.bytes(), before);
  const own = { Origin: server.url, 'Sec-Fetch-Site': 'same-origin' };
  assert.equal((await server.ask('GET', '/api/tasks', { key, headers: own })).status, 200);
});

// LOOP-A13: a page of another program on this machine, in a real browser.
test('a page of another origin can read and change nothing', async () => {
  const other = http.createServer((request, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end('<!doctype html><title>other</title><p>other</p>');
  });
  // A test that fails must not keep its process alive.
  await new Promise((resolve) => other.unref().listen(0, '127.0.0.1', resolve));
  const page = await (await browser()).newPage();
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const before = world.bytes();
  const tried = await page.evaluate(
    async ({ url, key }) => {
      const attempt = async (path, options) => {
        try {
          const answer = await fetch(`${url}${path}`, options);
          return `read: ${answer.status} ${await answer.text()}`;
        } catch {
          return 'refused';
        }
      };
      const headers = { Authorization: `Bearer ${key}` };
      return [
        await attempt('/api/health'),
        await attempt('/api/tasks', { headers }),
        await attempt('/api/tasks/ready/orders', { method: 'POST', headers, body: '{}' }),
        await attempt('/api/tasks/ready/orders', { method: 'POST', mode: 'no-cors', body: '{}' }).then((it) => it.replace('read: 0 ', 'refused')),
      ];
    },
    { url: server.url, key: await server.session() },
  );
  assert.deepEqual(tried, ['refused', 'refused', 'refused', 'refused']);
  // Nor can it frame the page.
  const framed = await page.evaluate(async (url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    try {
      return frame.contentDocument?.body?.innerText ?? 'nothing';
    } catch {
      return 'nothing';
    }
  }, server.url);
  assert.ok(!framed.includes('ready'), framed);
  assert.deepEqual(world.bytes(), before);
  await page.close();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

// LOOP-A13: the token is traded once, and is nowhere afterwards.
test('the token is in no log, no header, no file and no history entry', async () => {
  const page = await visit(server, '/', {
    before: async (it) => {
      it.sent = [];
      it.on('request', (request) => it.sent.push(request.url(), JSON.stringify(request.headers())));
    },
  });
  assert.ok(!page.url().includes(server.token), page.url());
  await page.goto(`${server.url}/tasks/ready`);
  await page.goBack();
  assert.ok(!page.url().includes(server.token), page.url());
  assert.ok(!page.sent.some((it) => it.includes(server.token)));
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!kept.includes(server.token));
  assert.equal(await page.evaluate(() => document.cookie), '');
  const key = /[0-9a-f]{64}/.exec(kept)?.[0];
  assert.ok(key, 'the page keeps its key');
  for (const [name, bytes] of Object.entries(world.bytes('.'))) {
    const text = Buffer.from(bytes, 'base64').toString('latin1');
    assert.ok(!text.includes(server.token) && !text.includes(key), name);
  }
  assert.equal(server.log.split(server.token).length, 2, 'it is printed once, for the person');
  page.watch.clean();
  await page.context().close();
});

// LOOP-A13.
test('a stranger sees the way in and nothing else', async () => {
  const page = await visit(server, '/', { isStranger: true, expected: [401] });
  await page.goto(server.url);
  await page.locator('input').first().waitFor();
  assert.ok(!(await page.locator('body').innerText()).includes('question'));
  await page.context().close();
});

// What a person reads who pastes the token of another run, or opens its address.
test('a wrong token is refused in a sentence, in both languages', async () => {
  for (const [lang, said] of [['en', /the token is not that of this server/i], ['zh', /令牌不属于此服务器/]]) {
    const page = await visit(server, '/', { lang, isStranger: true, expected: [401] });
    await page.goto(`${server.url}/#token=0123`);
    await page.locator('.login', { hasText: said }).waitFor();
    await page.goto(server.url);
    await page.locator('input').fill('4567');
    await page.keyboard.press('Enter');
    await page.locator('.login', { hasText: said }).waitFor();
    await page.context().close();
  }
});

// LOOP-A13: a wrong address is refused before anything listens.
test('another machine reaches nothing unless it was asked for', async () => {
  const refused = await world.provost('serve', '--listen', '0.0.0.0:0');
  assert.notEqual(refused.exit, 0);
  assert.match(refused.text, /--allow-remote/);
});

test('an answer says nothing about files', async () => {
  for (const path of ['/api/tasks/none', '/api/tasks/..%2f..%2fetc', '/app/../Cargo.toml', '/app/%2e%2e/%2e%2e/etc/passwd', '/vendor/none.js', '/api/tasks/ready/attempts/99']) {
    const answer = await server.get(path);
    assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
    assert.ok(!answer.text.includes(world.folder) && !answer.text.includes('root:'), answer.text);
  }
  assert.ok(fs.existsSync(world.folder));
});
