// Attempts, with their steps to scale: one axis for all of them.
import { html, vars } from '../ui.js';
import { money, span, word } from '../i18n.js';
import { now } from '../clock.js';
import { standingOf } from './seal.js';

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
export function Attempts({ attempts, current, hidden }) {
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
