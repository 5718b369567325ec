// Start, and which view stands where.
import { html, render, signal, useEffect, useErrorBoundary, useRef } from './ui.js';
import { preferred, speak, word, wordsOf } from './i18n.js';
import { arrivals, place, returning } from './router.js';
import { headers, session, signIn, tokenInAddress } from './store.js';
import { stream } from './stream.js';
import { watch } from './health.js';
import { Shell } from './shell.js';
import { Refused, Skeleton } from './parts/notice.js';
import { close } from './parts/dialog.js';
import './theme.js';

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

/** Views that have words of their own. */
const WORDED = new Set(['audit', 'evals', 'guard', 'learn', 'new', 'stories']);

function use(view) {
  if (loaded.value[view]) return loaded.value[view];
  Promise.all([load[view](), withStyle(view), WORDED.has(view) && wordsOf(view)]).then(([it]) => { loaded.value = { ...loaded.peek(), [view]: { View: it.default } }; },
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
