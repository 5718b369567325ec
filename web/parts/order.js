// Orders. The page knows no rule: it draws the offers of the answer, and sends exactly those.
import { html, signal, useRef, useState } from '../ui.js';
import { number, t, word } from '../i18n.js';
import { refreshAll, Refusal, request, requestId } from '../store.js';
import { readOnly } from '../health.js';
import { Dialog, close, show } from './dialog.js';
import { Banner, Refused } from './notice.js';
import { Typed } from './evidence.js';
import { Fields, payloadOf, presets, ready } from './fields.js';
import { Say, short } from './text.js';
import { announce } from './live.js';

/**
 * @typedef {{action: string, label: any, why: any, command: string, fields: any[], payload: any, confirms: boolean, is_likeliest: boolean, tone: string}} Offer
 * @typedef {{task_id: string, seen: {attempt: number, state_version: number}, commit?: string | null, note?: unknown, blind?: boolean}} About
 */

/** The key that gives an order on the page of a task. */
const KEYS = { APPROVE: 'a', REJECT: 'x', ANSWER: 'r', PAUSE: 'p', RESUME: 'p', LAND: 'l' };
export const keyOf = action => KEYS[action] ?? null;

/** What was written into the boxes, by task and action: it outlives a refusal and a reload of the view. */
const drafts = new Map();
const draftOf = (about, offer) => {
  const key = `${about.task_id} ${offer.action} ${JSON.stringify(offer.payload ?? {})}`;
  if (!drafts.has(key)) drafts.set(key, signal(presets(offer.fields)));
  return drafts.get(key);
};

/** Sends one order. */
const post = (about, offer, id, body) => request(`/api/tasks/${encodeURIComponent(about.task_id)}/orders`, { method: 'POST', body: { request_id: id, ...body } });
const say = (answer, about, offer) => announce(word(answer.status === 202 ? 'order_taken' : 'order_done', { order: t(offer.label), task: about.task_id }));

/** One order under way: its number stays while the same words are sent again after a lost answer. */
export function useOrder(about, offer, done, refused = null) {
  const [state, setState] = useState({ sending: false, refusal: refused });
  const last = useRef({ id: '', body: '' });
  const draft = draftOf(about, offer);
  const send = async () => {
    if (state.sending || !ready(offer.fields, draft.peek())) return;
    const payload = payloadOf(offer, draft.peek());
    // Only an offer that asks for it is told whether the score was hidden.
    if (payload && 'blind' in payload) payload.blind = Boolean(about.blind);
    const body = { action: offer.action, payload, seen: about.seen };
    const text = JSON.stringify(body);
    if (last.current.body !== text) last.current = { id: requestId(), body: text };
    setState({ sending: true, refusal: null });
    try {
      const answer = await post(about, offer, last.current.id, body);
      last.current = { id: '', body: '' };
      draft.value = presets(offer.fields);
      say(answer, about, offer);
      setState({ sending: false, refusal: null });
      done?.(answer.body);
      refreshAll();
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      // An answer means that it was not done: the next click is a new order.
      if (refusal.status) last.current = { id: '', body: '' };
      setState({ sending: false, refusal });
      if (refusal.status === 412) refreshAll();
    }
  };
  return { ...state, draft, send, clear: () => setState({ sending: false, refusal: null }) };
}

/** Why an order was not taken; the text is still in its box. */
function Outcome({ order, about, onClose }) {
  const { refusal } = order;
  if (!refusal) return null;
  if (refusal.status === 412) {
    return html`<${Banner} tone="wait" icon="chain" title=${word('moved')} action=${html`<button type="button" class="btn" onClick=${() => { order.clear(); onClose?.(); }}>${word('show_newer')}</button>`}>
      ${word('moved_seen', { attempt: about.seen.attempt })}</${Banner}>`;
  }
  return html`<${Refused} refusal=${refusal} title=${word('not_taken')}>${order.draft.value && Object.values(order.draft.value).some(Boolean) ? word('text_kept') : null}</${Refused}>`;
}

/** What asks before it does something: it names the attempt and the commit. */
export function Confirm({ offer, about, refusal }) {
  const order = useOrder(about, offer, close, refusal);
  const label = t(offer.label);
  const title = about.seen.attempt > 0
    ? word('confirm_attempt', { order: label, attempt: about.seen.attempt, task: about.task_id })
    : word('confirm_task', { order: label, task: about.task_id });
  const submit = event => { event.preventDefault(); order.send(); };
  const enter = event => { if ((event.metaKey || event.ctrlKey) && event.key === 'Enter') submit(event); };
  const may = ready(offer.fields, order.draft.value);
  return html`<${Dialog} label=${title}><form onSubmit=${submit} onKeyDown=${enter} noValidate>
    <h2 class="ruling">${title}</h2>
    <p class="dim"><${Say} text=${offer.why} capital />${word('stop')}${about.commit && html` <span>${word('about_commit')} <code title=${about.commit}>${short(about.commit)}</code>${word('stop')}</span>`}</p>
    ${about.note?.length > 0 && (offer.action === 'APPROVE' || offer.action === 'REJECT') && html`<p class="faint small">${about.note.map(it => html`<${Say} key=${it.code} text=${it} /> `)}</p>`}
    <${Fields} fields=${offer.fields} draft=${order.draft} first />
    <${Outcome} order=${order} about=${about} onClose=${close} />
    <div class="acts"><button type="submit" class=${`btn big ${toneOf(offer, true)}`} disabled=${!may || order.sending} data-first=${offer.fields.length ? undefined : ''}>${label} <kbd>${offer.fields.length ? '⌘ ↵' : '↵'}</kbd></button>
      <button type="button" class="btn big" onClick=${close}>${word('not_yet')} <kbd>Esc</kbd></button>
      <${Count} offer=${offer} draft=${order.draft} /></div>
  </form></${Dialog}>`;
}

const Count = ({ offer, draft }) => {
  const field = offer.fields.find(it => it.kind === 'text' && it.max_chars);
  return field ? html`<span class="hint">${word('of_chars', { n: number([...(draft.value[field.name] ?? '')].length), max: number(field.max_chars) })}</span>` : null;
};

const underWay = new Set();

/** Gives an order: asks first where the offer says so or something is to be filled in. */
export async function give(offer, about) {
  const ask = refusal => show(() => html`<${Confirm} offer=${offer} about=${about} refusal=${refusal} />`);
  if (offer.confirms || offer.fields.length) return ask(null);
  const key = `${about.task_id} ${offer.action}`;
  if (underWay.has(key)) return undefined;
  underWay.add(key);
  try {
    say(await post(about, offer, requestId(), { action: offer.action, payload: offer.payload ?? {}, seen: about.seen }), about, offer);
    await refreshAll();
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal.status === 412) refreshAll();
    ask(refusal);
  } finally {
    underWay.delete(key);
  }
  return undefined;
}

const toneOf = (offer, alone) => (offer.tone === 'yes' ? (alone || offer.is_likeliest ? 'yes' : 'ok') : offer.tone === 'no' ? (alone ? 'danger' : 'no') : offer.is_likeliest || alone ? 'prime' : '');

/** A button for one offer. Everything that changes something asks first. */
export function Order({ offer, about, quiet, keys = true }) {
  if (readOnly.value) return null;
  const key = keys && keyOf(offer.action);
  const more = offer.fields.length > 0 ? '…' : '';
  return html`<button type="button" class=${`btn ${quiet ? 'quiet' : 'big'} ${quiet ? '' : toneOf(offer)}`} title=${t(offer.why)} data-order=${offer.action} aria-haspopup=${offer.confirms || offer.fields.length ? 'dialog' : undefined} onClick=${() => give(offer, about)}>${t(offer.label)}${more} ${key && html`<kbd>${key}</kbd>`}</button>`;
}

/** The orders of a task: the likeliest first, the rest quiet. Read-only: what to type instead. */
export function Orders({ offers, about, hint, pin }) {
  if (!offers.length) return hint ? html`<div class="acts"><span class="hint">${hint}</span></div>` : null;
  if (readOnly.value) {
    return html`<div class="acts typed"><span class="dim">${word('in_a_terminal')}</span>${offers.map(it => html`<${Typed} key=${it.command} command=${it.command} />`)}</div>`;
  }
  const isYes = it => it.is_likeliest || it.tone === 'yes';
  // Beside a yes stands its no; what else undoes something is not pressed by accident.
  const no = offers.some(it => it.tone === 'yes') ? offers.find(it => it.tone === 'no' && !isYes(it)) : null;
  const loud = offers.filter(it => isYes(it) || it === no);
  const rest = offers.filter(it => !loud.includes(it));
  return html`<div class=${`acts ${pin && loud.length ? 'pin' : ''}`}>${loud.map(it => html`<${Order} key=${it.action + it.command} offer=${it} about=${about} />`)}
    ${loud.length > 0 && rest.length > 0 && html`<span class="sep"></span>`}
    ${rest.map(it => html`<${Order} key=${it.action + it.command} offer=${it} about=${about} quiet=${loud.length > 0 || rest.length > 3} />`)}
    ${hint && html`<span class="hint">${hint}</span>`}</div>`;
}

/**
 * A question that is answered in place.
 * @param {{offer: Offer, about: About, eyebrow?: unknown, questions: any[], said?: unknown}} props
 */
export function Ask({ offer, about, eyebrow, questions, others = [] }) {
  const order = useOrder(about, offer);
  const submit = event => { event.preventDefault(); order.send(); };
  const enter = event => { if ((event.metaKey || event.ctrlKey) && event.key === 'Enter') submit(event); };
  return html`<form class="ask" onSubmit=${submit} onKeyDown=${enter} noValidate>
    ${eyebrow && html`<p class="eyebrow">${eyebrow}</p>`}
    ${questions.map((it, at) => html`<p class="q" key=${at} dir="auto"><${Say} text=${it} /></p>`)}
    ${readOnly.value ? html`<${Typed} command=${offer.command} />` : html`
      <${Fields} fields=${offer.fields} draft=${order.draft} bare placeholder=${word('your_answer')} />
      <${Outcome} order=${order} about=${about} />
      <div class="under"><button type="submit" class="btn big prime" disabled=${order.sending || !ready(offer.fields, order.draft.value)}>${t(offer.label)} <kbd>⌘ ↵</kbd></button>
        ${others.map(it => html`<${Order} key=${it.action} offer=${it} about=${about} />`)}
        <span class="note"><${Say} text=${offer.why} /></span></div>`}
  </form>`;
}
