import path from 'node:path';
// A reporter of `node --test`: lines instead of text. Groups come from the nesting.
const relative = (file) => (file ? path.relative('@ROOT@', file).split(path.sep).join('/') : '');
const line = (it) => JSON.stringify(it) + '\n';
export default async function* (source) {
  yield line({ event: 'begin' });
  const stacks = new Map();
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      const stack = stacks.get(data.file) || [];
      stack.length = data.nesting;
      stack[data.nesting] = data.name;
      stacks.set(data.file, stack);
    } else if (type === 'test:pass' || type === 'test:fail') {
      if (data.details && data.details.type === 'suite') continue;
      const stack = (stacks.get(data.file) || []).slice(0, data.nesting);
      // A file without tests of its own is one, and named by where it lies, which differs from run to run.
      const name = path.isAbsolute(data.name) ? relative(data.name) : data.name;
      const names = [...stack, name];
      const skipped = data.skip !== undefined || data.todo !== undefined;
      const outcome = type === 'test:fail' && data.todo === undefined ? 'failed' : skipped ? 'skipped' : 'passed';
      yield line({ event: 'test', file: relative(data.file), path: names, outcome });
    }
  }
  yield line({ event: 'end' });
}
