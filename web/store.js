// What the page knows of the server: the key, conditional answers, and which of them are stale.
import { batch, computed, effect, signal, useEffect, useMemo } from './ui.js';
import { learn, word } from './i18n.js';
import { stream } from './stream.js';
import { announce } from './frame.js';

const STORED = 'provost.key';

/** @typedef {{key: string, expires_at: string, person: string, read_only: boolean}} Session */

/** @type {{value: Session | null, peek(): Session | null}} */
export const session = signal(stored());
let heard = null;
/** When the newest answer came. No signal: a 304 must draw nothing. */
export const heardAt = () => heard;

function stored() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? 'null');
    return kept?.key && new Date(kept.expires_at) > new Date() ? kept : null;
  } catch {
    return null;
  }
}

/** An answer other than the one that was asked for. */
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer?.code ?? String(status));
    this.status = status;
    /** What to say: code and arguments. */
    this.text = answer?.code ? { code: answer.code, args: answer.args ?? {} } : { code: status ? 'page.error_unknown' : 'page.error_unreachable', args: { status } };
    this.code = answer?.code ?? '';
    this.hint = answer?.hint ?? [];
  }
}

export const headers = () => {
  const key = session.peek()?.key;
  return key ? { authorization: `Bearer ${key}` } : {};
};

/**
 * One request. A 304 answers `{changed: false}`.
 * @param {string} path
 * @param {{method?: string, body?: unknown, etag?: string | null}} [options]
 */
export async function request(path, { method = 'GET', body, etag } = {}) {
  const key = session.peek()?.key;
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: {
        accept: 'application/json', ...headers(),
        ...(etag && { 'if-none-match': etag }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: 'no-store', credentials: 'omit', redirect: 'error',
    });
  } catch {
    throw new Refusal(0, null);
  }
  if (answer.status === 304) {
    heard = Date.now();
    return { changed: false, status: 304 };
  }
  const content = await answer.json().catch(() => null);
  if (content) await learn(content);
  if (answer.status === 401 && key && session.peek()?.key === key) forget();
  if (!answer.ok) throw new Refusal(answer.status, content);
  heard = Date.now();
  return { changed: true, status: answer.status, body: content, etag: answer.headers.get('etag') };
}

// Answers, by address ---------------------------------------------------------------------------

class Resource {
  constructor(url) {
    this.url = url;
    this.data = signal(undefined);
    /** @type {{value: Refusal | null}} */
    this.error = signal(null);
    this.etag = null;
    this.users = 0;
    this.askedAt = 0;
    this.running = null;
    this.again = false;
  }

  /** Asks again, conditionally; while a request is under way, once more behind it. */
  refresh() {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.ask().finally(() => {
      this.running = null;
      if (this.again) {
        this.again = false;
        if (this.users) this.refresh();
      }
    });
    return this.running;
  }

  async ask() {
    this.askedAt = Date.now();
    try {
      const answer = await request(this.url, { etag: this.etag });
      batch(() => {
        if (this.error.peek()) this.error.value = null;
        // A 304 touches no signal, so nothing is drawn.
        if (!answer.changed) return;
        this.etag = answer.etag;
        this.data.value = answer.body;
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Without a connection the banner speaks, and what is shown stays.
      if (error.status || this.data.peek() === undefined) this.error.value = error;
    }
  }
}

/** @type {Map<string, Resource>} */
const resources = new Map();
/** How many answers are kept that nothing on the page uses. */
const KEPT = 40;

/** The answer at this address; asked for as long as it is used. */
export function obtain(url) {
  const known = resources.get(url);
  if (known) {
    // The newest stand last.
    resources.delete(url);
    resources.set(url, known);
    return known;
  }
  const unused = [...resources.values()].filter(it => !it.users);
  unused.slice(0, -KEPT).forEach(it => resources.delete(it.url));
  const resource = new Resource(url);
  resources.set(url, resource);
  return resource;
}

/**
 * Keeps an answer fresh until the returned function is called.
 * @param {Resource} resource
 * @param {string[]} topics of the stream that make it stale
 */
export function retain(resource, topics) {
  resource.users += 1;
  if (resource.data.peek() === undefined || Date.now() - resource.askedAt > 1000) resource.refresh();
  const leave = topics.map(topic => stream.subscribe(topic, () => resource.refresh()));
  return () => {
    resource.users -= 1;
    leave.forEach(it => it());
  };
}

const IDLE = new Resource('');

/**
 * The answer at an address for as long as the component is there.
 * @param {string | null} url
 * @param {string[]} [topics]
 */
export function useResource(url, topics = ['board']) {
  const resource = useMemo(() => (url ? obtain(url) : IDLE), [url]);
  useEffect(() => (url ? retain(resource, topics) : undefined), [resource, topics.join()]);
  return resource;
}

/** Asks for everything in use again, conditionally. */
export function refreshAll() {
  return Promise.all([...resources.values()].filter(it => it.users).map(it => it.refresh()));
}

// The key ---------------------------------------------------------------------------------------

/** Trades a token for a key. */
export async function signIn(token) {
  const { body } = await request('/api/session', { method: 'POST', body: { token } });
  localStorage.setItem(STORED, JSON.stringify(body));
  session.value = body;
}

/** The token of the address, taken out of it and of the history. */
export function tokenInAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function forget() {
  localStorage.removeItem(STORED);
  resources.clear();
  session.value = null;
}

export async function signOut() {
  await request('/api/session', { method: 'DELETE' }).catch(() => {});
  forget();
}

// Another tab signed in or out.
addEventListener('storage', event => {
  if (event.key !== STORED) return;
  resources.clear();
  session.value = stored();
});

/** A number that no other order has. */
export function requestId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Only a secure context has it; another address of this machine is none.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map(it => it.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

// The server itself, and the counts that every view shows ----------------------------------------

/** The first page of what waits; the list shows the same answer. */
const WAITS = '/api/tasks?group=waits&limit=50';
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
