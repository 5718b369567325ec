// A world in which every text that somebody else writes is a hostile one: goals, ids, questions,
// verdicts, file names, changes, output, plans, rules, rulings, reasons.

import fs from 'node:fs';
import path from 'node:path';

import { HOSTILE } from './hostile.js';
import { ROOT, World, plain, quoted, scored } from './world.js';

/// What can name a file: no folder in it, and not too long.
export const NAMES = HOSTILE.filter((it) => !it.includes('/') && Buffer.byteLength(it) < 200);
/// Ids that mean something to JavaScript, as the grammar of ids lets them be.
export const IDS = ['constructor', 'hasOwnProperty', 'toString', 'window-owned-1'];
/// The criteria of a plan are lines.
export const LINES = HOSTILE.filter((it) => !/[\t\r\n]/.test(it));

export const spite = () => World.shared('spite', fill);

async function fill(world) {
  await tasks(world);
  await goals(world);
  await plans(world);
  await rules(world);
  await guard(world);
}

async function tasks(world) {
  world.write('agents/all.txt', `${HOSTILE.join('\n')}\n`);
  const all = quoted(world.path('agents/all.txt'));
  const files = NAMES.map((it) => `: >${quoted(it)}`).join('\n');
  world.coder(`cat ${all}; cat ${all} >hostile.txt\n${files}\nln -s answer.txt a-link; echo x >tool.sh; chmod +x tool.sh\necho 42 >answer.txt; reply done`);
  // A test that prints them, so that they are evidence and output.
  const shows = { test_cmd: 'test -e hostile.txt && cat hostile.txt; sh check.sh' };
  world.judge(scored('PASS', 4.5, { reasons: HOSTILE, top_issues: HOSTILE.slice(0, 5) }));
  await world.run('verdict', { ...shows, task_type: 'engineering_impl' });
  await world.order('reject', 'verdict', '--because', HOSTILE.join(' | '));
  world.judge(plain('NEED_USER_INPUT', { questions_for_user: HOSTILE.slice(0, 20), reasons: HOSTILE }));
  await world.run('asks', { ...shows, goal: HOSTILE[0] }, 'PAUSED');
}

/// A goal for each, and ids of their own: copies of a task that was run.
async function goals(world) {
  const names = (number) => IDS[number - 1] ?? `goal-${number}`;
  const ids = world.copies('asks', HOSTILE.length, names);
  const old = JSON.stringify(HOSTILE[0]);
  ids.forEach((id, at) => {
    for (const file of [world.out(id, 'task.json'), world.out(id, 'status.json'), world.out('_index/tasks', `${id}.json`)]) {
      const text = fs.readFileSync(file, 'utf8');
      fs.writeFileSync(file, text.replaceAll(`"goal": ${old}`, `"goal": ${JSON.stringify(HOSTILE[at])}`).replaceAll(`"goal":${old}`, `"goal":${JSON.stringify(HOSTILE[at])}`));
    }
  });
}

/// A plan with a title, criteria, claims and waivers of that kind.
async function plans(world) {
  world.write('repo/Makefile', 'build:\n\t@true\ncheck:\n\t@sh check.sh\n');
  const criteria = LINES.map((it) => `- ${it}`).join('\n');
  world.write('repo/docs/plan.md', `# ${LINES[2]}\n\n### US-001: ${LINES[3]}\n\n**Acceptance Criteria**\n${criteria}\n`);
  await world.commit();
  await world.order('story', 'start', 'docs/plan.md');
  await world.order('story', 'declare', 'US-001', 'answer.txt');
  world.write('repo/answer.txt', '42\n');
  const acStatus = Object.fromEntries(HOSTILE.slice(0, 40).map((evidence, at) => [`AC-${at + 1}`, { passes: true, evidence }]));
  await world.fed({ storyId: 'US-001', passes: true, acStatus }, 'story', 'update', 'US-001', '--file', '-', '--json');
  for (const at of [41, 45]) await world.order('story', 'waive', 'US-001', `AC-${at}`, '--because', HOSTILE[at]);
}

/// A mission whose rules, cases and reasons are of that kind.
async function rules(world) {
  const from = (name) => fs.readFileSync(path.join(ROOT, 'docs/learn', name), 'utf8');
  const experiences = { S1: HOSTILE[0], ...Object.fromEntries(HOSTILE.slice(1, 40).map((it, at) => [`G${at}`, it])) };
  world.write('repo/MISSION.toml', from('MISSION.toml'));
  world.write('repo/model.sh', from('model.sh'));
  world.write('repo/initial_guidance.json', JSON.stringify({ demo: { step: 0, updated_at: '2026-01-01T00:00:00Z', experiences } }));
  world.write('repo/tickets.jsonl', from('tickets.jsonl'));
  const ran = await world.provost('learn', 'run', 'MISSION.toml', '--run', 'r1');
  if (ran.exit !== 0) throw new Error(ran.text);
}

async function guard(world) {
  for (const it of HOSTILE) await world.calls(`git push --force ${quoted(it)}`);
  ways(world);
}

/// Ways out with such texts, for as long as the world is there: names that a client gave, reasons and
/// paths of a person.
function ways(world) {
  const all = world.path('home/.local/state/provost/guard-home/ways-out');
  const folder = path.join(all, fs.readdirSync(all)[0]);
  const change = (name, act) => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, JSON.stringify(act(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {})));
  };
  const [at, expires, by] = [Date.now(), Date.now() + 86_400_000, { source: 'cli', id: HOSTILE[1] }];
  let given;
  change('refusals.json', (file) => {
    given = file.refusals.map((it, n) => ({ ...it, expires, tool: HOSTILE[n], directory: HOSTILE[n + 1] }));
    const [permitted, ...refusals] = given;
    given = permitted;
    return { ...file, refusals };
  });
  const { code, call, rule } = given;
  change('permits.json', () => ({
    schema: 'provost.permits/1',
    permits: [{ code, call, scope: 'session', rule, subject: HOSTILE[2], because: HOSTILE[3], by, at, expires, is_spent: false }],
    trusted: HOSTILE.map((it) => ({ path: it, because: it, by, at })),
    snooze: { because: HOSTILE[4], by, at, expires },
  }));
}
