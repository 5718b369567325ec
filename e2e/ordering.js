// How a person orders on the page of a task, and what must be on record afterwards.

import assert from 'node:assert/strict';
import fs from 'node:fs';

import { visit } from './browser.js';
import { until } from './world.js';

export const button = (page, action) => page.locator(`[data-order=${action}]`).first();
export const dialog = (page) => page.getByRole('dialog');
export const confirm = (page) => dialog(page).locator('button[type=submit]');
export const gone = (page) => dialog(page).waitFor({ state: 'detached' });
export const answered = (page, count) => until(() => page.sent.length >= count, `${count} answers`, 20_000);

export async function leave(page) {
  page.watch.clean();
  await page.context().close();
}

export const of = (task, action) => (it) => it.subject === `task:${task}` && it.action === `task.${action}`;

/// Somebody at a desk: the server, and everything that it took from them.
export class Person {
  constructor(server) {
    this.server = server;
    this.world = server.world;
    /// Bodies as they were sent, with their tasks.
    this.taken = [];
  }

  /// The page of a task. `sent` are the orders that it sent, and what became of them.
  async open(task, wishes) {
    const page = await visit(this.server, `/tasks/${task}`, wishes);
    page.sent = [];
    page.on('response', async (answer) => {
      const request = answer.request();
      if (request.method() !== 'POST' || !request.url().endsWith('/orders')) return;
      const sent = { status: answer.status(), body: request.postDataJSON() };
      if (answer.ok()) this.taken.push({ task, body: sent.body });
      // A page that is left has no answer to read.
      sent.answer = await answer.json().catch(() => null);
      page.sent.push(sent);
    });
    return page;
  }

  /// Sends a body again, as it was sent.
  replay(body, task) {
    return this.server.post(`/api/tasks/${task}/orders`, body);
  }

  /// How many answers a task was given.
  answers(task) {
    return fs.readFileSync(this.world.out(task, 'user_input.jsonl'), 'utf8').trim().split('\n').length;
  }

  async name() {
    const body = { token: this.server.token };
    this.known ??= (await this.server.ask('POST', '/api/session', { body })).json.person;
    assert.ok(this.known, 'the person has a name');
    return this.known;
  }

  /// LOOP-A9: one entry in the chain and one line of the page's own, both with the person's name, and
  /// both before the effect.
  async recorded(task, action, count = 1) {
    const { world } = this;
    const entries = world.audit().filter(of(task, action));
    const told = world.actions().filter(of(task, action));
    assert.equal(entries.length, count, JSON.stringify(world.audit().filter((it) => it.subject === `task:${task}`)));
    assert.equal(told.length, count, JSON.stringify(world.actions()));
    const name = await this.name();
    for (const [at, entry] of entries.entries()) {
      assert.deepEqual(entry.actor, { source: 'web', id: name });
      assert.deepEqual([told[at].source, told[at].actor], ['web', name]);
      assert.equal(told[at].task_id, task);
      assert.equal(told[at].request_id ?? null, entry.request_id ?? null);
      assert.ok(told[at].ts <= world.status(task).updated_at, `${action} was told after it was done`);
    }
  }
}
