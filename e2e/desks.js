// What a desk has besides tasks: a plan with a story that was told done and is not, and a mission that
// learned something. Both are made by the real `provost`.

import fs from 'node:fs';
import path from 'node:path';

import { BINARY, ROOT } from './world.js';

const PLAN = `# Greeting

### US-001: Greet

**Acceptance Criteria**
- it says hello
- the check passes

### US-002: Part

**Acceptance Criteria**
- it says goodbye
`;

/// Starts a plan and claims its first story: one criterion fails, the other is words alone.
export async function plan(world) {
  world.write('repo/greet.sh', 'echo hi\n');
  world.write('repo/Makefile', 'build:\n\t@sh -n greet.sh\ncheck:\n\t@test "$(sh greet.sh)" = hello\n');
  world.write('plan.md', PLAN);
  await world.commit();
  await world.order('story', 'start', '../plan.md');
  await world.order('story', 'declare', 'US-001', 'greet.sh');
  const acStatus = {
    'AC-1': { passes: true, evidence: 'it greets', command: 'sh greet.sh | grep -qx hello' },
    'AC-2': { passes: true, evidence: 'I looked at it' },
  };
  const claim = JSON.stringify({ storyId: 'US-001', passes: true, acStatus });
  const ran = await world.program(BINARY, ['story', 'update', 'US-001', '--file', '-', '--json'], claim);
  if (ran.exit !== 1) throw new Error(`a claim without proof ended with ${ran.exit}: ${ran.text}`);
}

/// Lets the mission of the manual learn: its rules are in force, and one case waits for a person.
export async function mission(world) {
  for (const name of ['MISSION.toml', 'initial_guidance.json', 'tickets.jsonl', 'model.sh']) {
    fs.copyFileSync(path.join(ROOT, 'docs/learn', name), world.path('repo', name));
  }
  await world.order('learn', 'run', 'MISSION.toml', '--run', 'r1');
}
