// A world for the tests of the page: a person's home, a repository, agents of the test's own, and
// tasks that the real `provost` ran there. Nothing in it is made up, and nothing of this machine's
// is touched.

import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const BINARY = process.env.PROVOST_E2E_BINARY ?? path.join(ROOT, 'target/debug/provost');
/// Whether everything is tried, or one pass of the test command.
export const ALL = process.env.PROVOST_E2E_ALL === '1';

/// All files of one run share the worlds that they only read.
const RUN = process.env.PROVOST_E2E_RUN ?? `by-hand-${process.ppid}`;
const WORLDS = path.join(ROOT, 'target/e2e/worlds', RUN);

/// What both agents can use: `attempt` is its number, `reply TEXT` answers.
const PRELUDE = `
attempt=$(sed -n 's/.*"attempt": *\\([0-9]*\\).*/\\1/p' "$PROVOST_REQUEST" | head -n 1)
task=$(sed -n 's/.*"task_id": *"\\([^"]*\\)".*/\\1/p' "$PROVOST_REQUEST" | head -n 1)
reply() { printf '{"schema":"provost.adapter/1","role":"%s","text":"%s"}' "$role" "$1" >"$PROVOST_REPLY"; }
`;

/// A coder that does the work, and one that gets it wrong.
export const RIGHT = 'echo 42 >answer.txt; reply done';
export const WRONG = 'echo 41 >answer.txt; reply done';

const WEIGHTS = {
  correctness: 0.2,
  runnability: 0.18,
  test_and_validation: 0.16,
  security: 0.14,
  architecture_and_modularity: 0.12,
  readability_and_maintainability: 0.1,
  performance: 0.1,
};

/// A verdict by facts and reasons alone.
export const plain = (decision, more = {}) => ({
  decision,
  reasons: ['as the evidence shows'],
  next_instructions: decision === 'FAIL' ? 'write 42' : '',
  questions_for_user: decision === 'NEED_USER_INPUT' ? ['Which one?'] : [],
  ...more,
});

/// A verdict against the rubric of `engineering_impl`, with the right sums.
export function scored(decision, score = 4.5, more = {}) {
  const keys = Object.keys(WEIGHTS);
  // A judge that gives every dimension the same is not believed.
  const scores = Object.fromEntries(keys.map((key, at) => [key, at % 3 === 1 ? score - 0.5 : score]));
  const raw = round(keys.reduce((sum, key) => sum + WEIGHTS[key] * scores[key], 0), 4);
  return {
    decision,
    scores,
    weights: WEIGHTS,
    raw_score_0_5: raw,
    penalty: 0,
    final_score_0_5: raw,
    final_score_0_100: round(raw * 20, 2),
    gated: false,
    gating_reasons: [],
    top_issues: ['a name is long', 'a comment is short'],
    fix_suggestions: [],
    scoring_mode_used: 'rubric_analytic',
    reasons: ['as the evidence shows'],
    next_instructions: decision === 'FAIL' ? 'write 42' : '',
    ...more,
  };
}

const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;

export class World {
  constructor(folder) {
    this.folder = folder;
    /// What ends with the test, newest first.
    this.ends = [];
  }

  /// A world of its own. `config` is more of its `provost.toml`.
  static async make(config = '') {
    fs.mkdirSync(WORLDS, { recursive: true });
    const world = new World(fs.realpathSync(fs.mkdtempSync(path.join(WORLDS, 'w-'))));
    await world.found(config);
    return world;
  }

  /// A world that all files of a run read, made by the first of them.
  static async shared(name, fill) {
    const folder = path.join(WORLDS, name);
    fs.mkdirSync(WORLDS, { recursive: true });
    const done = path.join(folder, 'done');
    try {
      fs.mkdirSync(folder);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const failed = path.join(folder, 'failed');
      const isOver = () => fs.existsSync(done) || fs.existsSync(failed);
      await until(isOver, `the world ${name} of another file`, 180_000);
      if (fs.existsSync(failed)) throw new Error(fs.readFileSync(failed, 'utf8'));
      return new World(fs.realpathSync(folder));
    }
    const world = new World(fs.realpathSync(folder));
    try {
      await world.found('');
      await fill(world);
    } catch (error) {
      fs.writeFileSync(path.join(folder, 'failed'), String(error.stack));
      throw error;
    }
    fs.writeFileSync(done, '');
    return world;
  }

  async found(config) {
    for (const name of ['home', 'repo', 'agents', 'specs', 'go']) {
      fs.mkdirSync(this.path(name), { recursive: true });
    }
    const agents = this.path('agents');
    const agent = (name, more = '') =>
      `[adapter.${name}]\nkind = "command"\nargv = ["sh", "${agents}/${name}.sh"]\n${more}`;
    this.write('repo/check.sh', 'grep -qx 42 answer.txt\n');
    this.write(
      'repo/provost.toml',
      `${config}\n[job]\ngrace_seconds = 1\n${agent('c')}${agent('j')}`,
    );
    this.write('repo/.gitignore', '.provost/\n');
    this.coder(RIGHT);
    this.judge(plain('PASS'));
    await this.git('init', '--quiet', '-b', 'main', '.');
    // What lands is a commit of the person's.
    await this.git('config', 'user.name', 'a');
    await this.git('config', 'user.email', 'a@localhost');
    await this.commit();
  }

  path(...names) {
    return path.join(this.folder, ...names);
  }

  /// A place in the folder of tasks.
  out(...names) {
    return this.path('repo/.provost/out', ...names);
  }

  write(name, text) {
    fs.mkdirSync(path.dirname(this.path(name)), { recursive: true });
    fs.writeFileSync(this.path(name), text);
  }

  read(name) {
    return fs.readFileSync(this.path(name), 'utf8');
  }

  status(task) {
    return JSON.parse(fs.readFileSync(this.out(task, 'status.json'), 'utf8'));
  }

  /// The entries of the audit chain.
  audit() {
    return lines(this.out('_audit/audit.jsonl')).map((it) => it.body);
  }

  /// What the page wrote before it had an effect.
  actions() {
    return lines(this.out('_audit/gui_actions.jsonl'));
  }

  events(task) {
    return lines(this.out(task, 'events.jsonl'));
  }

  /// Every file below a folder with its bytes: to show that something left everything alone.
  bytes(folder = 'repo/.provost', except = []) {
    const found = {};
    const walk = (at) => {
      for (const entry of fs.readdirSync(this.path(at), { withFileTypes: true })) {
        const name = path.join(at, entry.name);
        if (except.some((it) => name.includes(it))) continue;
        if (entry.isDirectory()) walk(name);
        else if (entry.isFile()) found[name] = fs.readFileSync(this.path(name), 'base64');
      }
    };
    walk(folder);
    return found;
  }

  /// The same as digests: what differs is then named, and not printed whole.
  digests(folder = 'repo/.provost', except = []) {
    const digest = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const all = Object.entries(this.bytes(folder, except));
    return Object.fromEntries(all.map(([name, bytes]) => [name, digest(bytes)]));
  }

  coder(script, name = 'c') {
    this.write(`agents/${name}.sh`, `role=coder\n${PRELUDE}\n${script}\n`);
  }

  /// A judge that always gives this verdict.
  judge(verdict, name = 'j') {
    const text = typeof verdict === 'string' ? verdict : JSON.stringify(verdict);
    const reply = { schema: 'provost.adapter/1', role: 'judge', text };
    this.write(`agents/${name}.verdict.json`, JSON.stringify(reply));
    const give = `cat '${this.path(`agents/${name}.verdict.json`)}' >"$PROVOST_REPLY"`;
    this.write(`agents/${name}.sh`, `role=judge\n${PRELUDE}\n${give}\n`);
  }

  /// A script that waits for `go(name)`, and for no longer than its world is there.
  waits(name, then = RIGHT) {
    const [go, folder] = [this.path('go', name), this.path('go')];
    return `until [ -e '${go}' ] || [ ! -d '${folder}' ]; do sleep 0.02; done\n${then}`;
  }

  go(name) {
    this.write(`go/${name}`, '');
  }

  spec(id, changes = {}) {
    const spec = {
      task_id: id,
      repo_path: this.path('repo'),
      goal: 'write 42 into answer.txt',
      acceptance: 'check.sh passes',
      test_cmd: 'sh check.sh',
      coder: 'c',
      judge: 'j',
      coder_timeout_seconds: 120,
      test_timeout_seconds: 60,
      judge_timeout_seconds: 30,
      ...changes,
    };
    for (const key of Object.keys(spec)) if (spec[key] === null) delete spec[key];
    this.write(`specs/${id}.json`, JSON.stringify(spec));
    return this.path(`specs/${id}.json`);
  }

  /// Runs a task to its end, or until it pauses; `expected` is its state.
  async run(id, changes = {}, expected = 'READY_FOR_REVIEW') {
    const ran = await this.provost('run', this.spec(id, changes));
    const { state } = this.status(id);
    if (state !== expected) throw new Error(`${id} is ${state}, not ${expected}: ${ran.text}`);
    return this.status(id);
  }

  /// Starts a task whose agent waits, and leaves it running until the world ends.
  async start(id, changes = {}) {
    const child = this.spawn(['run', this.spec(id, changes)]);
    this.ends.unshift(() => end(child));
    const state = () => fs.existsSync(this.out(id, 'status.json')) && this.status(id).state;
    await until(() => state() === 'RUNNING', `${id} runs`);
    return child;
  }

  /// So many finished tasks besides: copies of one that was really run, under other ids.
  copies(from, count, name = (number) => `${from}-${String(number).padStart(5, '0')}`) {
    const files = ['task.json', 'status.json', 'final_summary.json', 'events.jsonl', 'review.json'];
    const texts = files
      .filter((it) => fs.existsSync(this.out(from, it)))
      .map((it) => [it, fs.readFileSync(this.out(from, it), 'utf8')]);
    const index = fs.readFileSync(this.out('_index/tasks', `${from}.json`), 'utf8');
    const ids = [];
    for (let number = 1; number <= count; number += 1) {
      const id = name(number);
      const renamed = (text) => text.replaceAll(`"${from}`, `"${id}`);
      fs.mkdirSync(this.out(id));
      for (const [file, text] of texts) fs.writeFileSync(this.out(id, file), renamed(text));
      fs.writeFileSync(this.out('_index/tasks', `${id}.json`), renamed(index));
      ids.push(id);
    }
    return ids;
  }

  environment(more = {}) {
    return { HOME: this.path('home'), PATH: process.env.PATH, ...more };
  }

  spawn(words, more = {}) {
    return spawn(BINARY, words, {
      cwd: this.path('repo'),
      env: this.environment(more),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /// Runs a command of provost; whether it succeeds is for the caller to say.
  provost(...words) {
    return this.program(BINARY, words);
  }

  /// The same, and it must succeed.
  async order(...words) {
    const ran = await this.provost(...words);
    if (ran.exit !== 0) throw new Error(`provost ${words.join(' ')}: ${ran.text}`);
    return ran;
  }

  async git(...words) {
    const ran = await this.program('git', words);
    if (ran.exit !== 0) throw new Error(`git ${words.join(' ')}: ${ran.text}`);
    return ran.out.trim();
  }

  async commit() {
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '-m', 'base');
  }

  /// The same as a person at a terminal, who says yes.
  async typed(...words) {
    const line = [BINARY, ...words].map(quoted).join(' ');
    const ran = await this.program('script', ['-q', '-e', '-c', line, '/dev/null'], 'y\n');
    if (ran.exit !== 0) throw new Error(`provost ${words.join(' ')}: ${ran.text}`);
    return ran;
  }

  /// Asks the guard as Claude Code does before a shell command; `more` of the call stands beside it.
  calls(command, more = {}) {
    const call = { session_id: 's1', hook_event_name: 'PreToolUse', cwd: this.path('repo'), tool_name: 'Bash', tool_input: { command }, ...more };
    return this.fed(call, 'hook', '--client', 'claude', '--type', 'pre-tool-use');
  }

  /// A command of provost that reads this from its input.
  fed(input, ...words) {
    return this.program(BINARY, words, typeof input === 'string' ? input : JSON.stringify(input));
  }

  program(name, words, input) {
    const child = spawn(name, words, {
      cwd: this.path('repo'),
      env: this.environment(),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (input !== undefined) child.stdin.end(input);
    return ended(child, `${path.basename(name)} ${words.join(' ')}`);
  }

  async end() {
    const faults = [];
    for (const it of this.ends.splice(0)) {
      await bounded(it(), 'the end of something in a world').catch((error) => faults.push(error));
    }
    // A world of its own is gone with its test; one that is shared, with the run.
    if (path.basename(this.folder).startsWith('w-')) {
      await this.#empty();
      fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
    if (faults.length > 0) throw faults[0];
  }

  /// The processes that work in this world, such as a coordinator in the background: all of them
  /// were started by its tests, and carry its folder in their words or their variables.
  processes() {
    const carries = (pid) => {
      try {
        const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return `${words}${fs.readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(this.folder);
      } catch {
        // It is over, or this system does not tell.
        return false;
      }
    };
    const all = fs.existsSync('/proc/self/environ') ? fs.readdirSync('/proc') : [];
    const pids = all.filter((it) => /^\d+$/.test(it)).map(Number);
    return pids.filter((it) => it !== process.pid && carries(it));
  }

  /// Ends what works here; first as a person would.
  async #empty() {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      for (const pid of this.processes()) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          if (error.code !== 'ESRCH') throw error;
        }
      }
      const isEmpty = () => this.processes().length === 0;
      if (await until(isEmpty, 'an empty world', 10_000).catch(() => false)) return;
    }
    throw new Error(`processes ${this.processes()} are still in ${this.folder}`);
  }
}

/// A word for the shell.
export const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export function lines(file) {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((it) => JSON.parse(it));
}

/// What a program wrote, and how it ended. Its pipes are not waited for: something that it left
/// behind may hold them.
function ended(child, line, cap = 180_000) {
  const heard = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece) => (heard.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece) => (heard.err += piece));
  return new Promise((resolve, reject) => {
    const over = (exit) => {
      clearTimeout(timer);
      release(child);
      resolve({ exit, ...heard, text: `${heard.out}${heard.err}` });
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      release(child);
      reject(new Error(`\`${line}\` ran for ${cap / 1000} s: ${heard.out}${heard.err}`));
    }, cap);
    child.once('error', reject);
    child.once('close', (code) => over(code ?? 1));
    child.once('exit', (code) => setTimeout(() => over(code ?? 1), 2_000).unref());
  });
}

/// Lets go of the pipes of a process that is over.
function release(child) {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/// So long a process has to end by itself.
const GRACE = 20_000;

/// Ends a process that we started, and waits until it is gone. One that does not obey is killed,
/// which is a fault.
export async function end(child, signal = 'SIGTERM') {
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (!isOver()) {
    child.kill(signal);
    const obeyed = await until(isOver, 'the end of a process', GRACE).catch(() => false);
    if (!obeyed) {
      child.kill('SIGKILL');
      release(child);
      throw new Error(`process ${child.pid} (${child.spawnargs.join(' ')}) ignored ${signal}`);
    }
  }
  release(child);
}

/// A promise that must be kept in time.
export function bounded(promise, what, cap = 30_000) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${cap / 1000} s in vain: ${what}`)), cap);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/// Waits for a condition, with a cap that only a broken program reaches.
export async function until(holds, what, cap = 60_000) {
  const deadline = Date.now() + cap;
  for (;;) {
    // A look that never ends is in vain, too; one of its own takes some time at the very end.
    const left = Math.max(5_000, deadline - Date.now());
    const value = await bounded(Promise.resolve(holds()), what, left);
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${cap / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
