// What the steps of an attempt printed, as it is printed: both streams, the newest lines.
import { html, signal, useEffect, useLayoutEffect, useMemo, useRef } from '../ui.js';
import { word } from '../i18n.js';
import { Refusal, request } from '../store.js';
import { stream } from '../stream.js';

const LINES = 2000;
const NEAR_PX = 40;
const CHUNK = 65_536;
const STREAMS = ['stdout', 'stderr'];
const ROLES = ['coordinator', 'coder', 'test', 'judge', 'prepare'];

/** The newest lines of one log; bytes are asked for from where the last answer ended. */
class Tail {
  lines = signal([]);
  state = signal('loading');
  next = 0;
  rest = '';
  number = 0;
  busy = false;
  again = false;
  over = false;

  constructor(base) { this.base = base; }

  async pull() {
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    try {
      for (;;) {
        const { body } = await request(`${this.base}&from=${this.next}&limit=${CHUNK}`);
        if (this.over) return;
        this.take(body);
        if (body.next <= body.from || body.next === undefined || !body.text) break;
      }
      this.state.value = 'there';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.state.peek() === 'loading') this.state.value = error.status === 404 ? 'none' : 'refused';
    } finally {
      this.busy = false;
      if (this.again) { this.again = false; this.pull(); }
    }
  }

  /** Bytes that follow what is here; others are asked for. */
  take({ from, next, text }) {
    if (from !== this.next) { if (next > this.next) this.pull(); return; }
    this.next = next;
    if (!text) return;
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    const fresh = lines.map(it => ({ key: (this.number += 1), text: it.replace(/\r$/, '') }));
    const kept = [...this.lines.peek().filter(it => it.key !== 'rest'), ...fresh];
    // What has no end yet is a line as well.
    if (this.rest) kept.push({ key: 'rest', text: this.rest });
    this.lines.value = kept.slice(-LINES);
    this.state.value = 'there';
  }
}

/** @param {{task: string, attempt: number, role: {value: string}, isRunning: boolean}} props */
export function Log({ task, attempt, role, isRunning }) {
  const tails = useMemo(() => STREAMS.map(it => new Tail(`/api/tasks/${encodeURIComponent(task)}/attempts/${attempt}/logs/${role.value}?stream=${it}`)), [task, attempt, role.value]);
  useEffect(() => {
    const leave = tails.map((tail, at) => {
      tail.pull();
      return isRunning ? stream.subscribe(`log:${task}:${attempt}:${role.value}:${STREAMS[at]}`, ({ name, data }) => (name === 'log' && data ? tail.take(data) : tail.pull())) : null;
    });
    return () => { tails.forEach((tail, at) => { tail.over = true; leave[at]?.(); }); };
  }, [tails, isRunning]);
  const move = event => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = ROLES[(ROLES.indexOf(role.value) + by + ROLES.length) % ROLES.length];
    role.value = next;
    event.currentTarget.parentElement.querySelector(`[data-role=${next}]`)?.focus();
    event.preventDefault();
  };
  return html`<div class="panel"><div class="log-tabs"><div role="tablist" aria-label=${word('log')}>${ROLES.map(it => html`<button type="button" role="tab" key=${it} data-role=${it} aria-selected=${String(it === role.value)} tabindex=${it === role.value ? 0 : -1} onKeyDown=${move} onClick=${() => { role.value = it; }}>${word(`log_${it}`)}</button>`)}</div></div>
    <${Lines} key=${role.value} tail=${tails[0]} role=${role.value} other=${tails[1]} />
    ${tails[1].lines.value.length > 0 && html`<h3 class="note-line pad">${word('log_stderr')}</h3><${Lines} key=${`${role.value}-stderr`} tail=${tails[1]} role=${role.value} />`}</div>`;
}

function Lines({ tail, role, other }) {
  const box = useRef(null);
  const follows = useMemo(() => signal(true), []);
  const lines = tail.lines.value;
  useLayoutEffect(() => { if (follows.peek() && box.current) box.current.scrollTop = box.current.scrollHeight; }, [lines]);
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    const near = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    if (near !== follows.peek()) follows.value = near;
  };
  const jump = () => { follows.value = true; box.current.scrollTop = box.current.scrollHeight; };
  // Who printed errors only did not print nothing.
  if (!lines.length && other?.lines.value.length) return null;
  if (!lines.length) return html`<p class="note-line pad">${word(tail.state.value === 'loading' ? 'loading' : tail.state.value === 'refused' ? 'cannot_show' : 'log_empty')}</p>`;
  return html`<div class=${`log ${role === 'coder' || role === 'judge' ? 'theirs' : ''}`} ref=${box} role="log" aria-live="off" aria-label=${word('log')} tabindex="0" onScroll=${scrolled}>${lines.map(it => html`<div key=${it.key}>${it.text || ' '}</div>`)}</div>
    ${!follows.value && html`<div class="jump"><button type="button" class="as-link" onClick=${jump}>${word('log_jump')}</button></div>`}`;
}
