// Where the page is, what stands over it, and the keys that move it. Addresses are made here and nowhere else,
// never from data alone. Single letters are off in fields, and can be switched off altogether (WCAG 2.1.4).
import { html, signal, useEffect, useLayoutEffect, useRef } from './ui.js';

// Where the page is ------------------------------------------------------------------------------

const VIEWS = ['inbox', 'new', 'stories', 'evals', 'learn', 'guard', 'audit'];

/** @typedef {{view: string, id?: string}} Place */

/** @returns {Place} */
function parse(pathname) {
  let parts;
  try {
    parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return { view: 'missing' };
  }
  const [first, id, ...rest] = parts;
  if (!first) return { view: 'tasks' };
  if (rest.length) return { view: 'missing' };
  if (first === 'tasks' && id) return { view: 'task', id };
  return VIEWS.includes(first) ? { view: first, id } : { view: 'missing' };
}

/** @param {Place} to */
function address({ view, id }) {
  if (view === 'task') return `/tasks/${encodeURIComponent(id ?? '')}`;
  if (view === 'tasks') return '/';
  return `/${view}${id ? `/${encodeURIComponent(id)}` : ''}`;
}

export const place = signal({ ...parse(location.pathname), state: history.state ?? {} });
/** The row of the list that the keys are on; a task that was opened is returned to. */
export const current = signal('');
/** The row of a list that takes the focus when one returns to it. */
export const returning = { id: '' };
/** Counts arrivals, so that a view knows that it was entered. */
export const arrivals = signal(0);
history.scrollRestoration = 'manual';

const keepScroll = () => history.replaceState({ ...history.state, scroll: scrollY }, '');

/**
 * @param {Place} to
 * @param {object} [state] what the view is told, such as the order to open
 */
export function go(to, state = {}) {
  keepScroll();
  history.pushState(state, '', address(to));
  arrive();
}

function arrive() {
  place.value = { ...parse(location.pathname), state: history.state ?? {} };
  arrivals.value += 1;
}

/** Leaves a task for the list, on the row it was opened from. */
export function back(id) {
  current.value = id;
  returning.id = id;
  go({ view: 'tasks' });
}

addEventListener('popstate', () => {
  arrive();
  returning.id = place.peek().view === 'tasks' ? current.peek() : '';
});
addEventListener('pagehide', keepScroll);

/** A link to one of our own views. */
export function Link({ to, class: className, children, state, ...rest }) {
  const follow = event => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to, state);
  };
  return html`<a ...${rest} class=${className} href=${address(to)} onClick=${follow}>${children}</a>`;
}

// Over the page ----------------------------------------------------------------------------------

/** What is open over the page: a function that draws it. */
export const overlay = signal(null);
export const show = draw => { overlay.value = draw; };
export const close = () => { overlay.value = null; };

/** @param {{label: string, class?: string, children: unknown, onClose?: () => void}} props */
export function Dialog({ label, class: className = '', children, onClose = close }) {
  const box = useRef(null);
  const newest = useRef(onClose);
  newest.current = onClose;
  useLayoutEffect(() => {
    const element = box.current;
    const before = document.activeElement;
    // At the key itself: what closes by itself tells of it later, and a key in between would be lost.
    const cancelled = event => {
      event.preventDefault();
      newest.current();
    };
    // The browser closes by itself when Escape is pressed twice: its cancel event can be missing.
    const closed = () => newest.current();
    element.addEventListener('cancel', cancelled);
    element.addEventListener('close', closed);
    element.showModal();
    element.querySelector('[data-first]')?.focus();
    return () => {
      element.removeEventListener('cancel', cancelled);
      element.removeEventListener('close', closed);
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const outside = event => { if (event.target === box.current) onClose(); };
  return html`<dialog ref=${box} class=${`dialog ${className}`} aria-label=${label} onMouseDown=${outside}>${children}</dialog>`;
}

/** Stands once in the shell. */
export const Overlay = () => (overlay.value ? overlay.value() : null);

// A voice for screen readers: at most one sentence in 10 seconds ---------------------------------

const PAUSE_MS = 10_000;
const said = signal('');
let last = 0;
let waiting = null;

/** Says it now, or as soon as it is allowed; a newer sentence replaces one that waits. */
export function announce(text) {
  clearTimeout(waiting);
  const rest = last + PAUSE_MS - Date.now();
  const speak = () => {
    last = Date.now();
    said.value = text;
  };
  if (rest <= 0) speak();
  else waiting = setTimeout(speak, rest);
}

export const LiveRegion = () => html`<div class="vh" role="status" aria-live="polite">${said.value}</div>`;

// Keys -------------------------------------------------------------------------------------------

const STORED = 'provost.keys';
/** @type {{value: boolean, peek(): boolean}} */
export const lettersOn = signal(localStorage.getItem(STORED) !== 'off');

export function switchLetters(on) {
  localStorage.setItem(STORED, on ? 'on' : 'off');
  lettersOn.value = on;
}

const GO = { i: 'inbox', t: 'tasks', s: 'stories', e: 'evals', l: 'learn', g: 'guard', a: 'audit' };
/** @type {Record<string, (event: KeyboardEvent) => unknown>[]} */
const maps = [];
let leader = 0;

/** The keys of a view, for as long as it is there. */
export function useKeys(map) {
  const newest = useRef(map);
  newest.current = map;
  useEffect(() => {
    const entry = new Proxy({}, { get: (_, key) => newest.current[key] });
    maps.push(entry);
    return () => { maps.splice(maps.indexOf(entry), 1); };
  }, []);
}

const isField = element => element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

function handler(name) {
  for (let at = maps.length - 1; at >= 0; at -= 1) if (maps[at][name]) return maps[at][name];
  return null;
}

function pressed(event) {
  if (event.isComposing || event.defaultPrevented) return;
  const command = event.metaKey || event.ctrlKey;
  if (command && !event.altKey && event.key.toLowerCase() === 'k') return run('palette', event);
  if (command && event.key === 'Enter') return run('send', event);
  if (command || event.altKey) return;
  const field = isField(event.target);
  if (event.key === 'Escape') {
    if (overlay.peek()) return;
    if (field) event.target.blur();
    return run('Escape', event);
  }
  // A dialog has its own keys.
  if (field || overlay.peek()) return;
  if (event.key === 'Enter' || event.key.startsWith('Arrow')) {
    if (event.key === 'Enter' && /^(A|BUTTON|SUMMARY)$/.test(event.target?.tagName ?? '')) return;
    return run(event.key, event);
  }
  if (!lettersOn.peek() || event.key.length !== 1) return;
  const isSecond = Date.now() - leader < 1500;
  leader = 0;
  if (isSecond && GO[event.key]) {
    event.preventDefault();
    return go({ view: GO[event.key] });
  }
  if (event.key === 'g') {
    leader = Date.now();
    return;
  }
  run(event.key, event);
}

function run(name, event) {
  const act = handler(name);
  if (act && act(event) !== false) event.preventDefault();
}

addEventListener('keydown', pressed);
