// Orders. The page knows no rule: it draws the offers of the answer, and sends exactly those; on the page of
// a task, in the inbox, and from the palette.
import { html, signal, useEffect, useId, useMemo, useRef, useState } from '../ui.js';
import { number, sentence, t, word } from '../i18n.js';
import { readOnly, refreshAll, Refusal, request, requestId } from '../store.js';
import { announce, close, Dialog, go, lettersOn, show, switchLetters } from '../frame.js';
import { Banner, Refused, Say, short, Typed } from './basics.js';

// Fields, as the offer describes them ------------------------------------------------------------

/** What stands in the boxes at first. */
const presets = fields => Object.fromEntries(fields.map(it => [it.name, it.value === null || it.value === undefined ? '' : String(it.value)]));

/** Whether everything that is required is there and within its limits. */
const ready = (fields, draft) => fields.every(field => {
  const value = (draft[field.name] ?? '').trim();
  if (!value) return !field.required;
  if (field.max_chars && [...value].length > field.max_chars) return false;
  if (field.kind !== 'number') return true;
  const amount = Number(value);
  return Number.isFinite(amount) && amount >= (field.min ?? -Infinity) && amount <= (field.max ?? Infinity);
});

/** What the order carries: the preset parts, and what was written at its place in them. */
function payloadOf(offer, draft) {
  const payload = structuredClone(offer.payload ?? {});
  for (const field of offer.fields) {
    const value = (draft[field.name] ?? '').trim();
    if (value) place(payload, field.name.split('.'), field.kind === 'number' ? Number(value) : value);
  }
  return payload;
}

/** A name such as `changes.0.value` is a path. */
function place(target, [name, ...rest], value) {
  if (!rest.length) {
    target[name] = value;
    return;
  }
  if (!Object.hasOwn(target, name)) target[name] = /^\d+$/.test(rest[0]) ? [] : {};
  place(target[name], rest, value);
}

/** @param {{fields: any[], draft: {value: Record<string, string>}, bare?: boolean, first?: boolean, placeholder?: string}} props */
const Fields = ({ fields, draft, bare, first, placeholder }) => fields.map((field, at) => html`<${Field} key=${field.name} field=${field} draft=${draft} bare=${bare} first=${first && at === 0} placeholder=${placeholder} />`);

function Field({ field, draft, bare, first, placeholder }) {
  const id = useId();
  const label = t(field.label);
  const write = event => { draft.value = { ...draft.value, [field.name]: event.target.value }; };
  const common = {
    id, name: field.name, value: draft.value[field.name] ?? '', onInput: write, dir: 'auto',
    'aria-required': field.required ? 'true' : undefined, 'aria-label': bare ? label : undefined, 'data-first': first ? '' : undefined,
  };
  let input;
  if (field.choices?.length) {
    input = html`<select ...${common} dir=${undefined}>${!field.required && html`<option value=""></option>`}${field.choices.map(it => html`<option key=${it} value=${it}>${it}</option>`)}</select>`;
  } else if (field.kind === 'text') {
    input = html`<textarea ...${common} class="reply" placeholder=${placeholder ?? ''} rows="3"></textarea>`;
  } else {
    input = html`<input ...${common} class="line m" type=${field.kind === 'number' ? 'number' : 'text'} inputmode=${field.kind === 'number' ? 'decimal' : undefined} min=${field.min ?? undefined} max=${field.max ?? undefined} step="any" spellcheck="false" autocomplete="off" />`;
  }
  if (bare) return input;
  return html`<div class="field"><label for=${id}>${label}${!field.required && html` <small>${word('optional')}</small>`}</label>${input}</div>`;
}

/**
 * @typedef {{action: string, label: any, why: any, command: string, fields: any[], payload: any, confirms: boolean, is_likeliest: boolean, tone: string}} Offer
 * @typedef {{task_id: string, seen: {attempt: number, state_version: number}, commit?: string | null, note?: unknown, blind?: boolean}} About
 */

// Orders -----------------------------------------------------------------------------------------

/** The key that gives an order on the page of a task. */
const KEYS = { APPROVE: 'a', REJECT: 'x', ANSWER: 'r', PAUSE: 'p', RESUME: 'p', LAND: 'l' };
const keyOf = action => KEYS[action] ?? null;

/** What was written into the boxes, by task and action: it outlives a refusal and a reload of the view. */
const drafts = new Map();
const draftOf = (about, offer) => {
  const key = `${about.task_id} ${offer.action} ${JSON.stringify(offer.payload ?? {})}`;
  if (!drafts.has(key)) drafts.set(key, signal(presets(offer.fields)));
  return drafts.get(key);
};

/** Sends one order. */
const post = (about, offer, id, body) => request(`/api/tasks/${encodeURIComponent(about.task_id)}/orders`, { method: 'POST', body: { request_id: id, ...body } });

/** Tasks that were answered and do not go on: why, and the state that they had then. */
const heldBack = signal(new Map());

function say({ status, body }, about, offer) {
  announce(word(status === 202 ? 'order_taken' : 'order_done', { order: t(offer.label), task: about.task_id }));
  const held = body?.held && { refusal: new Refusal(0, body.held), version: body.state_version };
  heldBack.value = new Map(heldBack.peek()).set(about.task_id, held);
  lookAgain(body);
}

/** A process that fails changes no state, and no event tells of it: its log is looked at again. */
const LATER_MS = [2_000, 6_000, 15_000];
const lookAgain = body => { if (body?.started) LATER_MS.forEach(it => setTimeout(refreshAll, it)); };

/** An answer that is on record although its task stays where it is; gone with the next change of the task. */
export function Held({ about }) {
  const held = heldBack.value.get(about.task_id);
  if (!held || about.seen.state_version > held.version) return null;
  const { text, hint } = held.refusal;
  return html`<${Banner} tone="wait" icon="lock" title=${word('answer_held')}><${Say} text=${text} />${hint.map((it, at) => html`<span class="hint" key=${at}><${Say} text=${it} /></span>`)}</${Banner}>`;
}

/** One order under way: its number stays while the same words are sent again after a lost answer. */
function useOrder(about, offer, done, refused = null) {
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
function Confirm({ offer, about, refusal }) {
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

// The palette and the map of keys ----------------------------------------------------------------

/** @type {{value: {offers: any[], about: any} | null}} */
export const offersHere = signal(null);

const VIEWS = ['tasks', 'inbox', 'new', 'stories', 'evals', 'learn', 'guard', 'audit'];

export function Palette() {
  const [text, setText] = useState('');
  const [tasks, setTasks] = useState([]);
  const [at, setAt] = useState(0);
  const here = useMemo(() => offersHere.peek(), []);
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ limit: '8', ...(text.trim() && { q: text.trim() }) });
      const answer = await request(`/api/tasks?${query}`).catch(error => { if (!(error instanceof Refusal)) throw error; });
      if (!over && answer?.changed) setTasks(answer.body.tasks);
    }, 100);
    return () => { over = true; clearTimeout(timer); };
  }, [text]);
  const wanted = text.trim().toLowerCase();
  const fits = label => label.toLowerCase().includes(wanted);
  const items = [
    ...(readOnly.value || !here ? [] : here.offers.map(it => ({ key: `o ${it.action} ${it.command}`, kind: 'order', label: t(it.label), more: it.command, run: () => { close(); give(it, here.about); } })).filter(it => fits(it.label) || fits(it.more))),
    ...VIEWS.map(view => ({ key: `v ${view}`, kind: 'go', label: word(`view_${view}`), run: () => { close(); go({ view }); } })).filter(it => fits(it.label)),
    ...tasks.map(it => ({ key: `t ${it.task_id}`, kind: 'task', label: it.task_id, more: it.goal, run: () => { close(); go({ view: 'task', id: it.task_id }); } })),
  ];
  const active = items[Math.min(at, items.length - 1)];
  const key = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      setAt(Math.min(items.length - 1, Math.max(0, at + by)));
      event.preventDefault();
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      active?.run();
    }
  };
  return html`<${Dialog} label=${word('palette')} class="palette">
    <input data-first="" class="line" role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant=${active ? `found-${items.indexOf(active)}` : undefined} aria-label=${word('palette')} placeholder=${word('palette_type')} spellcheck="false" autocomplete="off" value=${text} onInput=${event => { setText(event.target.value); setAt(0); }} onKeyDown=${key} />
    <ul id="found" role="listbox" aria-label=${word('palette')}>${items.map((it, n) => html`<li key=${it.key} id=${`found-${n}`} role="option" aria-selected=${String(it === active)} onMouseMove=${() => setAt(n)} onClick=${it.run}><span class="faint">${word(`palette_${it.kind}`)}</span><span class=${it.kind === 'task' ? 'mono cut' : 'cut'}>${it.label}</span><span class="cut dim" dir="auto">${it.more ?? ''}</span></li>`)}</ul>
    ${!items.length && html`<p class="dim">${word('palette_none')}</p>`}</${Dialog}>`;
}

const MAP = [
  ['keys_everywhere', [['g i', 'key_inbox'], ['g t', 'key_tasks'], ['g s e l g a', 'key_views'], ['/', 'filter'], ['⌘K', 'key_palette'], ['?', 'key_help'], ['Esc', 'key_close']]],
  ['keys_lists', [['j k', 'key_move'], ['↵', 'key_open'], ['u', 'key_back'], ['1 … 5', 'key_groups'], ['n', 'view_new']]],
  ['keys_task', [['a', 'key_approve'], ['x', 'key_reject'], ['r', 'key_answer'], ['p', 'key_pause'], ['l', 'key_land'], ['b', 'key_blind'], ['[ ] v', 'key_file_seen'], ['⌘↵', 'key_send']]],
];

export const KeyMap = () => html`<${Dialog} label=${word('keys')} class="wide"><h2 class="ruling">${sentence(word('keys'))}</h2>
  <div class="keys">${MAP.map(([title, keys]) => html`<div key=${title}><h3>${word(title)}</h3><dl>${keys.map(([names, does]) => html`<dt key=${`k${does}`}>${names.split(' ').map((it, at) => html`${at > 0 && ' '}${it === '…' ? it : html`<kbd>${it}</kbd>`}`)}</dt><dd key=${`d${does}`}>${word(does)}</dd>`)}</dl></div>`)}</div>
  <div class="acts"><label class="check"><input type="checkbox" checked=${lettersOn.value} onChange=${event => switchLetters(event.target.checked)} /> ${word('letters_on')}</label><span class="hint"><button type="button" class="btn" data-first="" onClick=${close}>${word('close')} <kbd>Esc</kbd></button></span></div></${Dialog}>`;
