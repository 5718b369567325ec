// The judge's scores: length is the score, height the weight, so the area is the sum.
import { html, vars } from '../ui.js';
import { word } from '../i18n.js';
import { Icon } from './icons.js';
import { Said } from './evidence.js';

const FULL = 5;
const GATE = 2;
const percent = (value, of) => `${Math.max(0, Math.min(100, (100 * value) / of)).toFixed(2)}%`;

/** @param {{judge: any}} props */
export function Rubric({ judge }) {
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
