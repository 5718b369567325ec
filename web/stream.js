// One stream for each visible tab, over all topics that something on the page listens to.
import { signal } from './ui.js';

const HIDDEN_MS = 5000;
const POLL_MS = 5000;
const SILENT_MS = 45_000;

/** @type {{value: {state: 'off' | 'live' | 'lost', tries: number, nextAt: number | null}}} */
export const connection = signal({ state: 'off', tries: 0, nextAt: null });

const set = (state, tries = 0, nextAt = null) => {
  const old = connection.peek();
  if (old.state !== state || old.tries !== tries || old.nextAt !== nextAt) connection.value = { state, tries, nextAt };
};

class Stream {
  /** @type {Map<string, Set<(event: {name: string, data: any}) => void>>} */
  listeners = new Map();
  /** Gives the header with the key; null while nobody is signed in. */
  headers = () => null;
  cursor = null;
  topics = '';
  abort = null;
  tries = 0;
  timers = {};

  /** @param {string} topic */
  subscribe(topic, listener) {
    if (!this.listeners.has(topic)) this.listeners.set(topic, new Set());
    this.listeners.get(topic).add(listener);
    this.settle();
    return () => {
      const set = this.listeners.get(topic);
      set?.delete(listener);
      if (set && !set.size) this.listeners.delete(topic);
      this.settle();
    };
  }

  start(headers) {
    this.headers = headers;
    document.addEventListener('visibilitychange', () => this.settle());
    setInterval(() => this.poll(), POLL_MS);
    this.settle();
  }

  /** A view that goes and one that comes change the topics once, not twice. */
  settle() {
    clearTimeout(this.timers.settle);
    this.timers.settle = setTimeout(() => this.apply(), 30);
  }

  apply() {
    clearTimeout(this.timers.hide);
    if (document.hidden) {
      this.timers.hide = setTimeout(() => this.close(), HIDDEN_MS);
      return;
    }
    const topics = [...this.listeners.keys()].sort().join(',');
    if (!topics || !this.headers()) return this.close();
    if (this.abort && topics === this.topics) return;
    // A cursor holds for the topics that it was given for.
    if (topics !== this.topics) this.cursor = null;
    this.topics = topics;
    this.open();
  }

  close() {
    this.abort?.abort();
    this.abort = null;
    clearTimeout(this.timers.retry);
    this.tries = 0;
    set('off');
  }

  open() {
    this.abort?.abort();
    clearTimeout(this.timers.retry);
    const abort = new AbortController();
    this.abort = abort;
    this.read(abort).catch(() => {}).finally(() => {
      if (this.abort === abort) this.retry();
    });
  }

  retry() {
    this.abort = null;
    if (document.hidden || !this.headers()) return this.close();
    const wait = Math.min(10_000, 100 * 2 ** this.tries) * (0.5 + Math.random() / 2);
    this.tries += 1;
    set('lost', this.tries, Date.now() + wait);
    this.timers.retry = setTimeout(() => this.open(), wait);
  }

  /** The person does not want to wait. */
  now() {
    this.tries = 0;
    this.open();
  }

  async read(abort) {
    const answer = await fetch(`/api/stream?topics=${encodeURIComponent(this.topics)}`, {
      headers: { accept: 'text/event-stream', ...this.headers(), ...(this.cursor && { 'last-event-id': this.cursor }) },
      signal: abort.signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
    });
    if (!answer.ok || !answer.body) throw new Error(String(answer.status));
    const resumed = this.cursor !== null;
    this.tries = 0;
    set('live');
    // What happened before there was a cursor is in no event.
    if (!resumed) this.all({ name: 'reset', data: null });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const silence = () => {
      clearTimeout(this.timers.silence);
      this.timers.silence = setTimeout(() => abort.abort(), SILENT_MS);
    };
    let rest = '';
    try {
      for (;;) {
        silence();
        const { done, value } = await reader.read();
        if (done) return;
        const frames = (rest + value).split(/\r?\n\r?\n/);
        rest = frames.pop() ?? '';
        frames.forEach(it => this.frame(it));
      }
    } finally {
      clearTimeout(this.timers.silence);
    }
  }

  frame(text) {
    let name = 'message';
    const data = [];
    for (const line of text.split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      const field = line.slice(0, colon);
      const value = line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id') this.cursor = value;
    }
    if (name === 'ping' || name === 'message') return;
    let content = null;
    try {
      content = data.length ? JSON.parse(data.join('\n')) : null;
    } catch {
      return;
    }
    if (name === 'reset') this.all({ name, data: content });
    else this.tell(name, content);
  }

  tell(name, data) {
    for (const [topic, listeners] of this.listeners) {
      const [kind, ...parts] = topic.split(':');
      const known = [data?.task_id, data?.attempt, data?.role, data?.stream];
      if (kind !== name || parts.some((it, at) => known[at] !== undefined && String(known[at]) !== it)) continue;
      listeners.forEach(it => it({ name, data }));
    }
  }

  all(event) {
    for (const listeners of this.listeners.values()) listeners.forEach(it => it(event));
  }

  /** Without a stream, everything is asked for again, conditionally. */
  poll() {
    if (!document.hidden && this.headers() && connection.peek().state !== 'live') this.all({ name: 'reset', data: null });
  }
}

export const stream = new Stream();
