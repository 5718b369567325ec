'use strict';
const fs = require('node:fs');
const path = require('node:path');
module.exports = (runner) => {
  const out = path.join('@RECORD@', `${runner}-${process.pid}.jsonl`);
  const write = (line) => fs.appendFileSync(out, JSON.stringify(line) + '\n');
  const relative = (file) => (file ? path.relative('@ROOT@', file).split(path.sep).join('/') : '');
  return {
    begin: () => write({ event: 'begin' }),
    end: () => write({ event: 'end' }),
    test: (file, names, outcome) =>
      write({ event: 'test', file: relative(file), path: names, outcome }),
  };
};
