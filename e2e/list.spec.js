// The list: groups, counts, order and pages of it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';

import { closeBrowser, visit } from './browser.js';
import { gallery } from './gallery.js';
import { Server } from './server.js';
import { World, until } from './world.js';

const GROUPS = ['waits', 'runs', 'proven', 'unproven', 'closed'];
const RANKS = { RUNNING: 0, PAUSED: 1, READY_FOR_REVIEW: 2, FAILED: 3 };

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

/// Every page of a list, one after the other.
async function pages(served, query = '', between = async () => {}) {
  const rows = [];
  let cursor = null;
  do {
    const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const answer = await served.get(`/api/tasks?limit=50${query}${more}`);
    assert.equal(answer.status, 200, answer.text);
    rows.push(...answer.json.tasks);
    cursor = answer.json.next_cursor;
    if (cursor) await between();
  } while (cursor);
  return rows;
}

test('every task is in one group, and the counts are those of the groups', async () => {
  const { counts, tasks } = (await server.get('/api/tasks?limit=100')).json;
  assert.equal(counts.all, tasks.length);
  const found = {};
  for (const group of GROUPS) {
    const rows = (await server.get(`/api/tasks?group=${group}&limit=100`)).json.tasks;
    assert.equal(rows.length, counts[group], group);
    assert.ok(rows.every((it) => it.group === group), group);
    for (const row of rows) found[row.task_id] = group;
  }
  assert.equal(Object.keys(found).length, tasks.length);
  assert.equal(found.ready, 'waits');
  assert.equal(found.question, 'waits');
  assert.equal(found.cheat, 'waits');
  assert.equal(found.approved, 'proven');
  assert.equal(found.untested, 'waits');
});

test('the order is state, then newest, then id', async () => {
  const rows = await pages(server);
  const keys = rows.map((it) => [RANKS[it.state] ?? 4, it.updated_at, it.task_id]);
  const sorted = [...keys].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0) || (a[2] < b[2] ? -1 : 1));
  assert.deepEqual(keys, sorted);
});

test('a filter finds by id and by goal', async () => {
  const ids = async (q) => (await pages(server, `&q=${encodeURIComponent(q)}`)).map((it) => it.task_id);
  assert.deepEqual(await ids('liar'), ['liar']);
  assert.deepEqual(await ids('TELL about'), ['ready']);
  assert.deepEqual(await ids('no such task'), []);
});

test('what is not a cursor, a limit or a group is refused', async () => {
  for (const query of ['cursor=x', 'cursor=%7B%7D', 'limit=0', 'limit=101', 'limit=x', 'group=all', 'state=x', 'other=1', `cursor=${btoa('{"state_rank":9}')}`]) {
    const answer = await server.get(`/api/tasks?${query}`);
    assert.equal(answer.status, 400, query);
    assert.ok(answer.json.code, query);
  }
});

// LOOP-A11: a task's state is that of its `status.json`, whatever the index says.
test('the list shows the state of status.json although the index lies', async () => {
  const own = await World.make();
  try {
    await own.run('one');
    const file = own.out('_index/tasks/one.json');
    const lie = fs.readFileSync(file, 'utf8').replaceAll('READY_FOR_REVIEW', 'FAILED');
    assert.match(lie, /FAILED/);
    fs.writeFileSync(file, lie);
    const served = await Server.start(own);
    const [row] = (await served.get('/api/tasks')).json.tasks;
    assert.equal(row.state, 'READY_FOR_REVIEW');
  } finally {
    await own.end();
  }
});

// LOOP-B11: a page goes on behind the last row, whatever was finished in between.
test('250 tasks come without a gap or a repetition while tasks change', async () => {
  const own = await World.make();
  try {
    await own.run('one');
    await own.run('changes');
    own.copies('one', 248);
    const served = await Server.start(own);
    let turn = 0;
    const rows = await pages(served, '', async () => {
      turn += 1;
      // The task that changes is newest again and again, so it is in front of every cursor.
      await own.order(turn % 2 ? 'approve' : 'reject', 'changes', ...(turn % 2 ? [] : ['--because', 'no']));
    });
    const ids = rows.map((it) => it.task_id).filter((it) => it !== 'changes');
    assert.equal(new Set(ids).size, ids.length, 'no repetition');
    assert.equal(ids.length, 249, 'no gap');
    assert.ok(turn >= 4);
  } finally {
    await own.end();
  }
});

test('the page shows the groups with their counts', async () => {
  const page = await visit(server, '/');
  const { counts } = (await server.get('/api/tasks')).json;
  for (const id of ['ready', 'question', 'liar', 'approved']) {
    await page.getByText(id, { exact: true }).first().waitFor();
  }
  const text = await page.locator('main').innerText();
  assert.ok(text.includes(String(counts.waits)), text);
  page.watch.clean();
  await page.context().close();
});

test('the page filters as one types', async () => {
  const page = await visit(server, '/');
  await page.keyboard.press('/');
  await page.keyboard.type('liar');
  const ids = () => page.locator('[data-task]').evaluateAll((them) => them.map((it) => it.dataset.task).join());
  await until(async () => (await ids()) === 'liar', 'the one row');
  page.watch.clean();
  await page.context().close();
});
