// The page fills templates as the command line does: both render the same table of cases.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';

import { renderText } from '../web/template.js';

const cases = JSON.parse(fs.readFileSync(new URL('../fixtures/messages/cases.json', import.meta.url), 'utf8'));

test('every case is rendered as the catalogue of the command line does', () => {
  for (const it of cases) {
    for (const lang of ['en', 'zh']) {
      assert.equal(renderText({ code: 'case', args: it.args }, lang, { case: it[lang] }), it[`is_${lang}`], it[lang]);
    }
  }
});

test('a text of somebody else stays as it is, and a code without a text is seen', () => {
  assert.equal(renderText({ text: '{a} <b>' }, 'en', {}), '{a} <b>');
  assert.equal(renderText({ text_en: 'one', text_zh: '一' }, 'zh', {}), '一');
  assert.equal(renderText({ code: 'outer', args: { inner: { code: 'inner', args: { n: 2 } } } }, 'en', { outer: '({inner})', inner: '{n} {n:day|days}' }), '(2 days)');
  assert.equal(renderText({ code: 'no.such', args: {} }, 'en', {}), 'no.such');
});
