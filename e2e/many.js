// Many finished tasks: copies of one that was really run, under other ids, with entries of their own
// in the audit chain, so that every reader has as much to read and to compare as if all had run.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/// RFC 8785 for what stands in these files: whole numbers, texts, lists and objects.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pair = (key) => `${JSON.stringify(key)}:${canonical(value[key])}`;
  return `{${Object.keys(value).sort().map(pair).join(',')}}`;
}

const digest = (text) => createHash('sha256').update(text).digest('hex');

const lines = (file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((it) => JSON.parse(it));

/// Every file below a folder, by its path from there.
function filesBelow(folder, below = '') {
  return fs.readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((it) => {
    const name = path.join(below, it.name);
    return it.isDirectory() ? filesBelow(folder, name) : [name];
  });
}

/// A chain that goes on from where it ends.
class Chain {
  constructor(folder) {
    this.folder = folder;
    this.before = lines(path.join(folder, 'audit.jsonl'));
    this.stored = lines(path.join(folder, 'heads.jsonl'));
    const { body, hash } = this.before.at(-1);
    this.head = { seq: body.seq, hash };
    [this.entries, this.heads] = [[], []];
  }

  /// Enters for one task what was entered for another, and gives the head behind it.
  enter(from, id, statusDigest) {
    const own = this.before.filter((it) => it.body.subject === `task:${from}`);
    const last = own.findLast((it) => it.body.task_status);
    const moved = new Map();
    for (const { body } of own) {
      const next = { ...body, seq: this.head.seq + 1, prev: this.head.hash, subject: `task:${id}` };
      if (body.task_status) next.task_status = { ...body.task_status, task: id };
      if (body === last.body) next.task_status.to = statusDigest;
      const text = canonical(next);
      this.head = { seq: next.seq, hash: digest(text) };
      this.entries.push(`{"body":${text},"hash":"${this.head.hash}"}\n`);
      moved.set(body.seq, this.head);
    }
    for (const stored of this.stored.filter((it) => moved.has(it.head.seq))) {
      this.heads.push(`${canonical({ ...stored, head: moved.get(stored.head.seq) })}\n`);
    }
    return moved.get(last.body.seq);
  }

  write() {
    fs.appendFileSync(path.join(this.folder, 'audit.jsonl'), this.entries.join(''));
    fs.appendFileSync(path.join(this.folder, 'heads.jsonl'), this.heads.join(''));
  }
}

/// Makes so many of them, and says their ids. A file that does not name its task is shared.
export function many(world, from, count, name = (number) => `${from}-${String(number).padStart(5, '0')}`) {
  const chain = new Chain(world.out('_audit'));
  const all = filesBelow(world.out(from)).map((file) => [file, fs.readFileSync(world.out(from, file), 'utf8')]);
  const index = fs.readFileSync(world.out('_index/tasks', `${from}.json`), 'utf8');
  const folders = [...new Set(all.map(([file]) => path.dirname(file)))].sort();
  const ids = [];
  for (let number = 1; number <= count; number += 1) {
    const id = name(number);
    const renamed = (text) => text.replaceAll(`"${from}"`, `"${id}"`);
    for (const folder of folders) fs.mkdirSync(world.out(id, folder), { recursive: true });
    for (const [file, text] of all) {
      const own = renamed(text);
      if (file === 'status.json') {
        const { audit_head: _, ...status } = JSON.parse(own);
        const audit_head = chain.enter(from, id, digest(canonical(status)));
        fs.writeFileSync(world.out(id, file), JSON.stringify({ ...status, audit_head }, null, 2));
      } else if (own === text) {
        fs.linkSync(world.out(from, file), world.out(id, file));
      } else {
        fs.writeFileSync(world.out(id, file), own);
      }
    }
    fs.writeFileSync(world.out('_index/tasks', `${id}.json`), renamed(index));
    ids.push(id);
  }
  chain.write();
  return ids;
}
