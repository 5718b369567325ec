// The ways out of a refusal on the page: what waits, what is permitted, how the guard is set. The page
// shows the command of each and permits nothing itself.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { axe, closeBrowser, dress, refresh, settled, visit } from './browser.js';
import { faults } from './layout.js';
import { Server } from './server.js';
import { World, until } from './world.js';

const RESET = 'git reset --hard';

let world;
let server;
before(async () => {
  world = await World.make();
  world.write('repo/.provost/local.toml', '[guard]\nlevel = "strict"\npacks = { cloud = false }\n\n[[guard.rules]]\neffect = "deny"\ncommand = ["wget"]\n');
  server = await Server.start(world);
});
after(async () => {
  await world?.end();
  await closeBrowser();
});

const state = async () => (await server.get('/api/guard/state')).json;
const part = (page, name) => page.locator('.sect').filter({ has: page.getByRole('heading', { name, exact: true }) });
const setting = (page, name) => page.locator('.side dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]').innerText();

async function shows(page, name, count) {
  await refresh(page);
  await settled(page);
  await until(async () => (await part(page, name).locator('li').count()) === count, `${count} under ${name}`, 10_000);
}

// KEEP-1: from the refusal over the permission to the call that passes, without an order of the page.
test('a refusal waits with its command, a permission is shown and used up', async () => {
  const page = await visit(server, '/guard');
  assert.deepEqual([await setting(page, 'level'), await setting(page, 'cloud'), await setting(page, 'git')], ['strict', 'off, recorded only', 'on']);
  assert.equal(await setting(page, 'rules of your own'), '1');
  assert.equal(await part(page, 'Waits to be permitted').count(), 0);
  await page.getByText('Nothing waits to be permitted, and nothing is.').waitFor();

  await world.calls(RESET);
  await shows(page, 'Waits to be permitted', 1);
  const [{ code, command }] = (await state()).homes[0].refusals;
  assert.equal(command, `provost guard allow ${code} --because "…"`);
  const waits = await part(page, 'Waits to be permitted').innerText();
  for (const it of [code, RESET, 'git.reset-hard', 'Bash', world.path('repo'), command]) assert.ok(waits.includes(it), `${it} in ${waits}`);
  await page.locator('.tbl').getByText(`waits to be permitted: ${code}`).waitFor();
  assert.deepEqual(await faults(page), []);

  await world.typed('guard', 'allow', code, '--because', 'the branch is generated');
  await shows(page, 'Permitted', 1);
  assert.equal(await part(page, 'Waits to be permitted').count(), 0);
  const permitted = await part(page, 'Permitted').innerText();
  for (const it of ['once', code, RESET, 'the branch is generated', `provost guard deny ${code} --because "…"`]) assert.ok(permitted.includes(it), `${it} in ${permitted}`);

  assert.equal((await world.calls(RESET)).exit, 0);
  await shows(page, 'Permitted', 0);
  await page.getByRole('button', { name: /^Passed/ }).click();
  await page.locator('.tbl').getByText(`permitted once: ${code}`).waitFor();
  // Only reads were sent.
  assert.deepEqual(world.actions(), []);
  page.watch.clean();
  await page.context().close();
});

// KEEP-1: what holds for longer is shown with the command that ends it, on a phone and in Chinese, too.
test('trusted paths and a snooze are shown with the command that ends them', async () => {
  const path = '/srv/samples';
  await world.typed('guard', 'trust', path, '--because', '所有项目的样例');
  await world.typed('guard', 'snooze', '60', '--because', 'I am watching');
  await world.calls('git clean -fdx');
  for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
    const page = await visit(server, '/guard', { width });
    await shows(page, 'Permitted', 2);
    const permitted = await part(page, 'Permitted').innerText();
    for (const it of ['no questions', 'I am watching', 'provost guard snooze --off --because "…"', path, `provost guard trust ${path} --remove --because "…"`]) assert.ok(permitted.includes(it), `${it} in ${permitted}`);
    await dress(page, scheme, 'zh');
    await part(page, '等待允许').getByText('git clean -fdx').first().waitFor();
    await part(page, '已允许').getByText('所有项目的样例').waitFor();
    assert.deepEqual([...(await faults(page)), ...(await axe(page))], []);
    page.watch.clean();
    await page.context().close();
  }
});

// The page is open for longer than a code holds: it asks again by itself.
test('a new refusal appears by itself', async () => {
  const page = await visit(server, '/guard');
  const before = await part(page, 'Waits to be permitted').locator('li').count();
  await world.calls('git push --force');
  await until(async () => (await part(page, 'Waits to be permitted').locator('li').count()) === before + 1, 'the refusal', 30_000);
  await page.locator('.tbl').getByText('git push --force').first().waitFor();
  page.watch.clean();
  await page.context().close();
});
