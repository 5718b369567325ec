// The tasks that most views are looked at with: one of each kind, run once for all files.

import { World, plain, scored, RIGHT, WRONG } from './world.js';

const RUBRIC = { task_type: 'engineering_impl' };
const TWO_FILES = "echo 42 >answer.txt; echo '# read me' >notes.md; reply 'Wrote the answer.'";

export const gallery = () => World.shared('gallery', fill);

async function fill(world) {
  world.judge(scored('PASS'));
  world.coder(`if [ $attempt = 1 ]; then ${WRONG}; else ${TWO_FILES}; fi`);
  await world.run('ready', { ...RUBRIC, goal: 'Write 42 into answer.txt, and tell about it' });

  world.coder(RIGHT);
  await world.run('approved', RUBRIC);
  await world.order('approve', 'approved');
  await world.run('rejected', RUBRIC);
  await world.order('reject', 'rejected', '--because', 'not like this');

  world.judge(plain('NEED_USER_INPUT', { questions_for_user: ['Which of the two answers do you want?'] }));
  await world.run('question', {}, 'PAUSED');

  world.judge(plain('PASS'));
  // A coder that claims what it did not do, and a judge that believes it.
  await world.run('liar', { coder: 'script:claims_done_without_change', judge: 'script:pass', max_attempts: 1 }, 'FAILED');
  await world.run('cheat', { coder: 'script:edits_tests', judge: 'script:pass', allowed_paths: ['answer.txt'] }, 'PAUSED');
  await world.run('untested', { test_cmd: null, judge: 'j' });
  world.coder(WRONG);
  await world.run('failed', { max_attempts: 1 }, 'FAILED');
}

/// The values that fill the parameters of the routes.
export const VALUES = { id: 'ready', n: '2', role: 'test', type: 'engineering_impl', name: 'coordinator.log', file: 'answer.txt', topics: 'board', run: 'x', key: 'x', mission: 'x' };

/// Parameters of addresses that have nothing to show in this world.
export const ABSENT = /\{(run|key|mission)\}/;
