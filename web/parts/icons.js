// Every shape of the page, as symbols that are built as nodes.
import { html } from '../ui.js';

const DISC = 'M10.00 1.65Q12.47 0.78 14.17 2.77Q16.75 3.25 17.23 5.83Q19.22 7.53 18.35 10.00Q19.22 12.47 17.23 14.17Q16.75 16.75 14.17 17.23Q12.47 19.22 10.00 18.35Q7.53 19.22 5.82 17.23Q3.25 16.75 2.77 14.18Q0.78 12.47 1.65 10.00Q0.78 7.53 2.77 5.82Q3.25 3.25 5.82 2.77Q7.53 0.78 10.00 1.65Z';
const DASHED = html`<circle cx="10" cy="10" r="7.4" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.9 2.27" />`;
const LINE = { fill: 'none', stroke: 'currentColor', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };

/** Stands once at the top of the page. */
export const Sprite = () => html`<svg class="sprite" width="0" height="0" aria-hidden="true"><defs>
  <clipPath id="left"><path d="M-3-3H13L8 8.6l3.4 2.2L7 23H-3Z" /></clipPath>
  <clipPath id="rest"><path d="M23-3H13L8 8.6l3.4 2.2L7 23H23Z" /></clipPath>
  <symbol id="s-verified" viewBox="0 0 20 20"><path d=${DISC} fill="currentColor" /><path class="cutout" d="M6.1 10.3l2.7 2.7 5.1-5.7" stroke-width="2.1" stroke-linecap="round" stroke-linejoin="round" /></symbol>
  <symbol id="s-contradicted" viewBox="0 0 20 20" overflow="visible"><g fill="currentColor"><path d=${DISC} clip-path="url(#left)" transform="translate(-1.9 -.5) rotate(-9 10 10)" /><path d=${DISC} clip-path="url(#rest)" transform="translate(1.9 .7) rotate(9 10 10)" /></g></symbol>
  <symbol id="s-not_verified" viewBox="0 0 20 20">${DASHED}</symbol>
  <symbol id="s-running" viewBox="0 0 20 20"><circle class="ring" cx="10" cy="10" r="7.4" fill="none" stroke-width="2" /><path class="arc" d="M10 2.6A7.4 7.4 0 0 1 17.4 10" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" /><circle cx="10" cy="10" r="2.4" fill="currentColor" /></symbol>
  <symbol id="s-not_asked" viewBox="0 0 20 20"><path d="M7 10h6" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" /></symbol>
  <symbol id="s-stale" viewBox="0 0 20 20"><circle cx="10" cy="10" r="7.4" stroke-width="1.6" ...${LINE} /><path d="M10 5.6V10l3 2" stroke-width="1.9" ...${LINE} /></symbol>
  <symbol id="s-waived" viewBox="0 0 20 20"><circle cx="10" cy="10" r="7.4" stroke-width="1.6" ...${LINE} /><path d="M6 10.6c1.3-1.6 2.7-1.6 4 0s2.7 1.6 4 0" stroke-width="1.7" ...${LINE} /></symbol>
  <symbol id="i-mark" viewBox="0 0 20 20"><path d=${DISC} fill="currentColor" /><path class="cutout onground" d="M7.9 14.6V6h3a2.6 2.6 0 0 1 0 5.2H8" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" /></symbol>
  <symbol id="e-deny" viewBox="0 0 14 14"><path d="M4.4 1h5.2L13 4.4v5.2L9.6 13H4.4L1 9.6V4.4Z" fill="currentColor" /><path class="cutout" d="M4 7h6" stroke-width="1.8" stroke-linecap="round" /></symbol>
  <symbol id="e-ask" viewBox="0 0 14 14"><circle cx="7" cy="7" r="5.6" stroke-width="1.3" ...${LINE} /><path d="M5.4 5.6a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1" stroke-width="1.3" ...${LINE} /><circle cx="7" cy="9.9" r=".8" fill="currentColor" /></symbol>
  <symbol id="i-live" viewBox="0 0 12 12"><circle cx="6" cy="6" r="3" fill="currentColor" /></symbol>
  <symbol id="i-off" viewBox="0 0 12 12"><circle cx="6" cy="6" r="3" stroke-width="1.5" stroke-dasharray="2 1.4" fill="none" stroke="currentColor" /></symbol>
  <symbol id="i-chain" viewBox="0 0 12 12"><path d="M4.8 7.2l2.4-2.4M5.4 3.6l1-1a2.1 2.1 0 0 1 3 3l-1 1M6.6 8.4l-1 1a2.1 2.1 0 0 1-3-3l1-1" stroke-width="1.2" ...${LINE} /></symbol>
  <symbol id="i-lock" viewBox="0 0 12 12"><rect x="2.2" y="5.2" width="7.6" height="5" rx="1" stroke-width="1.2" ...${LINE} /><path d="M4 5.2V3.8a2 2 0 0 1 4 0v1.4" stroke-width="1.2" ...${LINE} /></symbol>
  <symbol id="i-find" viewBox="0 0 12 12"><circle cx="5" cy="5" r="3.2" stroke-width="1.3" ...${LINE} /><path d="M7.5 7.5L10.4 10.4" stroke-width="1.3" ...${LINE} /></symbol>
  <symbol id="i-copy" viewBox="0 0 12 12"><rect x="4" y="4" width="6.4" height="6.4" rx="1" stroke-width="1.1" ...${LINE} /><path d="M8 2.6V2a.6.6 0 0 0-.6-.6H2.2a.8.8 0 0 0-.8.8v5.2c0 .3.3.6.6.6h.6" stroke-width="1.1" ...${LINE} /></symbol>
</defs></svg>`;

const NAMES = new Set(['mark', 'live', 'off', 'chain', 'lock', 'find', 'copy']);

/** A small picture beside a word; the word says what it means. */
export const Icon = ({ name }) => html`<svg aria-hidden="true"><use href=${`#i-${NAMES.has(name) ? name : 'off'}`} /></svg>`;

/** What the guard decided: an octagon denies, a question mark asks. */
export const EffectIcon = ({ effect }) => html`<svg aria-hidden="true"><use href=${`#e-${effect === 'deny' ? 'deny' : 'ask'}`} /></svg>`;
