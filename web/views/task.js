// One task: what provost says about it, how it is proven, and what can be ordered.
import { html, signal, useEffect, useMemo, useRef, useState } from '../ui.js';
import { span, t, word } from '../i18n.js';
import { Link, place } from '../router.js';
import { useResource } from '../store.js';
import { overlay } from '../parts/dialog.js';
import { offersHere } from '../parts/palette-state.js';
import { readOnly } from '../health.js';
import { useKeys } from '../keys.js';
import { now } from '../clock.js';
import { Answer, Banner, Damaged } from '../parts/notice.js';
import { ProofLine } from '../parts/seal.js';
import { Age, Say, short } from '../parts/text.js';
import { Ask, Orders, give } from '../parts/order.js';
import { Evidence, Said } from '../parts/evidence.js';
import { Proof } from '../parts/proof.js';
import { Attempts } from '../parts/attempts.js';
import { Rubric } from '../parts/rubric.js';
import { Change, unseen } from '../parts/change.js';
import { Log } from '../parts/log.js';
import { Budget, Decision, Given, Landing, Overrides, Spec } from '../parts/side.js';
import { back } from '../parts/rows.js';

const TONES = { RUNNING: 'run', FAILED: 'bad' };
/** Decisions on a result. */
const DECISIONS = new Set(['APPROVE', 'REJECT', 'LAND']);

export default function Task({ params: { id } }) {
  const resource = useResource(`/api/tasks/${encodeURIComponent(id)}`, ['board', `task:${id}`]);
  useKeys({ u: () => back(id) });
  return html`<div class="crumb"><${Link} to=${{ view: 'tasks' }}>${word('view_tasks')}</${Link}><span aria-hidden="true">/</span><span class="wraps">${id}</span></div>
    <${Answer} resource=${resource} rows=${4} heading=${id}>${task => html`<${Page} task=${task} />`}</${Answer}>`;
}

function Page({ task }) {
  const { row, change } = task;
  const [hidden, setHidden] = useState(false);
  const [opened, setOpened] = useState({});
  const role = useMemo(() => signal(row.running ? (['test', 'judge', 'coder', 'prepare'].includes(row.running.step) ? row.running.step : 'coordinator') : 'test'), [row.task_id]);
  const newest = task.attempts[task.attempts.length - 1] ?? null;
  const attempt = newest?.attempt ?? 0;
  const left = unseen(row.task_id, change);
  const isScored = Boolean(task.judge);
  const note = [
    left.length > 0 && { code: 'page.unseen', args: { n: left.length, all: change.files.length, files: left.slice(0, 5) } },
    isScored && { code: hidden ? 'page.score_hidden' : 'page.score_shown' },
  ].filter(Boolean);
  const about = { task_id: row.task_id, seen: task.seen, commit: newest?.commit ?? null, note, blind: hidden };
  const offers = task.orders;
  const answer = offers.find(it => it.action === 'ANSWER');
  const asks = row.questions > 0 && answer;
  // A question stands once: above its box.
  const detail = asks && questionsOf(task).some(it => t(it) === t(task.ruling.detail)) ? null : task.ruling.detail;
  const others = offers.filter(it => !(asks && it === answer) && it.action !== 'ROLLBACK' && !(it.action === 'LAND' && task.landing && !it.is_likeliest) && it.action !== 'ACCEPT');
  const accepts = offers.filter(it => it.action === 'ACCEPT');
  usePalette(offers, about);
  useOrderKeys(offers, about, { b: () => { if (isScored) setHidden(it => !it); } });
  const show = fact => {
    setOpened(it => ({ ...it, [fact]: true }));
    requestAnimationFrame(() => {
      const element = document.getElementById(`fact-${fact}`);
      element?.scrollIntoView({ block: 'center' });
      element?.querySelector('summary')?.focus({ preventScroll: true });
    });
  };
  const openLog = output => {
    role.value = output.role;
    document.getElementById('log')?.scrollIntoView({ block: 'start' });
  };
  const hint = hidden && isScored ? word('hidden') : change ? word('files_seen', { n: change.files.length - left.length, all: change.files.length }) : '';
  return html`<div class="task-head"><div class="taskname wraps">${row.task_id}</div><span class="right"><span class="opt">${word('since')} <${Age} at=${row.updated_at} /></span><span class=${`tag ${TONES[row.state] ?? ''}`}>${row.state}</span></span></div>
    <p class="goal-line" dir="auto">${row.goal}</p>
    <${Damaged} unreadable=${task.unreadable} />
    ${task.altered && html`<${Banner} tone="bad" icon="chain" title=${word('altered_state')}><code>${String(task.altered)}</code></${Banner}>`}
    <section class="panel court">
      <div class="say"><h1 class="ruling"><${Say} text=${task.ruling.title} capital /></h1>${detail && html`<p dir="auto"><${Say} text=${detail} capital /></p>`}</div>
      ${asks && html`<${Ask} offer=${answer} about=${about} questions=${questionsOf(task)} eyebrow=${attempt > 0 && word('after_attempt', { n: attempt })} />`}
      <${ProofLine} facts=${task.proof} open=${show} says=${fact => (hidden && fact.fact === 'judge' ? word('hidden') : says(fact, row))} />
      <${Versus} task=${task} hidden=${hidden} />
      <${Orders} offers=${others} about=${about} hint=${hint} pin />
    </section>
    <div class="cols2"><div>
      ${row.running && html`<${LogSection} task=${task} attempt=${attempt} role=${role} />`}
      ${task.attempts.length > 0 && html`<section class="sect"><header><h2>${word('attempts')}</h2><span class="note">${word('attempts_used', { used: row.tries.used, limit: row.tries.limit })}</span></header><${Attempts} attempts=${task.attempts} current=${attempt} hidden=${hidden} /></section>`}
      <section class="sect"><header><h2>${word('proof_title')}</h2>${attempt > 0 && html`<span class="note">${newest?.commit ? word('proof_of_tree', { attempt, tree: short(newest.commit) }) : word('proof_of', { attempt })}</span>`}</header>
        <${Proof} facts=${task.proof} opened=${opened} toggle=${(fact, open) => setOpened(it => (it[fact] === open ? it : { ...it, [fact]: open }))} openLog=${openLog} hidden=${hidden} />
        ${accepts.length > 0 && html`<${Orders} offers=${accepts} about=${about} />`}</section>
      ${task.judge && html`<section class="sect" id="judge"><header><h2>${word('judge')}</h2><span class="note">${[task.judge.name, task.judge.rubric, task.judge.rubric_version].filter(Boolean).join(' · ')}</span>
        <span class="right"><button type="button" class="as-link" aria-pressed=${String(hidden)} onClick=${() => setHidden(!hidden)}>${word(hidden ? 'show_score' : 'hide_score')} <kbd>b</kbd></button></span></header>
        ${hidden ? html`<div class="panel pad faint">${word('hidden')}</div>` : html`<${Rubric} judge=${task.judge} />`}</section>`}
      ${change && change.files.length > 0 && html`<section class="sect"><header><h2>${word('change')}</h2><span class="note">${word('change_note', { files: change.files.length, added: change.added, removed: change.removed })}</span></header><${Change} key=${change.attempt} task=${row.task_id} change=${change} /></section>`}
      ${!row.running && attempt > 0 && html`<${LogSection} task=${task} attempt=${attempt} role=${role} />`}
    </div><aside class="side">
      <${Decision} explanation=${task.explanation} judge=${task.judge} hidden=${hidden} />
      <${Landing} landing=${task.landing} offer=${offers.find(it => it.action === 'LAND' && !it.is_likeliest)} about=${about} />
      <${Budget} budget=${task.budget} />
      <${Overrides} versions=${task.overrides} offers=${offers.filter(it => it.action === 'ROLLBACK')} about=${about} />
      <${Spec} spec=${task.spec} base=${task.base} />
      <${Given} given=${task.given} />
    </aside></div>`;
}

const LogSection = ({ task, attempt, role }) => html`<section class="sect" id="log"><header><h2>${word('log')}</h2></header><${Log} task=${task.row.task_id} attempt=${attempt} role=${role} isRunning=${Boolean(task.row.running)} /></section>`;

const questionsOf = task => (task.questions?.length ? task.questions : (task.status.questions_for_user ?? []).map((text, at) => task.status.questions_for_user_codes?.[at] ?? { text }));

/** A fact in a few words; what runs says how long. */
function says(fact, row) {
  if (fact.standing === 'running' && row.running) {
    const ms = now.value - new Date(row.running.since).getTime();
    return row.running.limit_seconds ? word('time_of', { time: span(ms), limit: span(row.running.limit_seconds * 1000) }) : span(ms);
  }
  return fact.detail ? html`<${Say} text=${fact.detail} />` : word(`standing_${fact.standing}`);
}

/** What was said beside what was run, where they differ. */
function Versus({ task, hidden }) {
  const broken = task.proof.find(it => it.standing === 'contradicted' && it.evidence.length > 0);
  const said = task.judge && !hidden ? task.judge.said.slice(0, 2) : [];
  const claims = task.proof.flatMap(it => it.criteria).filter(it => it.claimed && String(it.label).toUpperCase() === 'CONTRADICTED').slice(0, 2);
  if (!broken || said.length + claims.length === 0) return null;
  return html`<div class="versus"><div><h3>${word('what_was_said')}</h3>${claims.map(it => html`<${Said} key=${it.id} text=${it.claimed} who=${word('the_agent')} />`)}${said.map((it, at) => html`<${Said} key=${at} text=${it} who=${`${word('the_judge')}${word('comma')}${task.judge.decision}`} />`)}</div>
    <div><h3>${word('what_was_run')}</h3><${Evidence} evidence=${broken.evidence[0]} /></div></div>`;
}

/** The letters of the orders that are offered. */
function useOrderKeys(offers, about, more) {
  const key = actions => () => {
    const offer = actions.map(it => offers.find(other => other.action === it)).find(Boolean);
    if (!offer || readOnly.peek()) return;
    const box = offer.action === 'ANSWER' && document.querySelector('.ask textarea');
    if (box) box.focus();
    else give(offer, about);
  };
  useKeys({ a: key(['APPROVE']), x: key(['REJECT']), r: key(['ANSWER']), p: key(['PAUSE', 'RESUME', 'RUN']), l: key(['LAND']), ...more });
  // The list can ask for an order to be opened here; a decision on a result is left to the reader.
  const asked = useRef(place.peek().state?.order);
  useEffect(() => {
    const action = asked.current;
    asked.current = null;
    const offer = action && offers.find(it => it.action === action);
    if (!offer || readOnly.peek() || overlay.peek()) return;
    if (action === 'ANSWER') key([action])();
    else if (!DECISIONS.has(action) && (offer.confirms || offer.fields.length)) give(offer, about);
    else document.querySelector(`[data-order=${action}]`)?.focus({ preventScroll: true });
  }, []);
}

function usePalette(offers, about) {
  useEffect(() => {
    offersHere.value = { offers, about };
    return () => { offersHere.value = null; };
  }, [offers]);
}
