// Measures the real server from a second process: 10,000 finished tasks, 50 clients with open
// connections, answers of 200 and of 304, and 200 open event streams; then a browser that scrolls
// through all rows. Loopback only, bounded in time. Prints a table; nothing is asserted.

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';

import { many } from './many.js';
import { scroll } from './scroll.js';
import { Server } from './server.js';
import { World } from './world.js';

const TASKS = Number(process.env.PROVOST_E2E_TASKS ?? 10_000);
const CLIENTS = 50;
const STREAMS = 200;
const SECONDS = Number(process.argv[2] ?? 5);
/// The way down through the list takes no longer.
const SCROLLED = 120;

/// Asks for one address as fast as 50 clients can, with `wrk`: a client in this language would measure
/// how long its own answers wait.
async function measure(name, server, path, etag, clients = CLIENTS) {
  const key = await server.session();
  const condition = etag ? ['-H', `If-None-Match: ${etag}`] : [];
  const words = ['-t1', `-c${clients}`, `-d${SECONDS}s`, '--latency', '-H', `Authorization: Bearer ${key}`, ...condition];
  const { stdout } = await promisify(execFile)('wrk', [...words, `http://127.0.0.1:${server.port}${path}`]);
  const of = (form) => form.exec(stdout)?.slice(1) ?? [];
  const at = (share) => milliseconds(...of(new RegExp(`^ +${share}% +([\\d.]+)(us|ms|s|m)$`, 'm')));
  const [rate] = of(/^Requests\/sec: +([\d.]+)$/m);
  const failed = [...of(/Non-2xx or 3xx responses: (\d+)/), ...of(/connect (\d+), read (\d+), write (\d+), timeout (\d+)/)];
  const failures = failed.reduce((sum, it) => sum + Number(it), 0);
  return [name, at(50), at(99), Math.round(Number(rate)), failures];
}

const UNITS = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
const milliseconds = (number, unit) => (Number(number) * UNITS[unit]).toFixed(2);

const memory = (pid) => {
  const text = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return `${(Number(/VmRSS:\s+(\d+)/.exec(text)[1]) / 1024).toFixed(0)} MiB`;
};

const world = await World.make();
try {
  await world.run('one');
  await world.order('approve', 'one');
  many(world, 'one', TASKS - 1);
  const start = performance.now();
  const server = await Server.start(world);
  const list = await server.get('/api/tasks');
  const first = performance.now() - start;
  console.log(`${TASKS} finished tasks, ${CLIENTS} clients, ${SECONDS} s each; first list after ${first.toFixed(0)} ms; memory ${memory(server.child.pid)}`);
  const status = await server.get('/api/tasks/one/status');
  const task = await server.get('/api/tasks/one');
  const rows = [
    await measure('list, 304', server, '/api/tasks', list.headers.etag),
    await measure('list of 50, 200', server, '/api/tasks'),
    await measure('status, 304', server, '/api/tasks/one/status', status.headers.etag),
    await measure('status, 200', server, '/api/tasks/one/status'),
    await measure('task, 304', server, '/api/tasks/one', task.headers.etag),
    await measure('task, 200', server, '/api/tasks/one'),
  ];
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => server.stream('board')));
  const open = streams.filter((it) => it.status === 200 && it.isOpen).length;
  rows.push(await measure(`list, 304, beside ${open} streams`, server, '/api/tasks', list.headers.etag));
  console.log(`${open} of ${STREAMS} streams are open; memory ${memory(server.child.pid)}`);
  streams.forEach((it) => it.close());
  // It verifies all of the chain, once for all who ask at the same time.
  rows.push(await measure('audit state, one client', server, '/api/audit/state', undefined, 1));
  const head = ['what', 'p50 ms', 'p99 ms', 'requests/s', 'failed'];
  const widths = head.map((it, column) => Math.max(it.length, ...rows.map((row) => String(row[column]).length)));
  for (const row of [head, ...rows]) {
    console.log(row.map((it, column) => (column === 0 ? String(it).padEnd(widths[0]) : String(it).padStart(widths[column]))).join('  '));
  }
  const { reached, seconds, inDocument, long } = await scroll(server, TASKS, SCROLLED);
  const over = long.filter((it) => it > 50);
  const longest = over.length ? `the longest ${Math.round(over[0])} ms` : 'none';
  console.log(`scrolled through ${reached} rows in ${seconds.toFixed(1)} s, ${inDocument} in the document; tasks over 50 ms: ${over.length} (${longest})`);
} finally {
  await world.end();
}
