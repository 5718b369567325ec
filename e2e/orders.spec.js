// Orders, clicked and typed on the page: what each changes on disk, and who is named for it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';

import { closeBrowser, dress } from './browser.js';
import { Person, answered, button, confirm, dialog, gone, leave } from './ordering.js';
import { Server } from './server.js';
import { RIGHT, World, plain, until } from './world.js';

const QUESTION = plain('NEED_USER_INPUT', { questions_for_user: ['The left one or the right one?'] });
const BOUND = { timeout: 240_000 };

let world;
let server;
let person;
before(async () => {
  world = await World.make();
  for (const id of ['yes', 'no', 'lands', 'unlanded', 'unrecorded']) await world.run(id);
  world.coder("echo 'be kind' >AGENTS.md; echo 42 >answer.txt; reply done");
  await world.run('planted', {}, 'PAUSED');
  world.coder(RIGHT);
  world.judge(QUESTION);
  for (const id of ['asks', 'held', 'limits', 'told']) await world.run(id, {}, 'PAUSED');
  world.judge(plain('PASS'));
  server = await Server.start(world, '--unguarded');
  person = new Person(server);
}, BOUND);
after(async () => {
  await world?.end();
  await closeBrowser();
});

// LOOP-A9.
test('a question is answered in its box', BOUND, async () => {
  const page = await person.open('asks');
  const box = page.locator('.ask textarea');
  await box.fill('the left one, <b>please</b>');
  await box.press('Control+Enter');
  await answered(page, 1);
  assert.deepEqual(page.sent.map((it) => it.status), [200]);
  const inputs = fs.readFileSync(world.out('asks/user_input.jsonl'), 'utf8').trim().split('\n').map((it) => JSON.parse(it));
  assert.deepEqual(inputs.map((it) => it.text), ['the left one, <b>please</b>']);
  await person.recorded('asks', 'answer');
  await until(() => page.evaluate(() => !document.querySelector('.ask textarea')?.value), 'an empty box');
  await leave(page);
});

// A task that may not run unattended keeps the answer, and the page says why it stays where it is.
test('an answer whose task does not go on says why', BOUND, async () => {
  const guarded = await Server.start(world);
  const page = await new Person(guarded).open('held');
  const said = page.getByRole('status').filter({ hasText: /on record|已记录/ });
  assert.equal(await said.count(), 0);
  await page.locator('.ask textarea').fill('the left one');
  await page.locator('.ask textarea').press('Control+Enter');
  await answered(page, 1);
  const { started, held } = page.sent[0].answer;
  assert.deepEqual([started, held.code], [false, 'task.unproven.no_guard']);
  await said.waitFor();
  assert.match(await said.innerText(), /^The answer is on record\. The task does not go on: no guard is installed/);
  await dress(page, 'dark', 'zh');
  assert.match(await said.innerText(), /^回答已记录，但任务没有继续： ?没有安装守卫/);
  // The twin: where the same answer lets the task go on, nothing is said.
  await leave(page);
  const again = await person.open('held');
  assert.equal(await again.getByRole('status').filter({ hasText: 'on record' }).count(), 0);
  await leave(again);
  await guarded.stop();
});

// LOOP-B11: what stands out is what the answer says is likeliest: a review before anything lands.
test('a result is offered a review first, and its landing after that', BOUND, async () => {
  const page = await person.open('unrecorded');
  const loud = () => page.locator('.court .acts [data-order]:not(.quiet)').evaluateAll((them) => them.map((it) => [it.dataset.order, it.classList.contains('yes')]));
  assert.deepEqual(await loud(), [['APPROVE', true], ['REJECT', false]]);
  assert.equal(await page.locator('.side [data-order=LAND]:not(.yes)').count(), 1, 'landing stands aside');
  await page.goto(server.url);
  const row = (task) => page.locator(`[data-task=${task}] .act button`);
  await until(async () => (await row('unrecorded').innerText()) === 'Approve', 'the offer of the row');
  // The twin: one that is approved waits for its landing.
  // The group that it leaves answers late: for a while two groups have it, and the list shows it once.
  const late = [];
  await page.route('**/api/tasks?group=waits*', (route) => late.push(route));
  await world.order('approve', 'lands');
  await until(async () => (await row('lands').allInnerTexts()).includes('Land'), 'the offer of the other row');
  await until(() => late.length > 0, 'the late answer');
  assert.deepEqual(await row('lands').allInnerTexts(), ['Land']);
  const answer = page.waitForResponse('**/api/tasks?group=waits*');
  await page.unroute('**/api/tasks?group=waits*');
  await (await answer).finished();
  assert.deepEqual(await row('lands').allInnerTexts(), ['Land']);
  await leave(page);
});

// LOOP-A9.
test('a result is approved', BOUND, async () => {
  const page = await person.open('yes');
  await button(page, 'APPROVE').click();
  // What is confirmed is named.
  assert.match(await dialog(page).innerText(), /attempt 1 of yes/);
  assert.equal(world.status('yes').review ?? null, null, 'nothing is done before it is confirmed');
  await confirm(page).click();
  await gone(page);
  const { review } = world.status('yes');
  assert.deepEqual([review.outcome, review.attempt, review.actor.source], ['approved', 1, 'web']);
  await person.recorded('yes', 'approve');
  await button(page, 'APPROVE').waitFor({ state: 'detached' });
  await leave(page);
});

// LOOP-A9.
test('a result is rejected with a reason, and never without one', BOUND, async () => {
  const page = await person.open('no');
  await button(page, 'REJECT').click();
  assert.ok(await confirm(page).isDisabled(), 'a reason is needed');
  await dialog(page).locator('textarea').fill('not like this');
  await confirm(page).click();
  await gone(page);
  const { review } = world.status('no');
  assert.deepEqual([review.outcome, review.because], ['rejected', 'not like this']);
  await person.recorded('no', 'reject');
  await leave(page);
});

// LOOP-A9.
test('a task is paused and goes on', BOUND, async () => {
  world.coder(world.waits('pause'));
  await world.start('pauses');
  const page = await person.open('pauses');
  await button(page, 'PAUSE').click();
  await answered(page, 1);
  // It stops at the next checkpoint, which its coordinator reaches.
  assert.deepEqual(page.sent.map((it) => it.status), [202]);
  world.go('pause');
  await until(() => world.status('pauses').state === 'PAUSED', 'a pause');
  assert.equal(world.status('pauses').pause_reason_code, 'PAUSED_USER');
  await person.recorded('pauses', 'pause');
  await button(page, 'RESUME').click();
  await until(() => world.status('pauses').state === 'READY_FOR_REVIEW', 'a result');
  await answered(page, 2);
  assert.equal(page.sent[1].answer.started, true);
  await person.recorded('pauses', 'resume');
  world.coder(RIGHT);
  await leave(page);
});

// LOOP-U6, LOOP-A9: an override has a way back.
test('a limit is overridden, and taken back', BOUND, async () => {
  const limit = () => world.status('limits').effective_max_attempts;
  const before = limit();
  const page = await person.open('limits');
  await button(page, 'OVERRIDE').click();
  const field = dialog(page).locator('input[type=number]');
  assert.equal(await field.inputValue(), String(before), 'what holds now stands in the box');
  await field.fill('999');
  assert.ok(await confirm(page).isDisabled(), 'a limit has limits');
  await field.fill('9');
  await confirm(page).click();
  await gone(page);
  assert.equal(limit(), 9);
  await person.recorded('limits', 'override');
  const overrides = () => JSON.parse(fs.readFileSync(world.out('limits/runtime_overrides.json'), 'utf8'));
  assert.equal(overrides().overrides.max_attempts, 9);
  await button(page, 'ROLLBACK').click();
  await confirm(page).click();
  await gone(page);
  assert.equal(limit(), before);
  assert.equal(overrides().overrides?.max_attempts ?? null, null);
  await person.recorded('limits', 'rollback');
  const { versions } = (await server.get('/api/tasks/limits/overrides')).json;
  assert.deepEqual(versions.map((it) => it.version), [1, 2], 'a rollback is a version too');
  await leave(page);
});

// LOOP-A9.
test('the next attempt is instructed', BOUND, async () => {
  const page = await person.open('told');
  await button(page, 'EDIT').click();
  await dialog(page).locator('textarea').fill('shorter, please');
  await confirm(page).click();
  await gone(page);
  assert.equal(world.status('told').next_instruction, 'shorter, please');
  await person.recorded('told', 'edit');
  await leave(page);
});

// LOOP-A9.
test('what was found is accepted with a reason', BOUND, async () => {
  const page = await person.open('planted');
  await button(page, 'ACCEPT').click();
  await dialog(page).locator('textarea').fill('we wrote it together');
  await confirm(page).click();
  await gone(page);
  await until(() => world.status('planted').state === 'READY_FOR_REVIEW', 'a result');
  const [accepted] = world.status('planted').accepted;
  assert.deepEqual([accepted.finding, accepted.because], ['AGENT_CONFIG_PLANTED', 'we wrote it together']);
  await person.recorded('planted', 'accept');
  await leave(page);
});

// LOOP-A9, LOOP-U5: landing is started by a process, and audited as the person on the page.
test('a result lands once, and is taken back', BOUND, async () => {
  const head = () => world.git('rev-parse', 'main');
  const start = await head();
  const page = await person.open('lands');
  await button(page, 'LAND').click();
  await confirm(page).dblclick();
  await gone(page);
  await until(() => world.status('lands').landed?.put?.at, 'the landing');
  const landed = await head();
  assert.notEqual(landed, start);
  assert.equal(await world.git('rev-list', '--count', `${start}..main`), '1');
  assert.equal(fs.readFileSync(world.path('repo/answer.txt'), 'utf8'), '42\n');
  await person.recorded('lands', 'land');
  await answered(page, 1);
  assert.equal(page.sent.length, 1);
  const again = await person.replay(page.sent[0].body, 'lands');
  assert.ok(again.json.deduplicated, again.text);
  await button(page, 'UNDO_LAND').click();
  await confirm(page).click();
  await gone(page);
  await until(() => world.status('lands').landed?.undone?.at, 'the way back');
  assert.equal(await world.git('rev-list', '--count', `${start}..main`), '2', 'by a new commit');
  assert.ok(!fs.existsSync(world.path('repo/answer.txt')));
  await person.recorded('lands', 'undo_land');
  await leave(page);
});

// A landing runs in the background: what it ends with is said on the page, and in a terminal.
test('a landing that fails says why', BOUND, async () => {
  // Sent again, it is tried again: it is not among those whose replay does nothing.
  const page = await new Person(server).open('unlanded');
  const failure = page.getByRole('alert').filter({ hasText: 'The last command in the background failed' });
  assert.equal(await failure.count(), 0);
  // Somebody's own work is in the way.
  world.write('repo/answer.txt', '7\n');
  await button(page, 'LAND').click();
  await confirm(page).click();
  await gone(page);
  await failure.waitFor();
  const error = (await failure.innerText()).replace(/^.*failed:\s*/s, '').trim();
  assert.ok(error.length > 10, error);
  assert.equal(world.status('unlanded').landed ?? null, null);
  const shown = await world.provost('show', 'unlanded');
  assert.ok(shown.err.includes('the last command in the background failed'), shown.text);
  fs.rmSync(world.path('repo/answer.txt'));
  // The twin: it is gone as soon as something happens to the task.
  await world.order('reject', 'unlanded', '--because', 'not now');
  await failure.waitFor({ state: 'detached' });
  await leave(page);
});

// LOOP-A9: what cannot be recorded is not done.
test('an order without a record has no effect', BOUND, async () => {
  const file = world.out('_audit/gui_actions.jsonl');
  const page = await person.open('unrecorded', { expected: [500, 503] });
  fs.renameSync(file, `${file}.kept`);
  fs.mkdirSync(file);
  await button(page, 'APPROVE').click();
  await confirm(page).click();
  await dialog(page).getByRole('alert').waitFor();
  assert.equal(world.status('unrecorded').review ?? null, null);
  fs.rmdirSync(file);
  fs.renameSync(`${file}.kept`, file);
  // The twin: with a place to record it, the same click has its effect.
  await confirm(page).click();
  await gone(page);
  assert.equal(world.status('unrecorded').review.outcome, 'approved');
  await leave(page);
});

// LOOP-U5: the number of an order outlives the server.
test('a replay after a restart does nothing', BOUND, async () => {
  const actions = [...new Set(person.taken.map((it) => it.body.action))].sort();
  assert.deepEqual(actions, ['ACCEPT', 'ANSWER', 'APPROVE', 'EDIT', 'LAND', 'OVERRIDE', 'PAUSE', 'REJECT', 'RESUME', 'ROLLBACK', 'UNDO_LAND']);
  const head = await world.git('rev-parse', 'main');
  const before = world.digests();
  await server.restart();
  for (const { task, body } of person.taken) {
    const again = await person.replay(body, task);
    assert.ok(again.status === 200 || again.status === 202, `${body.action}: ${again.text}`);
    assert.equal(again.json.deduplicated, true, `${body.action}: ${again.text}`);
  }
  assert.deepEqual(world.digests(), before);
  assert.equal(await world.git('rev-parse', 'main'), head);
  assert.equal((await world.provost('audit', 'verify')).exit, 0);
});
