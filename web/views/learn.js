// What was learned: rules with their evidence, the gate's arithmetic, agreement, what waits.
import { html, useState } from '../ui.js';
import { number, sentence, spell, word, wordOr } from '../i18n.js';
import { readOnly, useResource } from '../store.js';
import { Link } from '../frame.js';
import { Answer, Banner, Clock, Empty, Icon, Say, Section, Theirs, Typed, Wide } from '../parts/basics.js';
import { Asked, askPerson, Interval } from '../parts/records.js';

const RESOLUTIONS = { label_wrong: true, evidence_missing: true, rule_gap: false, out_of_scope: false };

export default function Learn({ params }) {
  const resource = useResource('/api/learn');
  return html`<${Answer} resource=${resource}>${board => html`<${Shown} board=${board} id=${params.id} />`}</${Answer}>`;
}

function Shown({ board, id }) {
  const names = [...new Set([...board.missions.map(it => it.mission), ...board.agreements.map(it => it.mission)])];
  const chosen = id ?? names[0];
  const resource = useResource(chosen ? `/api/learn/${encodeURIComponent(chosen)}` : null);
  if (!chosen) {
    return html`<h1 class="ruling">${word('learn_empty')}</h1><${Empty} title="" commands=${['provost learn mission engineering_impl > judge.toml', 'provost learn run judge.toml']}>${word('learn_empty_detail')}</${Empty}>`;
  }
  return html`<${Answer} resource=${resource}>${view => html`<${Mission} view=${view} names=${names} board=${board} />`}</${Answer}>`;
}

function Mission({ view, names, board }) {
  const learned = view.rules.filter(it => !it.is_fixed);
  return html`<${Head} view=${view} n=${view.is_in_force ? learned.length : 0} />
    ${view.problems.length > 0 && html`<${Banner} tone="bad" icon="chain" title=${word('learn_problem')}>${view.problems.map((it, at) => html`<span class="hint" key=${at}><${Say} text=${it} /></span>`)}</${Banner}>`}
    ${names.length > 1 && html`<nav class="picks" aria-label=${word('learn_missions')}>${names.map(it => html`<${Link} key=${it} to=${{ view: 'learn', id: it }} aria-current=${it === view.mission ? 'true' : undefined}>${it}<span class="n">${number(board.missions.find(line => line.mission === it)?.queue ?? 0)}</span></${Link}>`)}</nav>`}
    <div class="cols2"><div>
      <${Section} title=${word('learn_rules_title')} note=${word(view.is_in_force || !view.run ? 'learn_rules_note' : 'learn_rules_of_run')}
        side=${view.is_in_force && view.back_to.length > 0 && (readOnly.value ? html`<code>provost learn rollback ${view.mission} --step N</code>` : html`<button type="button" class="btn quiet" aria-haspopup="dialog" onClick=${() => askPerson(() => html`<${Back} view=${view} />`)}>${word('learn_back')}</button>`)}>
        <div class="panel">${view.rules.map(it => html`<${Rule} key=${it.key} rule=${it} />`)}</div></${Section}>
      <${Section} title=${word('learn_gate')} note=${view.labels > 0 ? word('learn_labels', { labels: view.labels, counted: view.counted }) : view.gate[0] && word('learn_gate_note', { n: view.gate[0].decision, tickets: view.gate[0].tickets })}>
        <div class="panel padded">${view.accounts.map(it => html`<${Account} key=${it.name} account=${it} mission=${view.mission} />`)}
          ${view.gate[0] ? html`<${Gate} gate=${view.gate[0]} /><${Decisions} gate=${view.gate} />` : !view.accounts.length && html`<p class="note-line">${word('learn_no_gate')}</p>`}</div></${Section}>
      <${Queue} view=${view} /></div>
    <aside class="side under">${view.agreement && html`<${Agreement} agreement=${view.agreement} />`}<${Steps} view=${view} /></aside></div>`;
}

function Head({ view, n }) {
  const it = view.agreement;
  const wrong = it && it.false_pass + it.false_fail;
  return html`<h1 class="ruling"><strong>${it?.n ? word('learn_agrees', { n: it.true_pass + it.true_fail, all: it.n }) : n ? sentence(word('learn_rules', { count: spell(n), n })) : word('learn_no_rules')}</strong> ${wrong > 0 && word(it.false_pass >= it.false_fail ? 'learn_false_passes' : 'learn_false_fails')}</h1>
    <p class="sub">${view.is_in_force ? word('learn_sub', { mission: view.mission, step: view.step }) : word('learn_sub_none', { mission: view.mission })}</p>`;
}

/** So many marks are drawn; the words have the whole count. */
const MARKS = 60;

function Rule({ rule: it }) {
  const share = Math.min(1, MARKS / Math.max(1, it.hits + it.misses));
  const marks = [...Array(Math.round(it.hits * share)).fill(''), ...Array(Math.round(it.misses * share)).fill('m')];
  return html`<article class="rule"><span class="k">${it.key}</span><div><div class="text" dir="auto">${it.text}</div>
    <div class="from">${it.is_fixed ? html`<span class="tag"><${Icon} name="lock" /> ${word('learn_fixed')}</span> ${word('learn_fixed_note')}` : html`
      ${it.sources.length > 0 && html`${word('learn_support')} ${it.sources.slice(0, 3).map(source => html`<code key=${source}>${source}</code> `)}${it.sources.length > 3 && word('and_more', { n: it.sources.length - 3 })}`}
      ${it.written_by && html` · ${word('learn_written', { id: it.written_by })}`}${it.epoch !== null && it.cycle !== null && html`${word('comma')}${word('learn_epoch_cycle', { epoch: it.epoch, cycle: it.cycle })}`}`}</div>
    ${it.rationale && html`<div class="said"><q dir="auto">${it.rationale}</q></div>`}</div>
    ${!it.is_fixed && html`<div>${marks.length > 0 && html`<div class="hm" aria-hidden="true">${marks.map((mark, at) => html`<i key=${at} class=${mark}></i>`)}</div>`}<div class="dim small">${word('learn_hits', { hits: it.hits, misses: it.misses })}${it.confidence !== null && it.hits + it.misses > 0 && html` · ${word('learn_confidence', { value: it.confidence.toFixed(2) })}`}</div></div>`}</article>`;
}

/** What labels say of a rule, and how far it is from a proof. */
const Account = ({ account: it, mission }) => html`<article class="account"><p><b>${it.name}</b> <span class="tag">${word(`standing_${it.standing}`)}</span> ${it.claim === 'not_worse' && html`${word('learn_removal')} `}<${Theirs} text=${it.text} /></p>
    ${it.bound !== null && html`<${Scale} value=${it.e_value} bound=${it.bound} />`}
    <p class="note-line">${word('learn_account', { wins: it.wins, losses: it.losses })} ${it.wins_to_proof !== null && word('learn_wins_to_proof', { n: it.wins_to_proof })}</p>
    ${it.standing === 'offered' && html`<${Typed} command=${`provost learn adopt ${mission} ${it.name}`} />`}</article>`;

/** Evidence and its bound, on a scale that multiplies. */
function Scale({ value: is, bound: wanted }) {
  const most = Math.max(300, is * 2, wanted * 2);
  const x = value => 10 + (Math.log(Math.max(1, value)) / Math.log(most)) * 760;
  const round = value => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
  const marks = [1, 3, 10, 30, 100, 300, 1000, 10000, 100000].filter(mark => mark <= most);
  const [value, bound] = [String(round(is)), String(round(wanted))];
  return html`<${Wide} label=${word('learn_gate')}><svg class="chart" viewBox="0 0 800 96" role="img" aria-label=${word('learn_gate_chart', { value, bound })}>
      <line class="gl" x1="10" x2="770" y1="60" y2="60" />${marks.map(mark => html`<g key=${mark}><line class="gl" x1=${x(mark)} x2=${x(mark)} y1="52" y2="68" /><text x=${x(mark)} y="84" text-anchor="middle">${mark}</text></g>`)}
      <rect class="b2" x="10" y="48" width=${Math.max(1, x(is) - 10)} height="24" /><line class="gate" x1=${x(wanted)} x2=${x(wanted)} y1="20" y2="72" />
      <text x=${x(wanted) - 6} y="18" text-anchor="end">${word('learn_bound', { value: bound })}</text>
      <line class="ln" x1=${x(is)} x2=${x(is)} y1="42" y2="76" /><text class="lab" x=${x(is) + 6} y="38">${word('learn_e_value', { value })}</text></svg></${Wide}>`;
}

function Gate({ gate: it }) {
  return html`<${Scale} value=${it.e_value} bound=${it.bound} /><p class="note-line">${word('learn_gate_says', { wins: it.wins, losses: it.losses, before: it.false_passes_before, after: it.false_passes_after })} <b class=${it.is_accepted ? 'ok' : 'bad'}>${word(it.is_accepted ? 'learn_accepted' : 'learn_refused')}</b> ${it.refusals.map(why => wordOr(`refusal_${why}`, why)).join(word('comma'))} ${it.is_accepted && it.aim === 'improvement' && word('learn_chance', { alpha: (100 * it.alpha).toFixed(1) })}</p>`;
}

const Decisions = ({ gate }) => html`<details class="note-line"><summary>${word('as_table')}</summary><${Wide} label=${word('learn_gate')}><table class="tbl"><thead><tr><th class="num">${word('learn_col_decision')}</th><th>${word('learn_col_change')}</th><th class="num">${word('learn_col_wins')}</th><th class="num">${word('learn_col_evidence')}</th><th class="num">${word('learn_col_bound')}</th><th>${word('learn_col_outcome')}</th></tr></thead>
  <tbody>${gate.map((it, at) => html`<tr key=${at}><td class="num">${it.decision}</td><td class="any" dir="auto">${it.change}</td><td class="num">${it.wins}, ${it.losses}</td><td class="num">${it.e_value.toPrecision(3)}</td><td class="num">${it.bound.toPrecision(3)}</td><td>${word(it.is_accepted ? 'learn_accepted' : 'learn_refused')}</td></tr>`)}</tbody></table></${Wide}></details>`;

function Queue({ view }) {
  const open = view.hypotheses.filter(it => ['candidate', 'shadow'].includes(it.status));
  return html`<${Section} title=${word('learn_queue')} note=${word('learn_queue_note')}>
    <div class="panel">${!view.queue.length && !open.length && html`<p class="note-line padded">${word('learn_queue_empty')}</p>`}<ul class="why-list">
    ${view.queue.map(it => html`<li key=${it.key}><div class="top"><span class="mono any">${it.key}</span><span class="tag">${it.reason}</span><span class="right">${it.resolution ? html`${word('learn_resolved')} ${word(`resolution_${it.resolution}`)}` : readOnly.value ? null : html`<button type="button" class="btn" aria-haspopup="dialog" onClick=${() => askPerson(() => html`<${Resolve} view=${view} ticket=${it} />`)}>${word('learn_resolve')}</button>`}</span></div>
      ${it.said && html`<div class="said"><q dir="auto">${it.said}</q></div>`}${it.note && html`<div class="dim"><${Theirs} text=${it.note} /></div>`}
      ${!it.resolution && readOnly.value && html`<${Typed} command=${`provost learn resolve ${view.mission} ${it.key} --as label_wrong`} />`}</li>`)}
    ${open.map(it => html`<li key=${it.text}><div class="top"><span class="tag">${wordOr(`hypothesis_${it.status}`, it.status)}</span><${Theirs} text=${it.text} /></div><div class="dim">${word('learn_hypothesis', { cycles: it.cycles, tickets: it.tickets })}</div></li>`)}</ul></div></${Section}>`;
}

function Resolve({ view, ticket }) {
  const [chosen, setChosen] = useState('');
  return html`<${Asked} title=${word('learn_resolve_title', { key: ticket.key })} why=${word('learn_resolve_why')} label=${word('learn_resolve_do')} url=${`/api/learn/${encodeURIComponent(view.mission)}/resolve`} body=${() => (chosen ? { ticket_key: ticket.key, resolution: chosen } : null)}>
    <fieldset class="choices"><legend class="vh">${word('learn_resolve')}</legend>${Object.entries(RESOLUTIONS).map(([it, isOut], at) => html`<label key=${it}><input type="radio" name="resolution" value=${it} checked=${chosen === it} data-first=${at === 0 ? '' : undefined} onChange=${() => setChosen(it)} /> ${word(`resolution_${it}`)} <span class="faint">${word(isOut ? 'learn_left_out' : 'learn_still_used')}</span></label>`)}</fieldset></${Asked}>`;
}

function Back({ view }) {
  const [step, setStep] = useState(String(view.back_to.find(it => it < view.step) ?? view.back_to[0]));
  return html`<${Asked} title=${word('learn_back_title', { mission: view.mission })} why=${word('learn_back_why')} label=${word('learn_back_do')} tone="danger" url=${`/api/learn/${encodeURIComponent(view.mission)}/rollback`} body=${() => ({ step: Number(step) })}>
    <div class="field"><label for="step">${word('learn_step')}</label><select id="step" data-first="" value=${step} onChange=${event => setStep(event.target.value)}>${view.back_to.map(it => html`<option key=${it} value=${String(it)}>${it}</option>`)}</select></div></${Asked}>`;
}

function Agreement({ agreement: it }) {
  const cell = (n, name, kind) => html`<div class=${`c ${kind}`}><b>${number(n)}</b>${word(name)}</div>`;
  const rate = (name, share) => share && html`<${Interval} name=${word(name)} ...${share} says=${word('learn_interval', { low: share.low.toFixed(2), high: share.high.toFixed(2) })} />`;
  return html`<section class="panel"><h2>${word('learn_quad')}</h2><div class="quad"><span></span><span class="h">${word('learn_you_approved')}</span><span class="h">${word('learn_you_rejected')}</span>
      <span class="h s">${word('learn_judge_pass')}</span>${cell(it.true_pass, 'learn_agree', 'good')}${cell(it.false_pass, 'learn_false_pass', 'miss')}
      <span class="h s">${word('learn_judge_fail')}</span>${cell(it.false_fail, 'learn_false_fail', 'miss')}${cell(it.true_fail, 'learn_agree', 'good')}</div>
    ${rate('learn_accuracy', it.accuracy)}${rate('learn_true_passes', it.true_pass_rate)}${rate('learn_true_fails', it.true_fail_rate)}
    ${it.kappa !== null && html`<${Interval} name=${word('learn_kappa')} value=${it.kappa} />`}
    <p class="note-line">${word('learn_blind', { n: it.blind, all: it.n })} ${it.corrected !== null && word('learn_acceptance', { share: Math.round(100 * it.corrected) })}</p>
    ${it.caveats.length > 0 && html`<ul class="note-line">${it.caveats.map(caveat => html`<li key=${caveat}>${wordOr(`caveat_${caveat}`, caveat)}</li>`)}</ul>`}</section>`;
}

const Steps = ({ view }) => html`<section class="panel"><h2>${word('learn_steps')}</h2>${view.steps.length ? html`<ol class="trail">${view.steps.map((it, at) => html`<li key=${at}><span class="faint">${it.step ?? ''}</span> ${wordOr(`step_${it.action.split('.')[1]}`, it.action)} ${it.about && html`<code class="any">${it.about}</code>`} <span class="faint">${it.actor}, <${Clock} at=${it.at} /></span></li>`)}</ol>` : html`<p class="note-line">${word('learn_no_steps')}</p>`}
  ${view.runs.length > 0 && html`<h2>${word('learn_runs')}</h2><ul class="trail">${view.runs.map(it => html`<li key=${it.run}><span class="mono">${it.run}</span> <span class="faint">${word(`run_${it.state}`)}</span></li>`)}</ul>`}</section>`;
