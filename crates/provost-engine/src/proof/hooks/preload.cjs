'use strict';
// Adds a reporter to the runners that know one by their arguments.
const path = require('node:path');
const main = process.argv[1] || '';
const parts = main.split(/[\\/]/);
const is = (name) => parts.includes(name) || path.basename(main).replace(/\.[cm]?js$/, '') === name;
const here = (name) => path.join('@HOOKS@', name);
const has = (flag) => process.argv.some((it) => it === flag || it.startsWith(flag + '='));
if (is('jest')) {
  if (!has('--reporters')) process.argv.push('--reporters=default');
  process.argv.push('--reporters=' + here('jest.cjs'));
} else if (is('vitest')) {
  if (!has('--reporter')) process.argv.push('--reporter=default');
  process.argv.push('--reporter=' + here('vitest.mjs'));
} else if ((is('mocha') || is('_mocha')) && !process.argv.includes('--version')) {
  process.argv.push('--reporter', here('mocha.cjs'));
}
