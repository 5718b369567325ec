// Agents that a new task can be given to: one that is known to work only in part, or is not installed,
// cannot be chosen, nor sent by hand (LOOP-A15).

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';

import { closeBrowser, visit } from './browser.js';
import { Server } from './server.js';
import { World } from './world.js';

const BOUND = { timeout: 180_000 };

let world;
let server;
let adapters;
before(async () => {
  world = await World.make();
  server = await Server.start(world, '--unguarded');
  ({ adapters } = (await server.get('/api/adapters')).json);
}, BOUND);
after(async () => {
  await world?.end();
  await closeBrowser();
});

const off = () => adapters.filter((it) => !it.available);
const on = () => adapters.filter((it) => it.available);
const tasks = () => (fs.existsSync(world.out()) ? fs.readdirSync(world.out()).filter((it) => !it.startsWith('_')) : []);

/// Sends a task for an agent, as a hand would.
function send(served, spec, run = false) {
  const whole = { schema_version: 'v1', goal: 'write 42', test_cmd: 'sh check.sh', ...spec };
  return served.post('/api/tasks', { request_id: crypto.randomUUID(), spec: whole, run });
}

// LOOP-A15: this machine has agents of each kind: partial ones, and ones that are not installed.
test('the list says of each agent whether it can be used, and why not', BOUND, () => {
  assert.ok(off().some((it) => it.support_level === 'PARTIAL'), JSON.stringify(adapters));
  assert.ok(off().some((it) => it.support_level === 'SUPPORTED'), 'one that is not installed');
  assert.ok(on().some((it) => it.name === 'c'));
  assert.deepEqual(off().filter((it) => !it.reason).map((it) => it.name), []);
});

// LOOP-A15.
test('one that cannot be used cannot be chosen', BOUND, async () => {
  const page = await visit(server, '/new');
  const radio = (role, name) => page.locator(`input[type=radio][name=${role}][value="${name}"]`);
  // They are folded away below those that can be used.
  for (const folded of await page.locator('fieldset.choice summary').all()) await folded.click();
  for (const it of off()) {
    for (const role of ['coder', 'judge']) {
      if ((await radio(role, it.name).count()) === 0) continue;
      assert.ok(await radio(role, it.name).isDisabled(), `${role} ${it.name}`);
      // Neither it nor its label takes a click.
      await radio(role, it.name).click({ force: true });
      await page.locator(`label[for="${await radio(role, it.name).getAttribute('id')}"]`).click({ force: true });
      assert.equal(await page.locator(`input[name=${role}]:checked`).getAttribute('value'), '', `${role} ${it.name}`);
    }
  }
  assert.ok((await page.locator('input[name=coder]:disabled').count()) >= 2);
  // The keys walk over it.
  await radio('coder', '').focus();
  const reached = new Set();
  for (let step = 0; step < adapters.length + 1; step += 1) {
    await page.keyboard.press('ArrowDown');
    reached.add(await page.locator('input[name=coder]:checked').getAttribute('value'));
  }
  assert.ok(reached.has('c') && off().every((it) => !reached.has(it.name)), [...reached].join());
  page.watch.clean();
  await page.context().close();
});

// LOOP-A15: the twin: one that can be used is chosen, and the task that is made names it.
test('one that can be used is chosen and sent', BOUND, async () => {
  const page = await visit(server, '/new');
  await page.getByLabel('Goal').fill('write 42 into answer.txt');
  await page.getByLabel('Name', { exact: true }).fill('chosen');
  await page.getByLabel('Test command').fill('sh check.sh');
  await page.locator('input[name=coder][value=c]').check();
  await page.locator('input[name=judge][value=j]').check();
  await page.getByRole('button', { name: 'Save only' }).click();
  await page.waitForURL('**/tasks/chosen');
  const spec = JSON.parse(fs.readFileSync(world.out('chosen/task.json'), 'utf8'));
  assert.deepEqual([spec.coder, spec.judge], ['c', 'j']);
  page.watch.clean();
  await page.context().close();
});

// LOOP-A15.
test('one that cannot be used is refused when it is sent by hand', BOUND, async () => {
  const before = tasks();
  for (const it of off()) {
    for (const run of [false, true]) {
      const answer = await send(server, { task_id: `by-hand-${it.name}`, coder: it.name, judge: 'j' }, run);
      assert.equal(answer.status, 422, `${it.name}: ${answer.text}`);
      assert.ok(answer.json.code, it.name);
    }
  }
  for (const it of off().filter((it) => it.support_level === 'PARTIAL')) {
    const answer = await send(server, { task_id: `judge-${it.name}`, coder: 'c', judge: it.name });
    assert.equal(answer.status, 422, `${it.name}: ${answer.text}`);
  }
  assert.deepEqual(tasks(), before, 'nothing was made');
});

// LOOP-A15: the twin: what is offered is also taken, and a partial one with leave.
test('what can be chosen is taken', BOUND, async () => {
  for (const it of on()) {
    const role = it.roles.includes('coder') ? { coder: it.name, judge: 'j' } : { coder: 'c', judge: it.name };
    const answer = await send(server, { task_id: `taken-${it.name}`, ...role });
    assert.equal(answer.status, 201, `${it.name}: ${answer.text}`);
  }
});

// LOOP-A15: a person may allow runs with partial ones.
test('with leave a partial agent is not refused for being partial', BOUND, async () => {
  const allowing = await Server.start(world, '--unguarded', { ALLOW_PARTIAL_RUN: 'true' });
  const partial = off().find((it) => it.support_level === 'PARTIAL');
  const code = async (served) => (await send(served, { task_id: 'with-leave', coder: partial.name, judge: 'j' })).json.code;
  assert.equal(await code(server), 'adapter.select.partial');
  assert.notEqual(await code(allowing), 'adapter.select.partial');
  await allowing.stop();
});
