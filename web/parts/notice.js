// Banners and the states of a view: empty, loading, refused.
import { html, useEffect, useState } from '../ui.js';
import { t, word } from '../i18n.js';
import { Icon } from './icons.js';
import { EmptyStrip } from './seal.js';
import { Say } from './text.js';
import { Command } from './evidence.js';

/** @param {{tone?: 'wait' | 'bad', icon?: string, title: string, children?: unknown, action?: unknown}} props */
export const Banner = ({ tone, icon = 'off', title, children, action }) => html`<div class=${`banner ${tone ?? ''}`} role=${tone === 'bad' ? 'alert' : 'status'}>
  <${Icon} name=${icon} /><span><b>${title}</b> ${children}</span>${action && html`<span class="right">${action}</span>`}</div>`;

/** An answer that was refused: the thing, the code, and what to type next. */
export function Refused({ refusal, title, children, action }) {
  const hints = refusal.hint ?? [];
  return html`<${Banner} tone="bad" title=${title ?? word('refused')} action=${action}>
    <${Say} text=${refusal.text} /> ${children} ${refusal.status ? html`<code class="faint">${refusal.status} ${refusal.code}</code>` : null}
    ${hints.map((hint, at) => html`<span class="hint" key=${at}><${Say} text=${hint} /></span>`)}
  </${Banner}>`;
}

/** @param {{title: string, children?: unknown, commands?: string[]}} props */
export const Empty = ({ title, children, commands = [] }) => html`<div class="empty"><p class="ruling">${title}</p><p>${children}</p>
  ${commands.length > 0 && html`<div class="ev">${commands.map(it => html`<${Command} key=${it} command=${it} />`)}</div>`}</div>`;

/** True after 300 ms: what comes sooner needs no placeholder. */
export function useLate(waiting) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, [waiting]);
  return waiting && late;
}

/** Rows of empty rings, in the shape of what comes. */
export function Skeleton({ rows = 5, strips = true }) {
  if (!useLate(true)) return null;
  return html`<div class="skeleton panel" aria-busy="true" aria-label=${word('loading')} role="status">${Array.from({ length: rows }, (_, at) => html`<div class="skel" key=${at}>
    <div><span class=${`sk w${at % 3}`}></span><span class=${`sk thin w${(at + 1) % 3}`}></span></div>
    ${strips && html`<div class="rings"><${EmptyStrip} /></div>`}<span class="sk"></span></div>`)}</div>`;
}

/**
 * What stands in a view until its answer is there, or instead of it.
 * @param {{resource: {data: {value: any}, error: {value: any}, refresh(): unknown}, rows?: number, children: (data: any) => unknown}} props
 */
export function Answer({ resource, rows, heading, children }) {
  const data = resource.data.value;
  const error = resource.error.value;
  const again = html`<button type="button" class="btn" onClick=${() => resource.refresh()}>${word('again')}</button>`;
  if (data === undefined) return error ? html`${heading && html`<h1 class="ruling wraps">${heading}</h1>`}<${Refused} refusal=${error} title=${word('cannot_show')} action=${again} />` : html`<${Skeleton} rows=${rows} />`;
  return html`${error && html`<${Refused} refusal=${error} title=${word('cannot_refresh')} action=${again} />`}${children(data)}`;
}

/** Files that cannot be read, and states that somebody else wrote. */
export const Damaged = ({ unreadable: damaged, altered: changed }) => {
  const [unreadable, altered] = [listed(damaged), listed(changed)];
  return html`${unreadable.length > 0 && html`<${Banner} tone="bad" icon="chain" title=${word('unreadable', { n: unreadable.length })}><${List} items=${unreadable} /></${Banner}>`}
  ${altered.length > 0 && html`<${Banner} tone="bad" icon="chain" title=${word('altered', { n: altered.length })}><${List} items=${altered} /></${Banner}>`}`;
};

/** A list, or a map from tasks to what is wrong with them. */
const listed = given => (Array.isArray(given) ? given : Object.entries(given ?? {}).map(([name, what]) => (typeof what === 'string' ? `${name}: ${what}` : name)));

const List = ({ items }) => items.map((it, at) => html`<span key=${at}>${at > 0 && ' · '}${typeof it === 'string' ? html`<code>${it}</code>` : html`<${Say} text=${it.message ?? it.text ?? t(it) ?? ''} />`}</span>`);
