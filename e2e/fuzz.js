// Lets Schemathesis make up requests from the description of the interface of a real server, with
// the key: whatever is asked, the server does not fail, and its state stays whole.

import { spawn } from 'node:child_process';

import { Server } from './server.js';
import { World, bounded, end, plain } from './world.js';

const examples = process.argv[2] ?? '5';
const world = await World.make();
let code = 1;
try {
  await world.run('ready');
  world.judge(plain('NEED_USER_INPUT'));
  await world.run('question', {}, 'PAUSED');
  const server = await Server.start(world);
  const key = await server.session();
  // Ids that exist, so that what is behind them is reached; others are made up besides.
  world.write('home/schemathesis.toml', '[parameters]\n"path.id" = ["ready", "question", "none"]\n');
  const words = [
    'run',
    `${server.url}/api/openapi.json`,
    '--url',
    server.url,
    '--header',
    `Authorization: Bearer ${key}`,
    '--checks',
    'not_a_server_error',
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    examples,
    '--generation-deterministic',
    '--request-timeout',
    '10',
    '--suppress-health-check',
    'all',
    // An open stream never ends, and a key that is ended is of no use for the rest.
    '--exclude-path',
    '/api/stream',
    '--exclude-path',
    '/api/session',
  ];
  const child = spawn(process.env.PROVOST_E2E_SCHEMATHESIS, words, {
    env: { PATH: process.env.PATH, HOME: world.path('home'), NO_COLOR: '1' },
    cwd: world.path('home'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const over = new Promise((resolve) => child.once('exit', (it) => resolve(it ?? 1)));
  // A minute and a half for each example of each route is far more than it ever took.
  code = await bounded(over, 'the end of schemathesis', 90_000 * Math.max(5, Number(examples))).catch(
    async (error) => {
      await end(child, 'SIGKILL');
      throw error;
    },
  );
  const health = await server.get('/api/health');
  if (health.status !== 200) throw new Error(`afterwards: ${health.status}`);
  const audit = await world.provost('audit', 'verify');
  if (audit.exit !== 0) throw new Error(`afterwards: ${audit.text}`);
  console.log(`schemathesis: no request made the server fail (${examples} examples for each route)`);
} finally {
  await world.end();
}
process.exit(code);
