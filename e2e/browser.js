// The system's Chromium, with eyes for everything that must not happen on the page.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

import { ROOT, bounded, until } from './world.js';

// The packages lie under `target`, where the test command installed them.
const installed = createRequire(path.join(ROOT, 'target/e2e/package.json'));
const { chromium } = installed('playwright-core');
export const AXE = fs.readFileSync(installed.resolve('axe-core/axe.min.js'), 'utf8');

let shared;

/// One browser for a file; closed when its process ends.
export function browser() {
  const isRoot = os.userInfo().uid === 0;
  shared ??= chromium.launch({
    executablePath: process.env.PROVOST_CHROMIUM ?? find('chromium'),
    // Chromium refuses to run as root with its sandbox.
    args: [...(isRoot ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu', '--lang=en-US'],
    timeout: 60_000,
  });
  return shared;
}

export async function closeBrowser() {
  const open = shared;
  shared = undefined;
  if (!open) return;
  const children = chromiums();
  await bounded(open.then((it) => it.close()), 'the end of the browser').catch((error) => {
    // It leads a group of its own.
    for (const pid of children) process.kill(-pid, 'SIGKILL');
    throw error;
  });
}

/// The browsers that this process started.
function chromiums() {
  const file = `/proc/${process.pid}/task/${process.pid}/children`;
  const children = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split(' ').filter(Boolean) : [];
  return children.map(Number).filter((pid) => {
    const words = `/proc/${pid}/cmdline`;
    return fs.existsSync(words) && fs.readFileSync(words, 'latin1').includes('--remote-debugging-pipe');
  });
}

function find(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders.map((it) => path.join(it, name)).find((it) => fs.existsSync(it));
  if (!found) throw new Error(`\`${name}\` is not installed: run \`cargo xtask tools\``);
  return found;
}

/// What a visit looks like.
const USUAL = { scheme: 'light', width: 1280, height: 900, lang: 'en', motion: 'no-preference' };

/// A visit of the page: a context of its own, signed in, watched.
export async function visit(server, at = '/', wishes = {}) {
  const wish = { ...USUAL, ...wishes };
  const context = await (await browser()).newContext({
    viewport: { width: wish.width, height: wish.height },
    colorScheme: wish.scheme,
    reducedMotion: wish.motion === 'reduce' ? 'reduce' : 'no-preference',
    forcedColors: wish.forced ? 'active' : 'none',
    locale: wish.lang === 'zh' ? 'zh-CN' : 'en-US',
    timezoneId: 'UTC',
    hasTouch: wish.width < 600,
  });
  server.world.ends.unshift(() => context.close().catch(() => {}));
  const page = await context.newPage();
  const watch = new Watch(page, server, wish.expected ?? []);
  page.watch = watch;
  if (wish.before) await wish.before(page);
  if (!wish.isStranger) {
    // The token is traded on any page, and is gone from the address afterwards.
    await page.goto(`${server.url}${at}#token=${server.token}`);
    await settled(page);
  }
  return page;
}

/// Until the page has its heading, has drawn, and waits for no answer but those of its stream.
export async function settled(page) {
  const isCalm = () =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () => resolve(Boolean(document.querySelector('h1')) && !document.querySelector('[aria-busy=true], .ghost'));
          requestAnimationFrame(() => requestAnimationFrame(look));
        }),
    );
  let calm = 0;
  await until(async () => {
    const before = page.watch?.pending.size ?? 0;
    calm = before === 0 && (await isCalm()) && (page.watch?.pending.size ?? 0) === 0 ? calm + 1 : 0;
    return calm >= 2;
  }, `the page at ${page.url()} is drawn`, 30_000);
}

/// Changes how the page looks without loading it again.
export async function dress(page, scheme, lang) {
  await page.emulateMedia({ colorScheme: scheme });
  await page.evaluate((it) => import('/app/i18n.js').then(({ choose }) => choose(it)), lang);
  await settled(page);
}

/// Everything that must not happen while somebody uses the page.
export class Watch {
  constructor(page, server, expected = []) {
    this.faults = [];
    this.requests = [];
    this.answers = [];
    this.expected = expected;
    const own = () => server.url;
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      // Chromium writes a line for each answer that is an error; those are judged below.
      if (message.text().startsWith('Failed to load resource')) return;
      this.fault(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.fault(`uncaught: ${String(error.stack ?? error).split('\n').slice(0, 3).join('\n')}`));
    page.on('dialog', (dialog) => {
      this.fault(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    /// Requests without an answer; an open stream is none of them.
    this.pending = new Set();
    const over = (request) => this.pending.delete(request);
    page.on('requestfinished', over).on('requestfailed', over);
    page.on('request', (request) => {
      this.requests.push(request.url());
      if (!request.url().includes('/api/stream')) this.pending.add(request);
      if (!request.url().startsWith(own()) && !request.url().startsWith('data:')) {
        this.fault(`a request leaves: ${request.url()}`);
      }
    });
    page.on('response', async (response) => {
      this.answers.push({ url: response.url(), status: response.status() });
      if (response.status() >= 400) over(response.request());
      if (response.status() >= 400 && !this.expected.includes(response.status())) {
        this.fault(`${response.status()} ${response.url()}`);
      }
      const cookie = await response.headerValue('set-cookie').catch(() => null);
      if (cookie) this.fault(`a cookie: ${response.url()}`);
    });
    this.violations = page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }

  /// The same fault again says nothing new.
  fault(text) {
    if (!this.faults.includes(text)) this.faults.push(text);
  }

  /// Fails with everything that was seen.
  clean() {
    if (this.faults.length > 0) throw new Error(this.faults.join('\n'));
  }
}

/// What axe says about the page as it is now, as lines.
export async function axe(page) {
  // The policy of the page forbids scripts; what the driver evaluates is not part of the page.
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    }),
  );
  return found.violations.flatMap((it) =>
    it.nodes.map((node) => `${it.id}: ${node.target.join(' ')}: ${node.failureSummary}`),
  );
}

/// Counts changes of the whole document from now on.
export async function observe(page) {
  await page.evaluate(() => {
    window.mutations = [];
    window.observer?.disconnect();
    window.observer = new MutationObserver((records) => {
      for (const it of records) {
        const name = it.target.nodeName === '#text' ? it.target.parentNode : it.target;
        window.mutations.push(`${it.type} in ${name?.outerHTML?.slice(0, 120)}`);
      }
    });
    const everything = { subtree: true, childList: true, characterData: true, attributes: true };
    window.observer.observe(document, everything);
  });
}

export const mutations = (page) => page.evaluate(() => window.mutations);

/// Lets the page ask for everything that it shows again, by its own means.
export const refresh = (page) =>
  page.evaluate(() => import('/app/store.js').then((it) => it.refreshAll()));
