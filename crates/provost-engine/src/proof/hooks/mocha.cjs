'use strict';
const path = require('node:path');
const lines = require('@HOOKS@/lines.cjs')('mocha');
const fs = require('node:fs');
// The reporter that is shown is the one of the runner itself, found beside its main script, to which
// npm only links. Without it the record is kept all the same.
const shown = () => {
  try {
    let at = fs.realpathSync(process.argv[1] || '');
    while (path.basename(at) !== 'mocha' && path.dirname(at) !== at) at = path.dirname(at);
    return require(path.join(at, 'lib', 'reporters', 'spec.js'));
  } catch {
    return class {};
  }
};
const names = (test) => test.titlePath();
module.exports = function (runner, options) {
  const Spec = shown();
  const spec = new Spec(runner, options);
  runner.on('start', () => lines.begin());
  runner.on('pass', (it) => lines.test(it.file, names(it), 'passed'));
  runner.on('fail', (it) => lines.test(it.file, names(it), 'failed'));
  runner.on('pending', (it) => lines.test(it.file, names(it), 'skipped'));
  runner.on('end', () => lines.end());
  return spec;
};
