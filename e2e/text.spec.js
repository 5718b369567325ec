// Text is text: what an agent, a program or a person wrote is shown letter for letter and does
// nothing.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { inline, sinks } from './sinks.js';
import { ROOT } from './world.js';

/// The page's own sources; its libraries are held by their digests.
function sources(folder = path.join(ROOT, 'web')) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'vendor' ? [] : sources(at);
    return [at];
  });
}

// LOOP-U4: every source of the page is scanned.
test('no source of the page inserts text as markup', () => {
  const files = sources();
  assert.ok(files.filter((it) => it.endsWith('.js')).length >= 10, files.join());
  const found = [];
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');
    const name = path.relative(ROOT, file);
    if (file.endsWith('.js')) found.push(...sinks(text).map((it) => `${name}:${it}`));
    if (file.endsWith('.html')) found.push(...inline(text).map((it) => `${name}: ${it}`));
  }
  assert.deepEqual(found, []);
});

// LOOP-U4: the twin: each of these, planted, is found.
test('the scan finds a planted one', () => {
  const planted = [
    'row.inner' + 'HTML = goal;',
    'row.outer' + 'HTML = goal;',
    "row.insertAdjacent" + "HTML('beforeend', goal);",
    'html`<p dangerouslySet' + 'InnerHTML=${{ __html: goal }} />`',
    'document.' + 'write(goal)',
    'document.' + 'writeln(goal)',
    'new DOM' + 'Parser().parseFromString(goal, "text/html")',
    'ev' + 'al(goal)',
    'new Func' + 'tion(goal)()',
    'Func' + 'tion(goal)()',
    "setTimeout('owned()', 1)",
    'html`<iframe src' + 'doc=${goal} />`',
    'html`<p style="color:${goal}">`',
    'html`<p style=${goal}>`',
    'html`<a href=${row.link}>`',
    'html`<img src=${row.picture}>`',
    'html`<form action=${row.link}>`',
    'link.href = goal',
    "link.setAttribute('href', goal)",
    'location = goal',
    'location.assign(goal)',
    'window.open(goal)',
    'html`<a onclick="go()">`',
    "go('java" + "script:void 0')",
    'range.createContextual' + 'Fragment(goal)',
  ];
  for (const line of planted) assert.notDeepEqual(sinks(`const a = 1;\n${line}\n`), [], line);
  for (const line of ['html`<a href=${address(to)}>${goal}</a>`', 'row.textContent = goal', 'if (link.href === goal) {}', "link.href = '/app/views.css'", 'html`<use href=${`#${name}`} />`', 'html`<${Banner} action=${again} />`', 'html`<p title=${goal}>${goal}</p>`', 'html`<button onClick=${act}>`']) {
    assert.deepEqual(sinks(line), [], line);
  }
  for (const page of ['<script>1</script>', '<p style="x">', '<p onclick="x">', '<style>p{}</style>', '<script src="//evil.example/x.js"></script>']) {
    assert.notDeepEqual(inline(page), [], page);
  }
});
