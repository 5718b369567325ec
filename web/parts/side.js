// What stands beside a task: how it was decided, and what is left.
import { html, vars } from '../ui.js';
import { money, number, span, t, word } from '../i18n.js';
import { Order } from './order.js';
import { Clock, Commit, Say } from './text.js';

const Pairs = ({ pairs, left }) => html`<dl class=${`kv ${left ? 'left' : ''}`}>${pairs.filter(it => it && it[1] !== null && it[1] !== undefined && it[1] !== '').map(([name, value], at) => html`<dt key=${`k${at}`}>${name}</dt><dd key=${`v${at}`}>${value}</dd>`)}</dl>`;
const Panel = ({ title, children }) => html`<section class="panel"><h2>${title}</h2>${children}</section>`;

/** Which of the rows decided, and what it looked at. */
export function Decision({ explanation, judge, hidden }) {
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

export function Budget({ budget }) {
  if (!budget) return null;
  const { usd, limit_usd: limit, seconds, limit_seconds: most, tokens, limit_tokens: mostTokens } = budget;
  const share = limit && usd !== null ? Math.min(100, (100 * Number(usd)) / Number(limit)) : most ? Math.min(100, (100 * seconds) / most) : null;
  const of = (value, end) => (end ? word('of_limit', { value, limit: end }) : value);
  return html`<${Panel} title=${word('budget')}>${share !== null && html`<div class="meter" aria-hidden="true"><i ref=${vars({ w: `${share.toFixed(1)}%` })}></i></div>`}
    <${Pairs} pairs=${[[word('spent'), usd === null ? (limit ? word('unknown') : null) : of(money(usd), limit && money(limit))], [word('time'), of(span(seconds * 1000), most && span(most * 1000))], [word('tokens'), tokens === null || tokens === undefined ? null : of(number(tokens), mostTokens && number(mostTokens))]]} /></${Panel}>`;
}

export function Landing({ landing, offer, about }) {
  if (!landing) return null;
  return html`<${Panel} title=${word('land')}><${Pairs} pairs=${[
    [word('land_branch'), html`<code>${landing.branch}</code>`],
    landing.commit && [word('land_commit'), html`<${Commit} id=${landing.commit} />`],
    landing.undone && ['', word('land_undone')],
  ]} />${landing.behind > 0 && html`<p class="aside-note dim">${word('land_behind', { n: landing.behind })}</p>`}
    ${offer && html`<div class="aside-act"><${Order} offer=${offer} about=${about} quiet=${false} /></div>`}</${Panel}>`;
}

/** The versions of the overrides, and the way back. */
export function Overrides({ versions, offers, about }) {
  if (!versions?.length) return null;
  const newest = versions[versions.length - 1].version;
  const settings = it => Object.entries(it.overrides ?? {}).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(word('comma'));
  return html`<${Panel} title=${word('overrides')}><dl class="kv left">${[...versions].reverse().map(it => html`<dt key=${`k${it.version}`}>v${it.version}</dt><dd key=${`v${it.version}`}><b>${settings(it) || word('override_none')}</b>${it.version === newest ? html`${word('comma')}${word('override_now')}` : ''}
      <div class="dim">${actor(it.actor)}${word('comma')}<${Clock} at=${it.updated_at} />${typeof it.rolled_back_to === 'number' ? html`${word('comma')}${word('override_back', { version: it.rolled_back_to })}` : ''}</div></dd>`)}</dl>
    ${offers.map(it => html`<div class="aside-act" key=${it.command}><${Order} offer=${it} about=${about} /></div>`)}</${Panel}>`;
}

const actor = it => (typeof it === 'string' ? it : it?.name ?? it?.kind ?? '');

const HASH = /^[0-9a-f]{40,64}$/;

export function Spec({ spec, base }) {
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
export function Given({ given }) {
  if (!given?.length) return null;
  return html`<${Panel} title=${word('orders')}><dl class="kv left">${given.slice(-12).map(it => html`<dt key=${`k${it.seq}`}><${Clock} at=${it.created_at} /></dt><dd key=${`v${it.seq}`}>${actor(it.actor)} <span class="mono">${it.action}</span>${it.text && html` <q dir="auto">${it.text}</q>`}${it.outcome === 'refused' ? html` <span class="bad">${word('order_refused')}</span>` : it.outcome === 'pending' ? html` <span class="wait">${word('order_pending')}</span>` : ''}</dd>`)}</dl></${Panel}>`;
}
