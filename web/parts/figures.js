// Figures that more than one view draws: counts, bars, gauges, intervals. Each says in words what it shows.
import { html, vars } from '../ui.js';
import { number } from '../i18n.js';

/** Large counts in a row: `{value, label}`. */
export const Stats = ({ items }) => html`<div class="stats">${items.map(({ value, label }) => html`<div key=${label}><div class="v">${value}</div><div class="l">${label}</div></div>`)}</div>`;

/** Bars with their names and counts; the longest is the whole width. */
export function Bars({ items, mono }) {
  const most = Math.max(1, ...items.map(it => it.count));
  return html`<div class="bars">${items.map(({ name, count, kind }) => html`<span class=${mono ? 'mono cut' : 'cut'} title=${name}>${name}</span><i class=${`len ${kind ?? ''}`} aria-hidden="true" ref=${vars({ w: `${(100 * count) / most}%` })}></i><span>${number(count)}</span>`)}</div>`;
}

/** How far something is on a scale, with the place where a word is needed. */
export const Gauge = ({ name, says, value, limit, most }) => html`<div class="gauge">${name} <span class="end">${says}</span><div class="g" aria-hidden="true"><i class="len" ref=${vars({ w: `${Math.min(100, (100 * value) / most)}%` })}></i><b class="at" ref=${vars({ x: `${(100 * limit) / most}%` })}></b></div></div>`;

/** A share from 0 to 1 with its interval. */
export const Interval = ({ name, value, low, high, says }) => html`<div class="ci"><span>${name}</span><span class="f" aria-hidden="true">${low !== undefined && html`<i class="span-i" ref=${vars({ x: `${100 * low}%`, w: `${100 * (high - low)}%` })}></i>`}<b class="at" ref=${vars({ x: `${100 * Math.max(0, value)}%` })}></b></span><span class="num" title=${says}>${value.toFixed(2)}</span></div>`;
