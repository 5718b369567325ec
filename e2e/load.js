// Measures the real server from a second process: 10,000 finished tasks, 50 clients with open
// connections, answers of 200 and of 304, and 200 open event streams; then a browser that scrolls
// through all rows. Loopback only, bounded in time. Prints a table; nothing is asserted.

import fs from 'node:fs';
import net from 'node:net';

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

/// One open connection that asks again as soon as it was answered.
function client(port, request, until, times, problems) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let [rest, start] = [Buffer.alloc(0), 0];
    const ask = () => {
      start = performance.now();
      socket.write(request);
    };
    const leave = () => {
      socket.destroy();
      resolve();
    };
    socket.on('connect', ask);
    socket.on('error', (error) => {
      problems.push(String(error));
      resolve();
    });
    socket.on('close', resolve);
    socket.on('data', (piece) => {
      rest = rest.length ? Buffer.concat([rest, piece]) : piece;
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = rest.toString('latin1', 0, end);
      const status = Number(head.slice(9, 12));
      const length = status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return;
      rest = rest.subarray(end + 4 + length);
      times.push(performance.now() - start);
      if (status !== 200 && status !== 304) problems.push(String(status));
      if (performance.now() > until) leave();
      else ask();
    });
  });
}

async function measure(name, server, path, etag) {
  const key = await server.session();
  const condition = etag ? `If-None-Match: ${etag}\r\n` : '';
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${key}\r\n${condition}\r\n`;
  const [times, problems] = [[], []];
  const start = performance.now();
  const until = start + SECONDS * 1000;
  await Promise.all(Array.from({ length: CLIENTS }, () => client(server.port, request, until, times, problems)));
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
  return [name, at(0.5).toFixed(2), at(0.99).toFixed(2), Math.round(times.length / seconds), problems.length];
}

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
    await measure('audit state, 200', server, '/api/audit/state'),
  ];
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => server.stream('board')));
  const open = streams.filter((it) => it.status === 200 && it.isOpen).length;
  rows.push(await measure(`list, 304, beside ${open} streams`, server, '/api/tasks', list.headers.etag));
  console.log(`${open} of ${STREAMS} streams are open; memory ${memory(server.child.pid)}`);
  streams.forEach((it) => it.close());
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
