// What the views of stories, evals, learning, guard and audit share: figures, lists by cursor, orders.
import { html, useEffect, useMemo, useRef, useState, vars } from '../ui.js';
import { number, word } from '../i18n.js';
import { obtain, refreshAll, Refusal, request, requestId, retain } from '../store.js';
import { announce, close, Dialog, show } from '../frame.js';
import { Refused } from './basics.js';

// Figures: each says in words what it shows ------------------------------------------------------

/** Large counts in a row: `{value, label}`. */
export const Stats = ({ items }) => html`<div class="stats">${items.map(({ value, label }) => html`<div key=${label}><div class="v">${value}</div><div class="l">${label}</div></div>`)}</div>`;

/** Bars with their names and counts; the longest is the whole width. */
export function Bars({ items, mono }) {
  const most = Math.max(1, ...items.map(it => it.count));
  return html`<div class="bars">${items.map(({ name, count, kind }) => html`<span class=${mono ? 'mono cut' : 'cut'} title=${name}>${name}</span><i class=${`len ${kind ?? ''}`} aria-hidden="true" ref=${vars({ w: `${(100 * count) / most}%` })}></i><span>${number(count)}</span>`)}</div>`;
}

/** How far something is on a scale, with the place where a word is needed. */
export const Gauge = ({ name, says, value, limit, most }) => html`<div class="gauge">${name} <span class="end">${says}</span><div class="g" aria-hidden="true"><i class="len" ref=${vars({ w: `${Math.min(100, (100 * value) / most)}%` })}></i><b class="at" ref=${vars({ x: `${(100 * limit) / most}%` })}></b></div></div>`;

/** A share from 0 to 1 with its interval. */
export const Interval = ({ name, value, low, high, says }) => html`<div class="ci"><span>${name}</span><span class="f" aria-hidden="true">${low !== undefined && html`<i class="span-i" ref=${vars({ x: `${100 * low}%`, w: `${100 * (high - low)}%` })}></i>`}<b class="at" ref=${vars({ x: `${100 * Math.max(0, value)}%` })}></b></span><span class="num" title=${says}>${value.toFixed(2)}</span></div>`;

// Lists by cursor --------------------------------------------------------------------------------

/**
 * @param {string} path
 * @param {Record<string, string>} query
 * @param {string} name of the list in the answer
 */
export function usePages(path, query, name, topics = ['board']) {
  const [wanted, setWanted] = useState(1);
  const slots = useRef([]);
  const base = new URLSearchParams(query).toString();
  useMemo(() => { slots.current = []; setWanted(1); }, [path, base]);
  const urls = [];
  const items = [];
  let [first, cursor, error] = [undefined, null, null];
  for (let at = 0; at < wanted; at += 1) {
    const parts = new URLSearchParams(query);
    if (cursor) parts.set('cursor', cursor);
    const text = parts.toString();
    const url = text ? `${path}?${text}` : path;
    urls.push(url);
    const resource = obtain(url);
    // Rows stay while their page is asked for under another cursor.
    const data = resource.data.value ?? slots.current[at];
    error ??= resource.error.value;
    if (!data) break;
    slots.current[at] = data;
    if (at === 0) first = data;
    items.push(...data[name]);
    cursor = data.next_cursor;
    if (!cursor) break;
  }
  const key = urls.join(' ');
  useEffect(() => {
    // Only the first page grows; what is older does not change.
    const leave = urls.map((it, at) => retain(obtain(it), at ? [] : topics));
    return () => leave.forEach(it => it());
  }, [key]);
  return { items, first, error, more: Boolean(cursor), next: () => setWanted(urls.length + 1), refresh: () => obtain(urls[0]).refresh() };
}

/**
 * @param {{title: string, why: unknown, label: string, url: string, body: () => object | null, children: unknown, tone?: string}} props
 *   `body` is what is sent without its id; null while something is missing
 */
function Asked({ title, why, label, url, body, children, tone = 'prime' }) {
  const [state, setState] = useState({ sending: false, refusal: null });
  const last = useRef({ id: '', text: '' });
  const send = async event => {
    event.preventDefault();
    const given = body();
    if (!given || state.sending) return;
    const text = JSON.stringify(given);
    if (last.current.text !== text) last.current = { id: requestId(), text };
    setState({ sending: true, refusal: null });
    try {
      await request(url, { method: 'POST', body: { request_id: last.current.id, ...given } });
      announce(title);
      close();
      refreshAll();
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.status) last.current = { id: '', text: '' };
      setState({ sending: false, refusal });
    }
  };
  return html`<${Dialog} label=${title}><form onSubmit=${send} noValidate>
    <h2 class="ruling">${title}</h2><p class="dim">${why}</p>${children}
    ${state.refusal && html`<${Refused} refusal=${state.refusal} title=${word('not_taken')}>${word('text_kept')}</${Refused}>`}
    <div class="acts"><button type="submit" class=${`btn big ${tone}`} disabled=${state.sending}>${label}</button><button type="button" class="btn big" onClick=${close}>${word('not_yet')} <kbd>Esc</kbd></button></div>
  </form></${Dialog}>`;
}

/** Opens the dialog; `draw` makes the props, with hooks of its own. */
export const askPerson = Draw => show(() => html`<${Draw} />`);
export { Asked };
