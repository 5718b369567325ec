// A server that takes no orders: none is on its pages, and none is taken that is sent by hand.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled, visit } from './browser.js';
import { mission, plan } from './desks.js';
import { Server, routes } from './server.js';
import { World, plain, until } from './world.js';

const BOUND = { timeout: 240_000 };

let world;
let server;
before(async () => {
  world = await World.make();
  await world.run('ready');
  world.judge(plain('NEED_USER_INPUT', { questions_for_user: ['Which one?'] }));
  await world.run('question', {}, 'PAUSED');
  await plan(world);
  await mission(world);
  server = await Server.start(world, '--read-only');
}, BOUND);
after(async () => {
  await world?.end();
  await closeBrowser();
});

/// Views with something to order, and those that only show.
const ORDERED = ['/', '/inbox', '/tasks/ready', '/tasks/question', '/stories', '/learn', '/new'];
const VIEWS = [...ORDERED, '/evals', '/guard', '/audit'];

/// What gives an order, or opens a dialog for one.
const ORDERS = '[data-order], .act button, [aria-haspopup=dialog], textarea, form.form, .btn.yes, .btn.danger, a[href="/new"]';

async function orders(page) {
  await settled(page);
  // A story that is closed shows what can be ordered when it is open.
  const closed = page.locator('main .sid[aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
  await settled(page);
  return page.locator('main').locator(ORDERS).evaluateAll((them) => them.map((it) => it.outerHTML.slice(0, 120)));
}

test('no page has an order', BOUND, async () => {
  const page = await visit(server, '/');
  for (const view of VIEWS) {
    await page.goto(`${server.url}${view}`);
    await page.getByText('Read-only.', { exact: false }).first().waitFor();
    assert.deepEqual(await orders(page), [], view);
  }
  page.watch.clean();
  await page.context().close();
});

test('what to type instead is shown', BOUND, async () => {
  const page = await visit(server, '/tasks/ready');
  await page.getByText('provost approve ready').first().waitFor();
  await page.goto(`${server.url}/tasks/question`);
  await page.getByText('provost answer question').first().waitFor();
  page.watch.clean();
  await page.context().close();
});

test('no key gives an order', BOUND, async () => {
  const page = await visit(server, '/tasks/ready');
  const sent = [];
  page.on('request', (it) => it.method() === 'POST' && sent.push(it.url()));
  for (const key of ['a', 'x', 'r', 'p', 'l']) {
    await page.keyboard.press(key);
    await settled(page);
    assert.equal(await page.getByRole('dialog').count(), 0, key);
  }
  // The palette has ways, and no orders.
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  assert.equal(await page.getByRole('option').filter({ hasText: 'provost approve' }).count(), 0);
  assert.deepEqual(sent, []);
  page.watch.clean();
  await page.context().close();
});

// The twin: the same look finds orders where they are taken, and the same keys open them.
test('a server that takes orders shows them', BOUND, async () => {
  const taking = await Server.start(world, '--unguarded');
  const page = await visit(taking, '/');
  for (const view of ORDERED) {
    await page.goto(`${taking.url}${view}`);
    await until(async () => (await orders(page)).length > 0, `an order on ${view}`, 20_000);
  }
  await page.goto(`${taking.url}/tasks/ready`);
  await page.locator('[data-order=APPROVE]').first().waitFor();
  await page.keyboard.press('a');
  await page.getByRole('dialog').waitFor();
  page.watch.clean();
  await page.context().close();
  await taking.stop();
});

/// A body that would be taken, for each write.
const BODIES = {
  '/api/tasks': { spec: { task_id: 'made', goal: 'x', coder: 'c' }, run: false },
  '/api/tasks/{id}/orders': { action: 'APPROVE', seen: { attempt: 1, state_version: 1 } },
  '/api/tasks/{id}/spec': { spec: { max_attempts: 7 } },
  '/api/tasks/{id}/user_input': { text: 'x' },
  '/api/tasks/{id}/runtime_overrides': { overrides: { max_attempts: 7 } },
  '/api/tasks/{id}/overrides/rollback': {},
  '/api/task/{id}/control': { action: 'RESET' },
  '/api/stories/{key}/waivers': { criterion: 'AC-2', because: 'x' },
  '/api/learn/{mission}/rollback': { step: 0 },
  '/api/learn/{mission}/resolve': { ticket_key: 'odd-1::fail', resolution: 'label_wrong' },
};
const VALUES = { id: 'ready', key: 'US-001', mission: 'demo' };

/// Every write of the server's own description.
async function writes(served) {
  const found = [];
  for (const method of ['post', 'put', 'delete', 'patch']) {
    for (const it of await routes(served, VALUES, method)) if (it.writes) found.push({ ...it, method: method.toUpperCase() });
  }
  return found;
}

// LOOP-A9: a write that is refused is recorded, and nothing else is written.
test('every write is refused, recorded, and changes nothing', BOUND, async () => {
  const all = await writes(server);
  assert.deepEqual(all.map((it) => it.route).sort(), Object.keys(BODIES).sort());
  const { person } = (await server.ask('POST', '/api/session', { body: { token: server.token } })).json;
  const before = world.digests('.', ['_audit']);
  for (const { route, path, method } of all) {
    const request_id = crypto.randomUUID();
    const named = route.endsWith('/control') ? { nonce: request_id } : { request_id };
    const answer = await server.ask(method, path, { key: await server.session(), body: { ...named, ...BODIES[route] } });
    assert.deepEqual([answer.status, answer.json.code], [403, 'read_only'], `${method} ${path}: ${answer.text}`);
    const entry = world.audit().at(-1);
    assert.deepEqual([entry.action, entry.actor], ['order.refused', { source: 'web', id: person }], path);
    assert.equal(entry.detail.refused, 'read_only', path);
    const told = world.actions().at(-1);
    assert.deepEqual([told.action, told.source, told.actor, told.audit.seq], ['order.refused', 'web', person, entry.seq], path);
    if (named.request_id) assert.equal(entry.request_id, request_id, path);
  }
  assert.equal(world.audit().filter((it) => it.action === 'order.refused').length, all.length);
  assert.deepEqual(world.digests('.', ['_audit']), before);
  assert.equal((await world.provost('audit', 'verify')).exit, 0);
});

// The twin: the same bodies have their effect where orders are taken, and the bytes tell.
test('the same writes are taken elsewhere, and the bytes tell', BOUND, async () => {
  const taking = await Server.start(world, '--unguarded');
  const key = await taking.session();
  const before = world.digests('.', ['_audit']);
  assert.equal((await taking.order('ready', 'APPROVE')).status, 200);
  assert.notDeepEqual(world.digests('.', ['_audit']), before);
  const refused = [];
  for (const { route, path, method } of await writes(taking)) {
    const request_id = crypto.randomUUID();
    const named = route.endsWith('/control') ? { nonce: request_id } : { request_id };
    const answer = await taking.ask(method, path, { key, body: { ...named, ...BODIES[route] } });
    if (answer.status === 403) refused.push(path);
  }
  assert.deepEqual(refused, []);
  await taking.stop();
});
