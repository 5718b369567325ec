// The proof, fact by fact and criterion by criterion, each with its command.
import { html } from '../ui.js';
import { took, word, wordOr } from '../i18n.js';
import { Evidence, Exit, Said, Say, Seal, standingOf } from './basics.js';

const LABELS = { REPRODUCED: ['verified', 'ok'], CONTRADICTED: ['contradicted', 'bad'], STALE: ['stale', 'wait'], WAIVED: ['waived', 'wait'], NOT_RUN: ['not_verified', 'faint'] };
const labelOf = label => LABELS[String(label).toUpperCase()] ?? LABELS.NOT_RUN;

/**
 * @param {{facts: any[], opened: Record<string, boolean>, toggle: (fact: string, open: boolean) => void, openLog?: (output: any) => void, hidden: boolean}} props
 */
export const Proof = ({ facts, opened, toggle, openLog, hidden }) => html`<div class="panel">${facts.map(it => html`<${FactRow} key=${it.fact} fact=${it} isOpen=${opened[it.fact] ?? opens(it)} toggle=${toggle} openLog=${openLog} hidden=${hidden && it.fact === 'judge'} />`)}</div>`;

/** What was run, or speaks against the result, is shown at once. */
const opens = fact => standingOf(fact.standing) === 'contradicted' || fact.fact === 'tests' || fact.criteria.length > 0;

function FactRow({ fact, isOpen, toggle, openLog, hidden }) {
  const has = fact.evidence.length + fact.criteria.length + fact.findings.length > 0;
  const ms = fact.evidence.reduce((sum, it) => sum + (it.duration_ms ?? 0), 0) + fact.criteria.reduce((sum, it) => sum + (it.duration_ms ?? 0), 0);
  const head = html`<${Seal} standing=${fact.standing} /><span class="name">${word(`fact_${fact.fact}`)}<span class="vh"> ${word(`standing_${standingOf(fact.standing)}`)}</span></span>
    <span class="wraps">${hidden ? word('hidden') : fact.detail ? html`<${Say} text=${fact.detail} />` : word(`standing_${standingOf(fact.standing)}`)}</span><span class="meta">${ms > 0 ? took(ms) : ''}</span>`;
  if (!has) return html`<div class="fact-row" id=${`fact-${fact.fact}`}><div class="head">${head}</div></div>`;
  return html`<details class="fact-row" id=${`fact-${fact.fact}`} open=${isOpen} onToggle=${event => toggle(fact.fact, event.currentTarget.open)}><summary>${head}</summary>
    <div class="more-of">${fact.evidence.map((it, at) => html`<${Evidence} key=${at} evidence=${it} open=${it.output && openLog ? () => openLog(it.output) : undefined} />`)}
      ${fact.criteria.length > 0 && html`<${Criteria} criteria=${fact.criteria} />`}
      ${fact.findings.map((it, at) => html`<${Finding} key=${at} finding=${it} />`)}</div></details>`;
}

/** @param {{criteria: any[]}} props */
export const Criteria = ({ criteria }) => html`<ol class="crits">${criteria.map(it => html`<${Criterion} key=${it.id} criterion=${it} />`)}</ol>`;

function Criterion({ criterion }) {
  const [standing, tone] = labelOf(criterion.label);
  const shown = standingOf(criterion.standing ?? standing);
  return html`<li><${Seal} standing=${shown} /><span class="k">${criterion.id}</span><div><span dir="auto">${criterion.text}</span>
      ${criterion.command && html`<div class="cmdline exit"><code>${criterion.command}</code> <${Exit} evidence=${criterion} /></div>`}
      ${criterion.tail && shown === 'contradicted' && html`<div class="ev"><pre tabindex="0" role="region" aria-label=${word('output_of', { command: criterion.command ?? criterion.id })}>${criterion.tail}</pre></div>`}
      ${criterion.claimed && html`<${Said} text=${criterion.claimed} who=${word('the_agent')} />`}
      ${(criterion.findings ?? []).map((it, at) => html`<${Finding} key=${at} finding=${it} />`)}</div>
    <span class=${`label ${tone}`}>${wordOr(`label_${String(criterion.label).toLowerCase()}`, criterion.label)}</span></li>`;
}

/** A rule has a name; the code of a text is none. */
export const Finding = ({ finding }) => html`<div class="finding">${/^[A-Z]/.test(finding.code) && html`<span class=${`tag ${finding.effect === 'forbid' || finding.effect === 'deny' || finding.effect === 'fail' ? 'bad' : ''}`}>${finding.code}</span>`}<span>${finding.subject && html`<code>${finding.subject}</code> `}<${Say} text=${finding.message} />
  ${finding.accepted && html`<span class="dim"> ${word('accepted_by', { actor: finding.accepted.actor })} <q dir="auto">${finding.accepted.because}</q></span>`}</span></div>`;
