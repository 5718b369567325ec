import { createRequire } from 'node:module';
const lines = createRequire(import.meta.url)('@HOOKS@/lines.cjs')('vitest');
const OUTCOMES = { pass: 'passed', fail: 'failed' };
const walk = (file, task, names) => {
  if (task.type === 'suite') {
    for (const it of task.tasks || []) walk(file, it, [...names, task.name]);
  } else {
    lines.test(file.filepath, [...names, task.name], OUTCOMES[task.result && task.result.state] || 'skipped');
  }
};
export default class {
  onInit() {
    lines.begin();
  }
  onFinished(files = []) {
    for (const file of files) {
      for (const it of file.tasks || []) walk(file, it, []);
      const failed = file.result && file.result.state === 'fail';
      if (failed && !(file.tasks || []).length) lines.test(file.filepath, ['(load)'], 'failed');
    }
    lines.end();
  }
  onTestRunEnd(modules = []) {
    if (this.done) return;
    this.done = true;
    this.onFinished(modules.map((it) => it.task).filter(Boolean));
  }
}
