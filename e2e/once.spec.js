// An order has one effect, however often it is clicked or sent, and is about what was seen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { closeBrowser, settled } from './browser.js';
import { Person, answered, button, confirm, dialog, gone, leave, of } from './ordering.js';
import { Server } from './server.js';
import { World, plain, until } from './world.js';

const QUESTION = plain('NEED_USER_INPUT', { questions_for_user: ['The left one or the right one?'] });
const BOUND = { timeout: 240_000 };

let world;
let server;
let person;
before(async () => {
  world = await World.make();
  for (const id of ['lost', 'torn', 'moves']) await world.run(id);
  world.judge(QUESTION);
  for (const id of ['twice', 'answered', 'reused']) await world.run(id, {}, 'PAUSED');
  world.judge(plain('PASS'));
  server = await Server.start(world, '--unguarded');
  person = new Person(server);
}, BOUND);
after(async () => {
  await world?.end();
  await closeBrowser();
});

// LOOP-U5.
test('a double click answers once', BOUND, async () => {
  const page = await person.open('twice');
  await page.locator('.ask textarea').fill('the right one');
  await page.locator('.ask button[type=submit]').dblclick();
  await answered(page, 1);
  await settled(page);
  assert.equal(page.sent.length, 1);
  assert.equal(person.answers('twice'), 1);
  await person.recorded('twice', 'answer');
  await leave(page);
});

// LOOP-U5: an answer that got lost on its way is not a reason to do it again.
test('an order whose answer was lost is sent again under its number', BOUND, async () => {
  const page = await person.open('lost');
  let cut = 0;
  await page.route('**/orders', async (route) => {
    if (cut > 0) return route.continue();
    cut += 1;
    await route.fetch();
    return route.abort('connectionreset');
  });
  const ids = [];
  page.on('request', (it) => it.url().endsWith('/orders') && ids.push(it.postDataJSON().request_id));
  await button(page, 'APPROVE').click();
  await confirm(page).click();
  await dialog(page).getByRole('alert').waitFor();
  assert.equal(world.status('lost').review.outcome, 'approved', 'the server took it');
  await confirm(page).click();
  await gone(page);
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1], 'the same order');
  await answered(page, 1);
  assert.deepEqual(page.sent.map((it) => it.answer.deduplicated), [true]);
  await person.recorded('lost', 'approve');
  await leave(page);
});

// LOOP-U5.
test('a reload in between leaves one effect', BOUND, async () => {
  const page = await person.open('torn');
  let body;
  let reached;
  const taken = new Promise((resolve) => (reached = resolve));
  await page.route('**/orders', async (route) => {
    body = route.request().postDataJSON();
    await route.fetch();
    reached();
    // The answer never comes: the page is gone first.
  });
  await button(page, 'APPROVE').click();
  await confirm(page).click();
  await taken;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await settled(page);
  assert.equal(await button(page, 'APPROVE').count(), 0, 'what is done is not offered');
  await person.recorded('torn', 'approve');
  // Nor does the same request do anything again.
  assert.equal((await person.replay(body, 'torn')).json.deduplicated, true);
  await person.recorded('torn', 'approve');
  await leave(page);
});

// LOOP-U5: the twin: another request is another order, and is refused or counted.
test('a request of its own is an order of its own', BOUND, async () => {
  const seen = await server.seen('answered');
  const body = (text) => ({ request_id: crypto.randomUUID(), action: 'ANSWER', payload: { text }, seen });
  assert.equal((await person.replay(body('one'), 'answered')).json.deduplicated, false);
  assert.equal((await person.replay(body('two'), 'answered')).json.deduplicated, false);
  assert.equal(person.answers('answered'), 2);
  await person.recorded('answered', 'answer', 2);
});

// LOOP-U5: the same number for other words is a mistake of somebody, and nothing is lost by it.
test('another body under a number that was used is refused, and the text stays', BOUND, async () => {
  const page = await person.open('reused', { expected: [409] });
  const id = crypto.randomUUID();
  const used = await server.order('reused', 'ANSWER', { text: 'the first' }, { request_id: id });
  assert.equal(used.json.deduplicated, false, used.text);
  await page.reload();
  await settled(page);
  await page.route('**/orders', (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), request_id: id }) }),
  );
  const box = await toAnswer(page);
  await box.fill('quite another text');
  await box.press('Control+Enter');
  await page.getByText('request_id_reused').waitFor();
  assert.equal(await box.inputValue(), 'quite another text');
  assert.equal(person.answers('reused'), 1);
  await person.recorded('reused', 'answer');
  // The next click is an order of its own.
  await page.unrouteAll({ behavior: 'wait' });
  await box.press('Control+Enter');
  await until(() => person.answers('reused') === 2, 'the second answer');
  await leave(page);
});

/// The box of an answer: in place while it is asked for, else in a dialog.
async function toAnswer(page) {
  const box = page.locator('.ask textarea, dialog textarea');
  if (!(await box.count())) await button(page, 'ANSWER').click();
  return box;
}

// A decision is about the result that was seen.
test('a result that moved is not approved, and the newer one is shown', BOUND, async () => {
  const page = await person.open('moves', { expected: [412] });
  await button(page, 'APPROVE').click();
  await dialog(page).waitFor();
  // Meanwhile somebody else rejects it, and a second attempt is there.
  await world.order('reject', 'moves', '--because', 'again');
  await world.order('resume', 'moves');
  assert.deepEqual([world.status('moves').state, world.status('moves').current_attempt], ['READY_FOR_REVIEW', 2]);
  await confirm(page).click();
  const newer = dialog(page).getByRole('button', { name: 'Show the newer result' });
  await newer.waitFor();
  await answered(page, 1);
  assert.deepEqual(page.sent.map((it) => [it.status, it.answer.code]), [[412, 'moved']]);
  assert.equal(world.audit().filter(of('moves', 'approve')).length, 0);
  assert.notEqual(world.status('moves').review?.outcome, 'approved');
  await newer.click();
  await gone(page);
  await page.getByText('attempt 2', { exact: false }).first().waitFor();
  // The twin: what is seen now can be approved.
  await button(page, 'APPROVE').click();
  assert.match(await dialog(page).innerText(), /attempt 2 of moves/);
  await confirm(page).click();
  await gone(page);
  assert.deepEqual([world.status('moves').review.outcome, world.status('moves').review.attempt], ['approved', 2]);
  await person.recorded('moves', 'approve');
  await leave(page);
});

