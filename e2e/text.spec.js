// Text is text: what an agent, a program or a person wrote is shown letter for letter and does
// nothing.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { browser, closeBrowser, settled, visit } from './browser.js';
import { HOSTILE } from './hostile.js';
import { Server } from './server.js';
import { inline, sinks } from './sinks.js';
import { IDS, LINES, NAMES, spite } from './spite.js';
import { ROOT, until } from './world.js';

let world;
let server;
before(async () => {
  world = await spite();
  server = await Server.start(world);
});
after(async () => {
  await world?.end();
  await closeBrowser();
});

/// The page's own sources; its libraries are held by their digests.
function sources(folder = path.join(ROOT, 'web')) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'vendor' ? [] : sources(at);
    return [at];
  });
}

// LOOP-A7, LOOP-U4: every source of the page is scanned.
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

/// Everything that the page shows or says, as one text.
const shown = (page) =>
  page.evaluate(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
      else for (const name of ['title', 'aria-label']) if (node.hasAttribute(name)) texts.push(`\n${node.getAttribute(name)}\n`);
    }
    return texts.join('');
  });

/// What a text has become that was taken for something else.
const harm = (page) =>
  page.evaluate(() => {
    const found = [];
    if ('owned' in window) found.push('window.owned');
    if ('owned' in {}) found.push('Object.prototype.owned');
    for (const it of document.querySelectorAll('img, iframe, object, embed, video, math, base, meta[http-equiv], template, body *:is(script, style, link)')) found.push(it.outerHTML.slice(0, 100));
    for (const it of document.querySelectorAll('*')) {
      for (const { name } of it.attributes) if (/^on/.test(name)) found.push(`${it.tagName} ${name}`);
      if (/^(?:java|vb)script:|^data:/i.test(it.getAttribute('href') ?? '')) found.push(it.outerHTML.slice(0, 100));
    }
    return found;
  });

/// Everything of the list, whose rows come as one scrolls.
async function wholeList(page) {
  let text = '';
  for (let y = 0; y < 40_000; y += 400) {
    await page.evaluate((to) => scrollTo(0, to), y);
    await settled(page);
    text += await shown(page);
    if (await page.evaluate(() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2 && !document.querySelector('.ghost'))) break;
  }
  return text;
}

const press = (page, name) => page.locator(`[data-role=${name}]`).click();

/// A plan is Markdown: a line with an entity, emphasis, a comment or an invisible letter in it means
/// another text, and that is the one that is shown.
const MEANT = LINES.filter((it) => !/&(?:lt|quot|#60);|<!|<\?|__|^\*|[\u00ad\u200b\u202e]/.test(it));

/// Marks that turn the direction of writing are spelled out, as on the command line.
const TURNS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const spelled = (text) => text.replace(new RegExp(TURNS, 'g'), (it) => `\\u{${it.codePointAt(0).toString(16)}}`);

/// A view, what is done on it, and the texts that must be there letter for letter.
const PLACES = [
  ['goals and ids in the list', '/', wholeList, [...HOSTILE, ...IDS]],
  ['questions in the inbox', '/inbox', shown, HOSTILE.slice(0, 20)],
  ['questions of a task', '/tasks/asks', shown, HOSTILE.slice(0, 20)],
  ['a goal and an id', '/tasks/hasOwnProperty', shown, [IDS[1], HOSTILE[1]]],
  ['a verdict, file names, a reason', '/tasks/verdict', shown, [...HOSTILE.slice(0, 5), ...NAMES, HOSTILE.join(' | ')]],
  ['a change', '/tasks/verdict', async (page) => {
    await page.getByRole('button', { name: 'hostile.txt', exact: true }).click();
    await page.locator('.dl.a').first().waitFor();
    return shown(page);
  }, HOSTILE],
  ['output of an agent', '/tasks/verdict', async (page) => {
    await press(page, 'coder');
    await page.locator('.log.theirs').waitFor();
    return shown(page);
  }, HOSTILE],
  ['output of a test', '/tasks/verdict', async (page) => {
    await press(page, 'test');
    await page.locator('.log').waitFor();
    return shown(page);
  }, HOSTILE],
  ['titles, criteria, claims and waivers', '/stories', async (page) => {
    const story = page.locator('.sid').first();
    if ((await story.getAttribute('aria-expanded')) !== 'true') await story.click();
    await page.locator('.crits').first().waitFor();
    return shown(page);
  }, [...MEANT, ...HOSTILE.slice(0, 40), HOSTILE[41], HOSTILE[45]]],
  ['rules', '/learn/demo', shown, HOSTILE.slice(0, 40)],
  ['rulings', '/guard', async (page) => {
    await until(async () => {
      const isMore = await page.evaluate(() => {
        const more = document.querySelector('main .note-line > .btn');
        more?.click();
        return Boolean(more);
      });
      await settled(page);
      return !isMore;
    }, 'all rulings');
    return shown(page);
  }, LINES],
  ['ways out of refusals', '/guard', async (page) => {
    await page.locator('.why-list').first().waitFor();
    return shown(page);
  }, HOSTILE],
  ['reasons in the audit chain', '/audit', async (page) => {
    await page.getByRole('button', { name: /Orders of people|人的指令/ }).click();
    await page.getByText('task.reject').waitFor();
    return shown(page);
  }, HOSTILE.slice(0, 3)],
];

// LOOP-A7: every field that can reach the page, in both languages.
for (const [what, at, act, texts] of PLACES) {
  test(`hostile texts are shown letter for letter: ${what}`, async () => {
    for (const lang of ['en', 'zh']) {
      const page = await visit(server, at, { lang });
      const text = await act(page);
      assert.deepEqual(texts.map(spelled).filter((it) => !text.includes(it)), [], `${what}, ${lang}`);
      assert.equal(TURNS.exec(text), null, `${what}, ${lang}`);
      assert.deepEqual(await harm(page), [], `${what}, ${lang}`);
      // Nothing left for another host, no dialog opened, and the policy had nothing to refuse.
      page.watch.clean();
      await page.context().close();
    }
  });
}

// A link and a program look like text in a diff: the mode is said.
test('what is no ordinary file is named', async () => {
  const page = await visit(server, '/tasks/verdict');
  const row = (name) => page.locator('.files li', { has: page.getByRole('button', { name, exact: true }) });
  assert.match(await row('a-link').innerText(), /symbolic link/);
  assert.match(await row('tool.sh').innerText(), /new, executable/);
  assert.doesNotMatch(await row('hostile.txt').innerText(), /link|executable|mode/);
  await row('a-link').getByRole('button').click();
  await page.locator('#diff header', { hasText: 'symbolic link' }).waitFor();
  page.watch.clean();
  await page.context().close();
});

// LOOP-A7: the twin: a page that takes them for markup is harmed, and that is noticed.
test('a page that takes them for markup is noticed', async () => {
  const context = await (await browser()).newContext();
  await context.route('**/*', (route) => route.abort());
  const taken = async (text) => {
    const page = await context.newPage();
    await page.evaluate((it) => document.body.setHTMLUnsafe(it), text);
    return page;
  };
  let harmed = 0;
  const some = HOSTILE.slice(0, 32).filter((_, at) => at % 3 === 0);
  for (const text of some) {
    const page = await taken(text);
    // One that leads the page elsewhere has harmed it as well.
    if ((await harm(page).catch((error) => [error])).length > 0) harmed += 1;
    await page.close();
  }
  assert.ok(harmed >= 8, `${harmed} of ${some.length}`);
  const page = await taken(HOSTILE.find((it) => it.startsWith('<img src=x')));
  await until(() => page.evaluate(() => 'owned' in window), 'the code of a text runs');
  await context.close();
});
