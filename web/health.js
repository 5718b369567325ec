// What the server says about itself, and the counts that every view shows.
import { computed, effect } from './ui.js';
import { obtain, retain, session } from './store.js';
import { announce } from './parts/live.js';
import { word } from './i18n.js';

/** The first page of what waits; the list shows the same answer. */
export const WAITS = '/api/tasks?group=waits&limit=50';
const HEALTH = '/api/health';
const HEALTH_MS = 30_000;

export const health = computed(() => (session.value ? obtain(HEALTH).data.value : undefined));
export const board = computed(() => (session.value ? obtain(WAITS).data.value : undefined));
export const readOnly = computed(() => Boolean(health.value?.read_only ?? session.value?.read_only));

let known = null;

/** Keeps both fresh while somebody is signed in. */
export function watch() {
  let leave = [];
  setInterval(() => { if (session.peek() && !document.hidden) obtain(HEALTH).refresh(); }, HEALTH_MS);
  effect(() => {
    leave.forEach(it => it());
    known = null;
    leave = session.value ? [retain(obtain(HEALTH), []), retain(obtain(WAITS), ['board'])] : [];
  });
  effect(() => {
    const rows = board.value?.tasks;
    if (!rows) return;
    const ids = new Set(rows.map(it => it.task_id));
    const fresh = known ? [...ids].filter(it => !known.has(it)) : [];
    known = ids;
    if (fresh.length === 1) announce(word('now_waits', { task: fresh[0] }));
    else if (fresh.length > 1) announce(word('now_wait', { n: fresh.length }));
  });
}
