// Keys. Single letters are off in fields, and can be switched off altogether (WCAG 2.1.4).
import { signal, useEffect, useRef } from './ui.js';
import { overlay } from './parts/dialog.js';
import { go } from './router.js';

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
