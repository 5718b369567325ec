// Orders of a person about more than a task: a criterion is done without, a case is resolved, what was
// learned is taken back. Each from its dialog, each once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled, visit } from './browser.js';
import { mission, plan } from './desks.js';
import { Server } from './server.js';
import { World, until } from './world.js';

const BOUND = { timeout: 240_000 };
const sent = [];

let world;
let server;
let person;
before(async () => {
  world = await World.make();
  await plan(world);
  await mission(world);
  server = await Server.start(world);
  person = (await server.ask('POST', '/api/session', { body: { token: server.token } })).json.person;
}, BOUND);
after(async () => {
  await world?.end();
  await closeBrowser();
});

async function open(at, wishes) {
  const page = await visit(server, at, wishes);
  page.sent = [];
  page.on('response', async (answer) => {
    const request = answer.request();
    if (request.method() !== 'POST') return;
    const it = { path: new URL(request.url()).pathname, status: answer.status(), body: request.postDataJSON() };
    page.sent.push(it);
    if (answer.ok()) sent.push(it);
  });
  return page;
}

/// The row of a criterion; its story is opened if it is not.
async function criterion(page, id) {
  const story = page.locator('.story').filter({ hasText: 'US-001' });
  await story.waitFor();
  if ((await story.locator('.sid').getAttribute('aria-expanded')) === 'false') await story.locator('.sid').click();
  return story.locator('.crits > li').filter({ hasText: id });
}

const dialog = (page) => page.getByRole('dialog');
const submit = (page) => dialog(page).locator('button[type=submit]');
const gone = (page) => dialog(page).waitFor({ state: 'detached' });

async function leave(page) {
  page.watch.clean();
  await page.context().close();
}

/// LOOP-A9: one entry of an action, with the person's name, and one line of the page's own.
function recorded(action) {
  const entries = world.audit().filter((it) => it.action === action);
  const told = world.actions().filter((it) => it.action === action);
  assert.deepEqual([entries.length, told.length], [1, 1], JSON.stringify(world.actions()));
  assert.deepEqual(entries[0].actor, { source: 'web', id: person });
  assert.deepEqual([told[0].source, told[0].actor], ['web', person]);
  assert.equal(told[0].request_id, entries[0].request_id);
}

// LOOP-A9, LOOP-U5.
test('a criterion is waived with a reason, once', BOUND, async () => {
  const page = await open('/stories');
  const row = await criterion(page, 'AC-2');
  await row.getByRole('button', { name: /without/i }).click();
  assert.match(await dialog(page).innerText(), /US-001 AC-2/);
  // Without a reason nothing is sent.
  await submit(page).click();
  assert.ok(await dialog(page).isVisible());
  assert.deepEqual(page.sent, []);
  await dialog(page).locator('textarea').fill('somebody looked at it <b>');
  await submit(page).dblclick();
  await gone(page);
  assert.deepEqual(page.sent.map((it) => it.status), [200]);
  recorded('story.waive');
  const [story] = (await server.get('/api/stories')).json.plans[0].stories;
  const { label, waived } = (await server.get(`/api/stories/${story.key}`)).json.evidence[1];
  assert.deepEqual([label, waived.reason], ['WAIVED', 'somebody looked at it <b>']);
  await row.getByText('somebody looked at it <b>').waitFor();
  assert.equal(await row.getByRole('button', { name: /without/i }).count(), 0, 'what is waived is not offered');
  await leave(page);
});

// A refused order leaves its text where it is.
test('a waiver that is refused keeps its text', BOUND, async () => {
  const page = await open('/stories', { expected: [409] });
  const used = sent.find((it) => it.path.endsWith('/waivers')).body.request_id;
  await page.route('**/waivers', (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), request_id: used }) }),
  );
  await (await criterion(page, 'AC-1')).getByRole('button', { name: /without/i }).click();
  const box = dialog(page).locator('textarea');
  await box.fill('another reason');
  await submit(page).click();
  await dialog(page).getByText('request_id_reused').waitFor();
  assert.equal(await box.inputValue(), 'another reason');
  recorded('story.waive');
  await leave(page);
});

// LOOP-A9, LOOP-U5.
test('a case is resolved, once', BOUND, async () => {
  const page = await open('/learn');
  const row = page.locator('li').filter({ hasText: 'odd-1::fail' });
  await row.getByRole('button').click();
  await dialog(page).getByRole('radio', { name: /the label is wrong/ }).check();
  await submit(page).dblclick();
  await gone(page);
  assert.deepEqual(page.sent.map((it) => it.status), [200]);
  recorded('learn.resolve');
  await until(async () => (await server.get('/api/learn/demo')).json.queue[0].resolution === 'label_wrong', 'the resolution');
  await row.getByText('the label is wrong').waitFor();
  await leave(page);
});

// LOOP-A9, LOOP-U5.
test('what was learned is taken back, once', BOUND, async () => {
  const step = async () => (await server.get('/api/learn/demo')).json.step;
  const before = await step();
  const page = await open('/learn');
  await page.getByRole('button', { name: 'Take back' }).click();
  await submit(page).dblclick();
  await gone(page);
  assert.deepEqual(page.sent.map((it) => it.status), [200]);
  recorded('learn.rollback');
  assert.notEqual(await step(), before);
  await settled(page);
  await leave(page);
});

// LOOP-U5: also when the server is another one.
test('a replay after a restart does nothing', BOUND, async () => {
  assert.equal(sent.length, 3);
  await server.restart();
  const before = world.digests();
  for (const { path, body } of sent) {
    const again = await server.post(path, body);
    assert.deepEqual([again.status, again.json.deduplicated], [200, true], again.text);
  }
  assert.deepEqual(world.digests(), before);
  // The twin: under a number of its own it is another order.
  const { path, body } = sent.find((it) => it.path.endsWith('/resolve'));
  const another = { ...body, resolution: 'rule_gap', request_id: crypto.randomUUID() };
  const other = await server.post(path, another);
  assert.deepEqual([other.status, other.json.deduplicated], [200, false], other.text);
  assert.notDeepEqual(world.digests(), before);
});
