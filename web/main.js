// Start, the frame around every view, and which view stands where: rail, tabs, banners, light or dark.
import { html, render, signal, useEffect, useErrorBoundary, useRef } from './ui.js';
import { choose, clock, lang, moreWords, now, number, preferred, speak, spell, word } from './i18n.js';
import { arrivals, close, Dialog, go, Link, LiveRegion, Overlay, overlay, place, returning, show, useKeys } from './frame.js';
import { board, headers, health, heardAt, readOnly, session, signIn, signOut, tokenInAddress, watch } from './store.js';
import { connection, stream } from './stream.js';
import { Banner, Icon, Refused, Skeleton, Sprite } from './parts/basics.js';

// Light or dark: what the system says, unless the person chose -----------------------------------

const STORED = 'provost.theme';
const stored = localStorage.getItem(STORED);
/** @type {{value: 'auto' | 'light' | 'dark', peek(): 'auto' | 'light' | 'dark'}} */
const theme = signal(stored === 'light' || stored === 'dark' ? stored : 'auto');

function apply() {
  const root = document.documentElement;
  if (theme.peek() === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme.peek();
}

function nextTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const shown = theme.peek() === 'auto' ? (dark ? 'dark' : 'light') : theme.peek();
  const other = shown === 'dark' ? 'light' : 'dark';
  // Back to what the system says, if that is the other one.
  theme.value = (other === 'dark') === dark ? 'auto' : other;
  localStorage.setItem(STORED, theme.peek());
  apply();
}

apply();

// The frame --------------------------------------------------------------------------------------

const VIEWS = ['tasks', 'inbox', 'stories', 'evals', 'learn', 'guard', 'audit'];
const isAt = view => place.value.view === view || (view === 'tasks' && ['task', 'new'].includes(place.value.view));
const waits = () => board.value?.counts?.waits ?? 0;
function Shell({ children }) {
  useKeys({
    palette: openPalette, '?': openKeys,
    n: () => { if (!readOnly.peek()) go({ view: 'new' }); },
  });
  return html`<a class="skip" href="#main">${word('skip')}</a><${Sprite} />
    <div class="shell"><${Rail} />
      <main class="main" id="main"><${Notices} />${children}</main></div>
    <${Tabs} /><${LiveRegion} /><${Overlay} />`;
}

const openPalette = () => {
  if (overlay.peek()) return close();
  import('./parts/order.js').then(({ Palette }) => show(() => html`<${Palette} />`));
};
const openKeys = () => { import('./parts/order.js').then(({ KeyMap }) => show(() => html`<${KeyMap} />`)); };
const openMore = () => show(() => html`<${More} />`);

const Rail = () => html`<header class="rail">
  <div><${Link} class="brand" to=${{ view: 'tasks' }}><${Icon} name="mark" />provost</${Link}><div class="where cut" title=${health.value?.project}>${health.value?.project}</div></div>
  <nav class="nav" aria-label=${word('views')}>${VIEWS.map(view => html`<${Link} key=${view} to=${{ view }} aria-current=${isAt(view) ? 'page' : undefined}><span>${word(`view_${view}`)}</span>${view === 'inbox' && waits() > 0 && html`<span class="n hot">${number(waits())}</span>`}</${Link}>`)}</nav>
  <${Foot} />
  <button class="look" type="button" aria-label=${word('palette')} onClick=${openPalette}><${Icon} name="find" /></button>
</header>`;

function Foot() {
  const { state } = connection.value;
  const chain = health.value?.chain?.state ?? 'unknown';
  return html`<div class="foot">
    <div class=${`row ${state === 'live' ? 'ok' : 'wait'}`}><${Icon} name=${state === 'live' ? 'live' : 'off'} /><span>${word(state === 'live' ? 'live' : 'not_live')}</span></div>
    ${chain !== 'unknown' && html`<div class=${`row opt ${chain === 'broken' ? 'bad' : ''}`}><${Icon} name="chain" /><span>${word(chain === 'broken' ? 'chain_broken' : 'chain_intact')}</span></div>`}
    ${session.value && html`<div class="row opt"><${Icon} name="lock" /><span class="cut" title=${session.value.person}>${word(readOnly.value ? 'person_reads' : 'person_orders', { person: session.value.person })}</span></div>`}
    <div class="toggles"><${Languages} /><span class="pair"><button type="button" class="as-link" onClick=${nextTheme}>${word('theme')}</button> <button type="button" class="as-link" onClick=${openKeys}>${word('keys')} <kbd>?</kbd></button></span></div>
  </div>`;
}

const Languages = () => html`<span class="pair" role="group" aria-label=${word('language')}>
  <button type="button" class="as-link" lang="en" aria-pressed=${lang.value === 'en' ? 'true' : 'false'} onClick=${() => choose('en')}>EN</button>
  <button type="button" class="as-link" lang="zh" aria-pressed=${lang.value === 'zh' ? 'true' : 'false'} onClick=${() => choose('zh')}>中文</button></span>`;

function Tabs() {
  const counts = board.value?.counts;
  const tab = (view, count) => html`<${Link} key=${view} to=${{ view }} aria-current=${isAt(view) ? 'page' : undefined}><span><b>${count === undefined ? '·' : number(count)}</b>${word(`view_${view}`)}</span></${Link}>`;
  return html`<nav class="tabs" aria-label=${word('views_tabs')}>${tab('inbox', counts?.waits)}${tab('tasks', counts?.all)}${tab('stories')}${tab('guard')}
    <button type="button" aria-haspopup="dialog" onClick=${openMore}><span><b>⋯</b>${word('more')}</span></button></nav>`;
}

/** What has no place among the five tabs. */
function More() {
  return html`<${Dialog} label=${word('more')} class="sheet-up"><nav class="more" aria-label=${word('more')}>${['evals', 'learn', 'audit', 'new'].filter(it => it !== 'new' || !readOnly.value).map(view => html`<span key=${view} onClick=${close}><${Link} to=${{ view }}>${word(`view_${view}`)}</${Link}></span>`)}
    <div class="row"><${Languages} /><button type="button" class="as-link" onClick=${nextTheme}>${word('theme')}</button><button type="button" class="as-link" onClick=${() => { close(); signOut(); }}>${word('sign_out')}</button></div></nav></${Dialog}>`;
}

/** What holds for every view: reconnecting, read-only. */
function Notices() {
  const { state, tries, nextAt } = connection.value;
  const lost = state === 'lost' && tries > 2;
  return html`${lost && html`<${Banner} tone="wait" title=${word('reconnecting')} action=${html`<button type="button" class="btn" onClick=${() => stream.now()}>${word('try_now')}</button>`}>
      ${heardAt() !== null && word('shown_from', { time: clock(heardAt(), true) })} <${NextTry} tries=${tries} at=${nextAt} /></${Banner}>`}
    ${readOnly.value && html`<${Banner} icon="lock" title=${word('read_only')}>${word('read_only_detail')}</${Banner}>`}`;
}

const NextTry = ({ tries, at }) => word('next_try', { n: spell(tries), seconds: Math.max(0, Math.ceil(((at ?? 0) - now.value) / 1000)) });

// Views ------------------------------------------------------------------------------------------

/** Views are loaded when they are first shown. */
const load = {
  tasks: () => import('./views/tasks.js'),
  inbox: () => import('./views/inbox.js'),
  task: () => import('./views/task.js'),
  new: () => import('./views/new.js'),
  stories: () => import('./views/stories.js'),
  evals: () => import('./views/evals.js'),
  learn: () => import('./views/learn.js'),
  guard: () => import('./views/guard.js'),
  audit: () => import('./views/audit.js'),
  login: () => import('./views/login.js'),
  missing: () => import('./views/missing.js'),
};
const loaded = signal({});
/** Views that the first style sheet is enough for. */
const PLAIN = new Set(['tasks', 'login', 'missing']);
let styles = null;

/** The style of all other views, fetched with the first of them. */
function withStyle(view) {
  styles ??= PLAIN.has(view) ? null : new Promise((resolve, reject) => {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = '/app/views.css';
    sheet.onload = resolve;
    sheet.onerror = reject;
    document.head.append(sheet);
  });
  return styles;
}

/** Views with words that no other view needs. */
const WORDED = new Set(['audit', 'evals', 'guard', 'learn', 'new', 'stories']);

function use(view) {
  if (loaded.value[view]) return loaded.value[view];
  Promise.all([load[view](), withStyle(view), WORDED.has(view) && moreWords()]).then(([it]) => { loaded.value = { ...loaded.peek(), [view]: { View: it.default } }; },
    () => { loaded.value = { ...loaded.peek(), [view]: { failed: true } }; });
  return null;
}

/** Why a token that was in the address was not taken. */
const refusal = signal(null);

function Page() {
  const here = session.value ? place.value : { view: 'login' };
  const found = use(here.view);
  const { view, id } = here;
  useArrival(`${view} ${id ?? ''}`, Boolean(found));
  useEffect(() => { document.title = view === 'task' ? `${id} · provost` : `${word(`view_${view}`)} · provost`; });
  let content = html`<${Skeleton} />`;
  if (found?.failed) content = html`<${Refused} refusal=${{ text: { code: 'page.error_unreachable' }, hint: [], status: 0 }} />`;
  else if (found) content = html`<${Guarded} key=${`${view} ${id ?? ''}`}><${found.View} params=${here} refusal=${refusal.value} /></${Guarded}>`;
  return session.value ? html`<${Shell}>${content}</${Shell}>` : content;
}

/** A view that cannot draw what it got leaves the rest of the page usable. */
function Guarded({ children }) {
  const [error, again] = useErrorBoundary(reportError);
  if (!error) return children;
  return html`<${Refused} refusal=${{ text: { code: 'page.error_view' }, hint: [], status: 0 }} title=${word('cannot_show')} action=${html`<button type="button" class="btn" onClick=${again}>${word('again')}</button>`} />`;
}

/** Whether the focus needs no more care. */
function focusHeading() {
  // A list that is returned to takes the focus to its row by itself, and a person to where they are.
  if (returning.id || document.activeElement?.closest('main, dialog')) return true;
  const heading = document.querySelector('main h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
  return Boolean(heading);
}

/** Moves the focus to the heading, and the scroll to where it was. */
function useArrival(key, isThere) {
  const before = useRef(null);
  const arrival = arrivals.value;
  useEffect(() => {
    if (!isThere) return undefined;
    const first = before.current === null;
    before.current = key;
    if (first) return undefined;
    close();
    const { scroll } = history.state ?? {};
    // The heading can come later than the view, with its answer.
    const observer = new MutationObserver(() => { if (focusHeading()) observer.disconnect(); });
    const frame = requestAnimationFrame(() => {
      scrollTo(0, scroll ?? 0);
      if (!focusHeading()) observer.observe(document.getElementById('app'), { childList: true, subtree: true });
    });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [key, isThere, arrival]);
}

async function start() {
  const token = tokenInAddress();
  const words = speak(preferred()).catch(() => {});
  if (token) await signIn(token).catch(error => { refusal.value = error; });
  await words;
  stream.start(() => (session.peek() ? headers() : null));
  watch();
  session.subscribe(() => stream.settle());
  // The address of a server that was started again, opened in this tab: nothing is loaded for it.
  addEventListener('hashchange', () => {
    const fresh = tokenInAddress();
    if (fresh) signIn(fresh).catch(error => { refusal.value = error; });
  });
  render(html`<${Page} />`, document.getElementById('app'));
}

start();
