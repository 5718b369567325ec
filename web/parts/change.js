// The change: what needs the reader's eye comes first; one file is open at a time.
import { html, signal, useEffect, useRef } from '../ui.js';
import { t, word } from '../i18n.js';
import { useResource } from '../store.js';
import { useKeys } from '../keys.js';
import { Answer } from './notice.js';

/** Files that this person has looked at, by task and attempt. Kept in this browser only. */
const seen = signal(new Set());
const keyOf = (task, attempt, path) => `${task} ${attempt} ${path}`;
export const isSeen = (task, attempt, path) => seen.value.has(keyOf(task, attempt, path));
/** The files of a change that were not looked at. */
export const unseen = (task, change) => (change ? change.files.filter(it => !isSeen(task, change.attempt, it.path)).map(it => it.path) : []);

const SQUARES = 5;

export function Change({ task, change }) {
  const opened = useRef(signal(change.files[0]?.path ?? null)).current;
  const at = change.files.findIndex(it => it.path === opened.value);
  const file = change.files[at] ?? null;
  const mark = () => { if (file) seen.value = new Set([...seen.peek(), keyOf(task, change.attempt, file.path)]); };
  const step = by => {
    const next = change.files[Math.min(change.files.length - 1, Math.max(0, at + by))];
    if (next) opened.value = next.path;
    document.getElementById('diff')?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({ ']': () => { mark(); step(1); }, '[': () => step(-1), v: () => { mark(); if (at < change.files.length - 1) step(1); } });
  return html`<div class="panel"><ol class="files">${change.files.map((it, n) => html`<li key=${it.path} aria-current=${it.path === file?.path ? 'true' : undefined}><span class="faint">${n + 1}</span>
      <button type="button" class="p cut" title=${it.path} aria-expanded=${String(it.path === file?.path)} onClick=${() => { opened.value = opened.peek() === it.path ? null : it.path; }}>${it.path}</button>
      <span>${it.risk && html`<span class="tag wait risk" title=${t(it.risk)}>${t(it.risk)}</span>`}</span>
      <span class="nowrap">${it.is_binary ? html`<span class="faint">${word('binary')}</span>` : html`<${Squares} added=${it.added} removed=${it.removed} /> <span class="faint">+${it.added} −${it.removed}</span>`}</span>
      <span class="faint">${isSeen(task, change.attempt, it.path) ? word('seen') : ''}</span></li>`)}</ol>
    ${file && html`<${Diff} key=${file.path} task=${task} attempt=${change.attempt} file=${file} mark=${mark} />`}</div>`;
}

function Squares({ added, removed }) {
  const all = added + removed;
  const green = all ? Math.round((SQUARES * added) / all) : 0;
  return html`<span class="pm" aria-hidden="true">${Array.from({ length: SQUARES }, (_, at) => html`<i key=${at} class=${!all ? '' : at < green ? 'a' : 'd'}></i>`)}</span>`;
}

/** The hunks of one file. It counts as seen once its end was in sight. */
function Diff({ task, attempt, file, mark }) {
  const url = file.is_binary ? null : `/api/tasks/${encodeURIComponent(task)}/attempts/${attempt}/diff?file=${encodeURIComponent(file.path)}`;
  const resource = useResource(url, []);
  return html`<div class="diff" id="diff"><header><span class="mono wraps">${file.path}</span>${file.risk && html`<span class="tag wait">${t(file.risk)}</span>`}<span class="right faint keyhint"><kbd>[</kbd> <kbd>]</kbd> ${word('key_file')} · <kbd>v</kbd> ${word('seen')}</span></header>
    ${file.is_binary ? html`<p class="note-line pad">${word('binary_file')}</p>` : html`<${Answer} resource=${resource} rows=${3}>${diff => html`<${Hunks} diff=${diff} path=${file.path} mark=${mark} />`}</${Answer}>`}</div>`;
}

const MARK = { added: '+', removed: '−', same: '' };
const CLASS = { added: 'a', removed: 'd', same: '' };

function Hunks({ diff, path, mark }) {
  const end = useRef(null);
  useEffect(() => {
    const observer = new IntersectionObserver(entries => { if (entries.some(it => it.isIntersecting)) mark(); });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return html`<pre class="scroll-x" tabindex="0" role="region" aria-label=${path}>${diff.hunks.map((hunk, at) => html`<span class="dl h" key=${`h${at}`}><span></span><span></span><span></span><span>${hunk.header}</span></span>${hunk.lines.map((line, n) => html`<span class=${`dl ${CLASS[line.kind] ?? ''}`} key=${`${at} ${n}`}><span>${line.old ?? ''}</span><span>${line.new ?? ''}</span><span>${MARK[line.kind] ?? ''}</span><span>${line.text}</span></span>`)}`)}</pre>
    <div ref=${end} class="diff-end">${diff.cut ? word('diff_cut') : ''}</div>`;
}
