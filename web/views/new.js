// A new task, and what it can prove while it is written.
import { html, signal, useEffect, useId, useRef, useState } from '../ui.js';
import { word, wordOr } from '../i18n.js';
import { go, Link, useKeys } from '../frame.js';
import { readOnly, refreshAll, Refusal, request, requestId, session, useResource } from '../store.js';
import { Empty, FACTS, Refused, Say, standingOf, Strip, StripHead, Typed } from '../parts/basics.js';
import { Finding } from '../parts/proof.js';

const EMPTY = { task_id: '', goal: '', acceptance: '', base_ref: '', test_cmd: '', plan: '', coder: '', judge: '', allowed: '', max_attempts: '3', usd: '', minutes: '' };
/** Kept while one looks elsewhere. */
const draft = signal(EMPTY);

/** The fields of a spec; what is empty is left out, so that the configured value holds. */
function specOf(form) {
  const text = name => form[name].trim();
  const words = name => text(name).split(/\s+/).filter(Boolean);
  const spec = { schema_version: 'v1', goal: text('goal'), acceptance: text('acceptance') };
  for (const name of ['task_id', 'base_ref', 'test_cmd', 'coder', 'judge']) if (text(name)) spec[name] = text(name);
  const [plan, story] = words('plan');
  if (plan) spec.plan = plan;
  if (story) spec.story = story;
  if (words('allowed').length) spec.allowed_paths = words('allowed');
  if (Number(form.max_attempts) > 0) spec.max_attempts = Number(form.max_attempts);
  const budget = {};
  if (Number(form.usd) > 0) budget.usd = Number(form.usd);
  if (Number(form.minutes) > 0) budget.wall = Math.round(Number(form.minutes) * 60);
  if (Object.keys(budget).length) spec.budget = budget;
  return spec;
}

export default function New() {
  const form = draft.value;
  const write = name => event => { draft.value = { ...draft.peek(), [name]: event.target.value }; };
  const [state, setState] = useState({ sending: false, refusal: null });
  const last = useRef({ id: '', body: '' });
  const isReady = Boolean(form.goal.trim());
  const send = async run => {
    if (state.sending || !isReady) return;
    const body = { spec: specOf(draft.peek()), run };
    const text = JSON.stringify(body);
    if (last.current.body !== text) last.current = { id: requestId(), body: text };
    setState({ sending: true, refusal: null });
    try {
      const answer = await request('/api/tasks', { method: 'POST', body: { request_id: last.current.id, ...body } });
      draft.value = EMPTY;
      refreshAll();
      go({ view: 'task', id: answer.body.task_id });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.status) last.current = { id: '', body: '' };
      setState({ sending: false, refusal });
    }
  };
  useKeys({ send: () => { send(true); }, u: () => go({ view: 'tasks' }) });
  const head = html`<div class="crumb"><${Link} to=${{ view: 'tasks' }}>${word('view_tasks')}</${Link}><span aria-hidden="true">/</span><span>${word('view_new')}</span></div>
    <h1 class="ruling"><strong>${word('new_title')}</strong> ${word('new_subtitle')}</h1>`;
  if (readOnly.value) return html`${head}<${Empty} title=${word('read_only')} commands=${['provost do "GOAL"']}>${word('new_read_only')}</${Empty}>`;
  return html`${head}<div class="cols2 spaced"><form class="panel form" onSubmit=${event => { event.preventDefault(); send(true); }} noValidate>
      <${Line} name="new_name" mono note="new_name_note" value=${form.task_id} write=${write('task_id')} />
      <${Area} name="new_goal" value=${form.goal} write=${write('goal')} />
      <${Area} name="new_acceptance" note="new_acceptance_note" value=${form.acceptance} write=${write('acceptance')} />
      <div class="row2"><${Line} name="new_test" mono value=${form.test_cmd} write=${write('test_cmd')} note="new_test_note" placeholder="cargo test --workspace" /><${Line} name="new_allowed" mono value=${form.allowed} write=${write('allowed')} note="new_allowed_note" /></div>
      <div class="row2"><${Line} name="new_story" mono value=${form.plan} write=${write('plan')} note="new_story_note" placeholder="docs/prd.md US-021" /><${Line} name="new_base" mono value=${form.base_ref} write=${write('base_ref')} placeholder="HEAD" /></div>
      <${Adapters} form=${form} />
      <div class="row3"><${Line} name="new_attempts" value=${form.max_attempts} write=${write('max_attempts')} number /><${Line} name="new_money" value=${form.usd} write=${write('usd')} number /><${Line} name="new_minutes" value=${form.minutes} write=${write('minutes')} number /></div>
      ${state.refusal && html`<${Refused} refusal=${state.refusal} title=${word('not_taken')}>${word('text_kept')}</${Refused}>`}
      <div class="acts flat"><button type="submit" class="btn big prime" disabled=${!isReady || state.sending}>${word('new_start')} <kbd>⌘ ↵</kbd></button><button type="button" class="btn big" disabled=${!isReady || state.sending} onClick=${() => send(false)}>${word('new_save')}</button><span class="hint"><${Say} text=${word('new_audited', { person: session.value?.person ?? '' })} /></span></div></form>
    <aside class="side"><${Proves} form=${form} isReady=${isReady} /><section class="panel"><h2>${word('new_terminal')}</h2><${Typed} command=${`provost run tasks/${/^[A-Za-z0-9._-]+$/.test(form.task_id) ? form.task_id : 'NAME'}.json`} /></section></aside></div>`;
}

function Line({ name, value, write, mono, note, number, placeholder }) {
  const id = useId();
  return html`<div class="labelled"><label for=${id}>${word(name)}</label><input id=${id} class=${mono ? 'm' : ''} value=${value} onInput=${write} inputmode=${number ? 'decimal' : undefined} placeholder=${placeholder} spellcheck="false" autocomplete="off" aria-describedby=${note ? `${id}-note` : undefined} />${note && html`<small id=${`${id}-note`}>${word(note)}</small>`}</div>`;
}

function Area({ name, value, write, note }) {
  const id = useId();
  return html`<div class="labelled"><label for=${id}>${word(name)}</label><textarea id=${id} dir="auto" value=${value} onInput=${write} aria-describedby=${note && `${id}-note`}></textarea>${note && html`<small id=${`${id}-note`}>${word(note)}</small>`}</div>`;
}

/** Adapters by role; one that cannot work without a person, or is missing, cannot be chosen. */
function Adapters({ form }) {
  const resource = useResource('/api/adapters', []);
  const adapters = resource.data.value?.adapters ?? [];
  return html`${['coder', 'judge'].map(role => {
    const fit = adapters.filter(it => it.roles?.includes(role) || (role === 'coder' && !it.available));
    if (!fit.length) return null;
    const choose = value => () => { draft.value = { ...draft.peek(), [role]: value }; };
    const row = (it, at) => html`<li key=${it.name} class=${it.available ? '' : 'off'}><input type="radio" id=${`${role}-${at}`} name=${role} value=${it.name} disabled=${!it.available} checked=${form[role] === it.name} onChange=${choose(it.name)} /><label for=${`${role}-${at}`}><b>${it.name}</b> <span class="dim">${it.reason ? html`<${Say} text=${it.reason} />` : wordOr(`adapter_${String(it.kind).replaceAll('-', '_')}`, it.kind)}</span></label><span class=${`tag ${it.available ? 'ok' : ''}`}>${supportOf(it)}</span></li>`;
    const [here, off] = [fit.filter(it => it.available), fit.filter(it => !it.available)];
    return html`<fieldset key=${role} class="choice"><legend>${word(`new_${role}`)}</legend><ol class="choose">
      <li><input type="radio" id=${`${role}-default`} name=${role} value="" checked=${form[role] === ''} onChange=${choose('')} /><label for=${`${role}-default`} class="dim">${word('new_default')}</label><span></span></li>
      ${here.map(row)}</ol>${off.length > 0 && html`<details><summary>${word('new_off', { n: off.length })}</summary><ol class="choose">${off.map((it, at) => row(it, here.length + at))}</ol></details>`}</fieldset>`;
  })}`;
}

/** What an adapter is worth here: one that is supported and not to be had is missing. */
const supportOf = it => {
  const level = String(it.support_level).toLowerCase();
  return wordOr(`support_${level === 'supported' && !it.available ? 'missing' : level}`, it.support_level);
};

/** Whether this server can say what a task would prove. */
let canPreview = true;

/** Asks what the task can prove, half a second behind the last letter. */
function Proves({ form, isReady }) {
  const [answer, setAnswer] = useState(null);
  const key = JSON.stringify(specOf(form));
  useEffect(() => {
    if (!isReady || !canPreview) return undefined;
    let over = false;
    const timer = setTimeout(async () => {
      const result = await request('/api/tasks/preview', { method: 'POST', body: { spec: specOf(draft.peek()) } }).catch(error => {
        if (!(error instanceof Refusal)) throw error;
        if (error.status === 404) canPreview = false;
        return { body: canPreview ? { refusal: error } : null };
      });
      if (!over) setAnswer(result.body);
    }, 500);
    return () => { over = true; clearTimeout(timer); };
  }, [key, isReady]);
  const proves = answer?.proves ?? [];
  const of = fact => proves.find(it => it.fact === fact);
  // Nothing is proven before it was run: what can be is an empty ring.
  const seals = FACTS.map(fact => ({ fact, standing: of(fact)?.standing === 'not_asked' ? 'not_asked' : 'not_verified', detail: of(fact)?.detail }));
  return html`<section class="panel"><h2>${word('new_proves')}</h2><${StripHead} /><${Strip} seals=${seals} />
      ${proves.length > 0 ? html`<dl class="kv left gap">${proves.map(it => html`<dt key=${`k${it.fact}`} class=${tone(it)}>${word(`fact_${it.fact}`)}</dt><dd key=${`v${it.fact}`} class=${tone(it)}><${Say} text=${it.detail} /></dd>`)}</dl>` : html`<p class="dim small gap">${word('new_waits')}</p>`}</section>
    ${(answer?.findings?.length > 0 || answer?.refusal) && html`<section class="panel"><h2>${word('new_problems')}</h2>${answer.refusal ? html`<p class="small"><${Say} text=${answer.refusal.text} /></p>` : answer.findings.map((it, at) => html`<${Finding} key=${at} finding=${it} />`)}</section>`}`;
}

const tone = it => (it.fact === 'tests' && standingOf(it.standing) !== 'verified' ? 'wait' : '');
