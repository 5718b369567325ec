// One task: what provost says about it, how it is proven and was decided, what each attempt left, and what can
// be ordered.
import { html, signal, useEffect, useMemo, useRef, useState, vars } from '../ui.js';
import { money, now, number, span, t, word } from '../i18n.js';
import { back, Link, overlay, place, useKeys } from '../frame.js';
import { readOnly, useResource } from '../store.js';
import { Ask, give, Held, offersHere, Order, Orders } from '../parts/order.js';
import { Age, Answer, Banner, Clock, Commit, Damaged, Evidence, Icon, ProofLine, Said, Say, Section, short, standingOf } from '../parts/basics.js';
import { Log } from '../parts/log.js';
import { Proof } from '../parts/proof.js';

const TONES = { RUNNING: 'run', FAILED: 'bad' };
/** Decisions on a result. */
const DECISIONS = new Set(['APPROVE', 'REJECT', 'LAND']);

const STEPS = new Set(['test', 'judge', 'coder', 'prepare']);
const stepOf = ({ running }) => (!running ? 'test' : STEPS.has(running.step) ? running.step : 'coordinator');

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
  const chosen = useMemo(() => signal(''), [row.task_id]);
  // The step that runs, until somebody chooses another one.
  const role = { get value() { return chosen.value || stepOf(row); }, set value(it) { chosen.value = it; } };
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
    ${task.background_failure && html`<${Banner} tone="bad" title=${word('background_failed')}><span dir="auto">${task.background_failure}</span></${Banner}>`}
    <section class="panel court">
      <div class="say"><h1 class="ruling"><${Say} text=${task.ruling.title} capital /></h1>${detail && html`<p dir="auto"><${Say} text=${detail} capital /></p>`}</div>
      ${asks && html`<${Ask} offer=${answer} about=${about} questions=${questionsOf(task)} eyebrow=${attempt > 0 && word('after_attempt', { n: attempt })} />`}
      <${Held} about=${about} />
      <${ProofLine} facts=${task.proof} open=${show} says=${fact => (hidden && fact.fact === 'judge' ? word('hidden') : says(fact, row))} />
      <${Versus} task=${task} hidden=${hidden} />
      <${Orders} offers=${others} about=${about} hint=${hint} pin />
    </section>
    <div class="cols2"><div>
      ${row.running && html`<${LogSection} task=${task} attempt=${attempt} role=${role} />`}
      ${task.attempts.length > 0 && html`<${Section} title=${word('attempts')} note=${word('attempts_used', { used: row.tries.used, limit: row.tries.limit })}><${Attempts} attempts=${task.attempts} current=${attempt} hidden=${hidden} /></${Section}>`}
      <${Section} title=${word('proof_title')} note=${attempt > 0 && (newest?.commit ? word('proof_of_tree', { attempt, tree: short(newest.commit) }) : word('proof_of', { attempt }))}>
        <${Proof} facts=${task.proof} opened=${opened} toggle=${(fact, open) => setOpened(it => (it[fact] === open ? it : { ...it, [fact]: open }))} openLog=${openLog} hidden=${hidden} />
        ${accepts.length > 0 && html`<${Orders} offers=${accepts} about=${about} />`}</${Section}>
      ${task.judge && html`<${Section} id="judge" title=${word('judge')} note=${[task.judge.name, task.judge.rubric, task.judge.rubric_version].filter(Boolean).join(' · ')}
        side=${html`<button type="button" class="as-link" aria-pressed=${String(hidden)} onClick=${() => setHidden(!hidden)}>${word(hidden ? 'show_score' : 'hide_score')} <kbd>b</kbd></button>`}>
        ${hidden ? html`<div class="panel pad faint">${word('hidden')}</div>` : html`<${Rubric} judge=${task.judge} />`}</${Section}>`}
      ${change && change.files.length > 0 && html`<${Section} title=${word('change')} note=${word('change_note', { files: change.files.length, added: change.added, removed: change.removed })}><${Change} key=${change.attempt} task=${row.task_id} change=${change} /></${Section}>`}
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

const LogSection = ({ task, attempt, role }) => html`<${Section} id="log" title=${word('log')}><${Log} task=${task.row.task_id} attempt=${attempt} role=${role} isRunning=${Boolean(task.row.running)} /></${Section}>`;

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

// Beside the task --------------------------------------------------------------------------------

const Pairs = ({ pairs, left }) => html`<dl class=${`kv ${left ? 'left' : ''}`}>${pairs.filter(it => it && it[1] !== null && it[1] !== undefined && it[1] !== '').map(([name, value], at) => html`<dt key=${`k${at}`}>${name}</dt><dd key=${`v${at}`}>${value}</dd>`)}</dl>`;
const Panel = ({ title, children }) => html`<section class="panel"><h2>${title}</h2>${children}</section>`;

/** Which of the rows decided, and what it looked at. */
function Decision({ explanation, judge, hidden }) {
  const { row, rows = [], row_index: index } = explanation;
  if (!row) return html`<${Panel} title=${word('decision')}><p class="dim small">${word('decision_none')}</p></${Panel}>`;
  const at = typeof index === 'number' ? index : rows.indexOf(row);
  const facts = explanation.deciding_facts ?? [];
  const against = explanation.record?.against ?? [];
  return html`<${Panel} title=${word('decision')}><div class="rowname">${row}</div>
    ${at >= 0 && rows.length > 0 && html`<div class="faint small">${word('decision_row', { n: at + 1, all: rows.length })}</div>
      <div class="ladder" aria-hidden="true">${rows.map((it, n) => html`<i key=${it} class=${n === at ? 'hit' : ''} title=${it}></i>`)}</div>`}
    <${Pairs} pairs=${facts.filter(it => !hidden || it.name !== 'score').map(it => [t(it.label), it.value === 'true' ? word('yes') : it.value === 'false' ? word('no') : html`<span class="mono">${it.value}</span>`])} />
    ${against.length > 0 && html`<ul class="against">${against.map((it, n) => html`<li key=${n}><${Say} text=${it} /></li>`)}</ul>`}
    ${judge?.decision && judge.decision_after_facts && judge.decision !== judge.decision_after_facts && !hidden && html`<p class="aside-note dim">${judge.decision}${word('lowered_to', { decision: judge.decision_after_facts })}</p>`}</${Panel}>`;
}

function Budget({ budget }) {
  if (!budget) return null;
  const { usd, limit_usd: limit, seconds, limit_seconds: most, tokens, limit_tokens: mostTokens } = budget;
  const share = limit && usd !== null ? Math.min(100, (100 * Number(usd)) / Number(limit)) : most ? Math.min(100, (100 * seconds) / most) : null;
  const of = (value, end) => (end ? word('of_limit', { value, limit: end }) : value);
  return html`<${Panel} title=${word('budget')}>${share !== null && html`<div class="meter" aria-hidden="true"><i ref=${vars({ w: `${share.toFixed(1)}%` })}></i></div>`}
    <${Pairs} pairs=${[[word('spent'), usd === null ? (limit ? word('unknown') : null) : of(money(usd), limit && money(limit))], [word('time'), of(span(seconds * 1000), most && span(most * 1000))], [word('tokens'), tokens === null || tokens === undefined ? null : of(number(tokens), mostTokens && number(mostTokens))]]} /></${Panel}>`;
}

function Landing({ landing, offer, about }) {
  if (!landing) return null;
  return html`<${Panel} title=${word('land')}><${Pairs} pairs=${[
    [word('land_branch'), html`<code>${landing.branch}</code>`],
    landing.commit && [word('land_commit'), html`<${Commit} id=${landing.commit} />`],
    landing.undone && ['', word('land_undone')],
  ]} />${landing.behind > 0 && html`<p class="aside-note dim">${word('land_behind', { n: landing.behind })}</p>`}
    ${offer && html`<div class="aside-act"><${Order} offer=${offer} about=${about} quiet=${false} /></div>`}</${Panel}>`;
}

/** The versions of the overrides, and the way back. */
function Overrides({ versions, offers, about }) {
  if (!versions?.length) return null;
  const newest = versions[versions.length - 1].version;
  const settings = it => Object.entries(it.overrides ?? {}).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(word('comma'));
  return html`<${Panel} title=${word('overrides')}><dl class="kv left">${[...versions].reverse().map(it => html`<dt key=${`k${it.version}`}>v${it.version}</dt><dd key=${`v${it.version}`}><b>${settings(it) || word('override_none')}</b>${it.version === newest ? html`${word('comma')}${word('override_now')}` : ''}
      <div class="dim">${actor(it.actor)}${word('comma')}<${Clock} at=${it.updated_at} />${typeof it.rolled_back_to === 'number' ? html`${word('comma')}${word('override_back', { version: it.rolled_back_to })}` : ''}</div></dd>`)}</dl>
    ${offers.map(it => html`<div class="aside-act" key=${it.command}><${Order} offer=${it} about=${about} /></div>`)}</${Panel}>`;
}

const actor = it => (typeof it === 'string' ? it : it?.name ?? it?.kind ?? '');

const HASH = /^[0-9a-f]{40,64}$/;

function Spec({ spec, base }) {
  if (!spec) return null;
  const list = items => items?.map((it, at) => html`<code key=${at}>${it}</code> `);
  const commit = base?.commit ?? base?.base_commit ?? null;
  return html`<${Panel} title=${word('task')}><${Pairs} pairs=${[
    [word('spec_base'), html`${!HASH.test(spec.base_ref) && html`<code>${spec.base_ref}</code> `}<${Commit} id=${commit ?? (HASH.test(spec.base_ref) ? spec.base_ref : null)} />`],
    [word('spec_test'), spec.test_cmd ? html`<code>${spec.test_cmd}</code>` : html`<span class="wait">${word('spec_none')}</span>`],
    [word('spec_coder'), spec.coder], [word('spec_judge'), spec.judge],
    spec.allowed_paths?.length > 0 && [word('spec_allowed'), list(spec.allowed_paths)],
    spec.plan && [word('spec_story'), html`<code>${spec.plan}</code> ${spec.story ?? ''}`],
    [word('spec_acceptance'), spec.acceptance && html`<span dir="auto">${spec.acceptance}</span>`],
  ]} /></${Panel}>`;
}

/** The orders that were given, newest last. */
function Given({ given }) {
  if (!given?.length) return null;
  return html`<${Panel} title=${word('orders')}><dl class="kv left">${given.slice(-12).map(it => html`<dt key=${`k${it.seq}`}><${Clock} at=${it.created_at} /></dt><dd key=${`v${it.seq}`}>${actor(it.actor)} <span class="mono">${it.action}</span>${it.text && html` <q dir="auto">${it.text}</q>`}${it.outcome === 'refused' ? html` <span class="bad">${word('order_refused')}</span>` : it.outcome === 'pending' ? html` <span class="wait">${word('order_pending')}</span>` : ''}</dd>`)}</dl></${Panel}>`;
}

// Attempts, to scale -----------------------------------------------------------------------------

const TICKS = 6;
/** Lengths of time that an axis can end at, in seconds. */
const ENDS = [6, 12, 30, 60, 120, 180, 360, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800];
const LETTER = { verified: 'v', contradicted: 'c', running: 'r', not_verified: 'u', stale: 'u', waived: 'u', not_asked: 'u' };

/** How long a step took, or has run; a step that has not begun is nothing. */
function length(step) {
  if (typeof step.ms === 'number') return step.ms;
  if (!step.started_at) return 0;
  return Math.max(0, (step.ended_at ? new Date(step.ended_at) : now.value) - new Date(step.started_at));
}

/** @param {{attempts: any[], current: number, hidden: boolean}} props */
function Attempts({ attempts, current, hidden }) {
  const longest = Math.max(1, ...attempts.map(it => it.steps.reduce((sum, step) => sum + length(step), 0)));
  const end = 1000 * (ENDS.find(it => it * 1000 >= longest) ?? Math.ceil(longest / 1000));
  return html`<div class="panel tries"><div class="axis" aria-hidden="true"><span></span><div>${Array.from({ length: TICKS + 1 }, (_, at) => html`<span key=${at}>${span((end / TICKS) * at)}</span>`)}</div><span></span></div>
    <ol>${attempts.map(it => html`<${Attempt} key=${it.attempt} attempt=${it} end=${end} isCurrent=${it.attempt === current} hidden=${hidden} />`)}</ol></div>`;
}

function Attempt({ attempt, end, isCurrent, hidden }) {
  const narrow = matchMedia('(max-width: 900px)').matches;
  const tone = attempt.row === 'ready' || attempt.row === 'pass' ? 'ok' : /exhausted|stop|reject/.test(attempt.row ?? '') ? 'bad' : attempt.row ? '' : 'run';
  const steps = attempt.steps.map(it => `${word(`step_${it.step}`)} ${span(length(it))}`).join(word('comma'));
  return html`<li class="try" aria-current=${isCurrent ? 'true' : undefined}><span class="no"><span class="vh">${word('attempt')} </span>${attempt.attempt}</span>
    <div class="spans" role="img" aria-label=${steps}>${attempt.steps.map((step, at) => {
    const share = (100 * length(step)) / end;
    const label = `${word(`step_${step.step}`)} ${span(length(step))}`;
    const wide = share > (narrow ? 26 : 16);
    const letter = step.step === 'coder' || step.step === 'prepare' ? (standingOf(step.standing) === 'running' ? 'r' : '') : LETTER[standingOf(step.standing)];
    return html`<i key=${at} class=${`${letter} ${wide ? '' : 'thin'}`} title=${label} ref=${vars({ w: `${share.toFixed(2)}%` })}>${wide ? label : ''}</i>`;
  })}</div>
    <div class="end"><span class=${`tag ${tone}`}>${attempt.row ?? word('runs')}</span><span>${hidden ? '' : attempt.score ?? ''}</span><span>${attempt.usd ? money(attempt.usd) : ''}</span></div>
    ${attempt.rejected_because && html`<p class="try-note">${word('rejected_because')} <q dir="auto">${attempt.rejected_because}</q></p>`}</li>`;
}

// The judge's scores -----------------------------------------------------------------------------

const FULL = 5;
const GATE = 2;
const percent = (value, of) => `${Math.max(0, Math.min(100, (100 * value) / of)).toFixed(2)}%`;

/** @param {{judge: any}} props */
function Rubric({ judge }) {
  if (!judge.dimensions.length || judge.final === null) return html`<div class="panel rubric"><${Verdict} judge=${judge} /></div>`;
  const before = Number(judge.raw) * (100 / FULL);
  const after = Number(judge.final);
  const lost = Number.isFinite(before) && before - after > 0.05 ? before - after : 0;
  return html`<div class="panel rubric">
    <div class="rub scale" aria-hidden="true"><span></span><div class="field-axis">${[0, 1, 2, 3, 4, 5].map(it => html`<span key=${it}>${it}</span>`)}</div><span></span></div>
    <div class="vh"><table><caption>${word('scores')}</caption><tbody>${judge.dimensions.map(it => html`<tr key=${it.name}><th scope="row">${it.name.replaceAll('_', ' ')}</th><td>${it.score}</td><td>${it.weight}</td><td>${it.product}</td></tr>`)}</tbody></table></div>
    <div aria-hidden="true">${judge.dimensions.map(it => html`<div class="rub" key=${it.name}><span class="name cut" title=${it.name}>${it.gate && html`<${Icon} name="lock" />`}${it.name.replaceAll('_', ' ')}</span>
      <div class=${`area ${it.gate ? 'gate' : ''}`} ref=${vars({ t: `${(Number(it.weight) * 9.5).toFixed(3)}rem` })}><div class=${`bar-i ${it.gate && Number(it.score) <= GATE ? 'low' : ''}`} ref=${vars({ w: percent(Number(it.score), FULL) })}></div>${it.threshold && html`<div class="tick" ref=${vars({ x: percent(Number(it.threshold), FULL) })}></div>`}</div>
      <span class="calc"><b>${it.score}</b><span class="w"> × ${it.weight} = ${it.product}</span></span></div>`)}</div>
    <div class="rub total"><span class="name">${word('of_hundred')}</span><div class="area"><div class="bar-i" ref=${vars({ w: percent(after, 100) })}></div>${lost > 0 && html`<div class="lost" ref=${vars({ x: percent(after, 100), w: percent(lost, 100) })}></div>`}</div><span class="calc"><b>${judge.final}</b></span></div>
    <${Verdict} judge=${judge} />
    <p class="note-line faint">${word('rubric_legend')}</p></div>`;
}

/** What the judge decided and said, which facts can lower and never raise. */
const Verdict = ({ judge }) => html`<div class="sum">${judge.raw && html`<span>${word('raw')} <span class="mono">${judge.raw}</span></span>`}${judge.penalty && html`<span>${word('penalty')} <span class="mono">${judge.penalty}</span></span>`}<span><span class="mono">${judge.decision}</span>${judge.decision_after_facts && judge.decision_after_facts !== judge.decision ? word('lowered_to', { decision: judge.decision_after_facts }) : ''}</span></div>
  ${judge.said.length > 0 && html`<div class="issues">${judge.said.map((it, at) => html`<${Said} key=${at} text=${it} />`)}</div>`}`;

// The change -------------------------------------------------------------------------------------

/** Files that this person has looked at, by task and attempt. Kept in this browser only. */
const seen = signal(new Set());
const keyOf = (task, attempt, path) => `${task} ${attempt} ${path}`;
const isSeen = (task, attempt, path) => seen.value.has(keyOf(task, attempt, path));
/** The files of a change that were not looked at. */
const unseen = (task, change) => (change ? change.files.filter(it => !isSeen(task, change.attempt, it.path)).map(it => it.path) : []);

const SQUARES = 5;

function Change({ task, change }) {
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
      <span>${tags(it)}</span>
      <span class="nowrap">${it.is_binary ? html`<span class="faint">${word('binary')}</span>` : html`<${Squares} added=${it.added} removed=${it.removed} /> <span class="faint">+${it.added} −${it.removed}</span>`}</span>
      <span class="faint">${isSeen(task, change.attempt, it.path) ? word('seen') : ''}</span></li>`)}</ol>
    ${file && html`<${Diff} key=${file.path} task=${task} attempt=${change.attempt} file=${file} mark=${mark} />`}</div>`;
}

/** Why a file needs an eye. */
const tags = it => [it.mode, it.risk].map((text, at) => text && html`<span class="tag wait risk" key=${at} title=${t(text)}>${t(text)}</span>`);

function Squares({ added, removed }) {
  const all = added + removed;
  const green = all ? Math.round((SQUARES * added) / all) : 0;
  return html`<span class="pm" aria-hidden="true">${Array.from({ length: SQUARES }, (_, at) => html`<i key=${at} class=${!all ? '' : at < green ? 'a' : 'd'}></i>`)}</span>`;
}

/** The hunks of one file. It counts as seen once its end was in sight. */
function Diff({ task, attempt, file, mark }) {
  const url = file.is_binary ? null : `/api/tasks/${encodeURIComponent(task)}/attempts/${attempt}/diff?file=${encodeURIComponent(file.path)}`;
  const resource = useResource(url, []);
  return html`<div class="diff" id="diff"><header><span class="mono wraps">${file.path}</span>${tags(file)}<span class="right faint keyhint"><kbd>[</kbd> <kbd>]</kbd> ${word('key_file')} · <kbd>v</kbd> ${word('seen')}</span></header>
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
