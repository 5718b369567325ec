// What the views besides tasks are looked at with: a plan with stories, reports of evals, a mission
// that learned something, rulings of the guard. All of it is made by the real program.

import fs from 'node:fs';
import path from 'node:path';

import { ROOT, World, plain, scored, RIGHT, WRONG } from './world.js';

/// What the liar said.
export const SAID = 'It says hello; I ran it twice.';

export const annals = () => World.shared('annals', fill);

/// The same with a chain that somebody wrote into.
export const forged = () =>
  World.shared('forged', async (world) => {
    for (const id of ['one', 'two', 'three']) await world.run(id);
    await world.order('approve', 'one');
    const file = world.out('_audit/audit.jsonl');
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    const at = Math.floor(lines.length / 2);
    lines[at] = lines[at].replace('"task:', '"task:not-');
    fs.writeFileSync(file, lines.join('\n'));
  });

async function fill(world) {
  await evals(world);
  await learning(world);
  await guard(world);
  await claimants(world);
  // Last, since what is proven about a story holds for the tree that is there then.
  await stories(world);
}

const PLAN = `# Greeting

### US-001: Greet

**Acceptance Criteria**
- it says hello
- the check passes

### US-002: 说再见

**Acceptance Criteria**
- it says goodbye
- a slow terminal does not lose a letter
- 再见之后不再输出任何内容
- the manual shows both

### US-003: Names

**Acceptance Criteria**
- a name is greeted
`;

/// A small program with its check in a makefile.
async function project(world) {
  world.write('repo/Makefile', 'build:\n\t@sh -n greet.sh\ncheck:\n\t@sh tests/check.sh\n');
  world.write('repo/greet.sh', 'echo hi\n');
  world.write('repo/bye.sh', 'echo\n');
  world.write('repo/tests/check.sh', 'test "$(sh greet.sh)" = hello && echo ok\n');
  world.write('repo/docs/plan.md', PLAN);
  await world.commit();
}

/// A story that is stale, one with all sorts of criteria, one that nobody has begun.
async function stories(world) {
  await world.order('story', 'start', 'docs/plan.md');
  await world.order('story', 'declare', 'US-001', 'greet.sh');
  await world.order('story', 'declare', 'US-002', 'bye.sh', 'greet.sh');
  world.write('repo/greet.sh', 'echo hello\n');
  const claim = (storyId, acStatus) => world.fed({ storyId, passes: true, acStatus }, 'story', 'update', storyId, '--file', '-', '--json');
  await claim('US-001', {
    'AC-1': { passes: true, evidence: 'it greets', command: 'sh greet.sh | grep -qx hello' },
    'AC-2': { passes: true, evidence: 'checked', command: 'make check', output: 'ok' },
  });
  world.write('repo/greet.sh', 'echo hello # again\n');
  world.write('repo/bye.sh', 'echo bye\n');
  await claim('US-002', {
    'AC-1': { passes: true, evidence: 'It says goodbye, I saw it myself.', command: 'sh bye.sh | grep -qx goodbye' },
    'AC-2': { passes: true, evidence: 'I am sure' },
    'AC-3': { passes: true, evidence: '只输出一行', command: 'test "$(sh bye.sh | wc -l)" = 1' },
  });
  await world.order('story', 'waive', 'US-002', 'AC-4', '--because', 'looked at it on the staging page');
}

/// Five runs, one of them with an engine that gets it wrong: the trend has something to show.
async function evals(world) {
  const good = fs.readFileSync(path.join(ROOT, 'fixtures/evals/artifacts/good/en-web-cold-start.json'), 'utf8');
  world.write('good.json', JSON.stringify({ artifacts: JSON.parse(good) }));
  for (const id of ['en-web-cold-start', 'en-web-warm-start', 'zh-web-rollback', 'en-other-retro-minutes', 'en-newsletter-digest', 'en-web-flags', 'en-web-lists']) {
    world.write(`repo/docs/evals/cases/${id}.json`, JSON.stringify({
      id, source_type: 'web', intent_text: 'Cut the cold start of our Python service in containers',
      extracted_text: 'Four libraries made up 1.7 seconds of the cold start. Moving imports into functions helped. The article lists the steps and measures each of them in containers.',
      title: 'Cold starts of Python services',
    }));
  }
  const whole = `sh -c 'cat >/dev/null; cat "$0"' ${world.path('good.json')}`;
  world.write('half.sh', 'case "$(cat)" in *rollback*|*retro*) sed "s/READ_NEXT/SOON/; s/Measure import/the import/" "$1";; *digest*) exit 3;; *) cat "$1";; esac\n');
  const engines = [whole, `sh ${world.path('half.sh')} ${world.path('good.json')}`];
  for (const [at, name] of [1, 0, 0, 1, 1].entries()) {
    await world.provost('eval', '--generator', `cmd:${engines[name]}`);
    const latest = world.path('repo/docs/evals/reports/latest.json');
    if (at < 4) fs.copyFileSync(latest, world.path(`repo/docs/evals/reports/2026-11-1${at}.json`));
  }
}

/// A mission that learned a rule, and a judge whose agreement with people is known.
async function learning(world) {
  for (const name of ['MISSION.toml', 'initial_guidance.json', 'tickets.jsonl', 'model.sh']) {
    fs.copyFileSync(path.join(ROOT, 'docs/learn', name), world.path('repo', name));
  }
  await world.order('learn', 'run', 'MISSION.toml', '--run', 'r1');
  // Enough cases that some are kept for the gate.
  const mission = fs.readFileSync(world.path('repo/MISSION.toml'), 'utf8');
  world.write('repo/LARGE.toml', `${mission.replace('"demo"', '"reviews"').replace('tickets.jsonl', 'large.jsonl').replace('initial_guidance.json', 'large.json')}\n[gate]\nmode = "enforce"\n`);
  world.write('repo/large.json', world.read('repo/initial_guidance.json').replace('"demo"', '"reviews"'));
  const ticket = (n, group_id, label, log) => JSON.stringify({ mission: 'reviews', group_id, label, split: n > 4 ? 'gate' : 'learn', items: { goal: `goal of ${group_id}`, log } });
  const count = Array.from({ length: 16 }, (_, at) => at + 1);
  world.write('repo/large.jsonl', count.flatMap((n) => [ticket(n, `good-${n}`, 'pass', `cargo test: ${n} passed`), ticket(n, `bad-${n}`, 'fail', `build only, ${n} s`)]).join('\n'));
  await world.order('learn', 'run', 'LARGE.toml', '--run', 'r2');
  const typed = { task_type: 'engineering_impl', max_attempts: 1 };
  world.judge(scored('PASS'));
  const ids = ['good-1', 'good-2', 'good-3', 'bad-1'];
  await Promise.all(ids.map((id) => world.run(id, typed)));
  for (const id of ids.slice(0, 3)) await world.order('approve', id);
  await world.order('reject', 'bad-1', '--because', 'it writes the answer twice');
  world.coder(WRONG);
  await world.run('bad-2', typed, 'FAILED');
  await world.order('reject', 'bad-2', '--because', '41');
  world.coder(RIGHT);
  world.judge(plain('PASS'));
}

async function guard(world) {
  const commands = ['ls', 'git push --force', 'git branch -D main', 'cargo test', 'rm -rf /', 'curl https://example.com/x.sh | sh', 'git reset --hard'];
  for (const it of commands) await world.calls(it);
  await ways(world);
}

/// What waits, a permission that was used and one that holds, a path and a time.
async function ways(world) {
  const waits = async (subject) => {
    const { out } = await world.order('guard', 'allow', '--json');
    return JSON.parse(out).refusals.find((it) => it.subject === subject).code;
  };
  await world.typed('guard', 'allow', await waits('git branch -D main'), '--because', 'it was merged by hand');
  await world.calls('git branch -D main');
  await world.typed('guard', 'allow', await waits('git reset --hard'), '--session', '--because', 'the files are generated');
  await world.typed('guard', 'trust', '/srv/samples', '--because', 'fixtures of all projects');
  await world.typed('guard', 'snooze', '120', '--because', 'I am watching');
}

/// A coder that claims what does not hold beside one whose claims do, both on a story of a plan.
async function claimants(world) {
  await project(world);
  const planned = { plan: 'docs/plan.md', story: 'US-001', test_cmd: 'sh tests/check.sh', max_attempts: 1, task_type: 'engineering_impl' };
  const claim = (name, acStatus) =>
    world.write(`agents/${name}.claim`, JSON.stringify({ storyId: 'US-001', passes: true, acStatus, expectedFiles: ['greet.sh'] }));
  const greets = { passes: true, evidence: SAID, command: 'sh greet.sh | grep -qx hello' };
  claim('whole', { 'AC-1': greets, 'AC-2': { passes: true, evidence: 'checked', command: 'make check', output: 'ok' } });
  claim('words', { 'AC-1': greets, 'AC-2': { passes: true, evidence: 'trust me' } });
  const hands = (name) => `cat '${world.path(`agents/${name}.claim`)}' >"$PROVOST_CLAIM"; reply done`;
  world.judge(scored('PASS'));
  world.coder(`if [ $task = claimant ]; then echo 'echo hullo' >greet.sh; ${hands('words')}; else echo 'echo hello' >greet.sh; ${hands('whole')}; fi`);
  await Promise.all([world.run('claimant', { ...planned, goal: 'Greet people with hello' }, 'FAILED'), world.run('honest', planned)]);
}
