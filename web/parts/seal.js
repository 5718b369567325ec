// Seals: six facts in a fixed order. The shape says the standing, the colour repeats it.
import { html } from '../ui.js';
import { t, word } from '../i18n.js';

export const FACTS = ['paths', 'secrets', 'tests', 'claims', 'judge', 'review'];
const STANDINGS = new Set(['verified', 'contradicted', 'not_verified', 'running', 'not_asked', 'stale', 'waived']);
/** A standing that this page does not know is not verified. */
export const standingOf = name => (STANDINGS.has(name) ? name : 'not_verified');

/** @param {{standing: string, label?: string | null}} props without a label it stands beside its word */
export function Seal({ standing, label }) {
  const known = standingOf(standing);
  return html`<svg class=${`seal ${known}`} role=${label ? 'img' : undefined} aria-label=${label || undefined} aria-hidden=${label ? undefined : 'true'}><use href=${`#s-${known}`} /></svg>`;
}

export const sealName = (fact, standing) => word('seal_name', { fact: word(`fact_${fact}`), standing: word(`standing_${standingOf(standing)}`) });

/** How far the cord holds: everything before is proven, or was not asked. */
function held(seals) {
  let whole = true;
  return seals.map(({ standing }) => {
    if (standing !== 'verified' && standing !== 'not_asked') whole = false;
    return whole;
  });
}

/** @param {{seals: {fact: string, standing: string, detail?: unknown}[]}} props */
export function Strip({ seals }) {
  const holds = held(seals);
  return html`<ol class="strip" aria-label=${word('proof')}>${seals.map((seal, at) => {
    const name = sealName(seal.fact, seal.standing);
    const detail = t(seal.detail);
    return html`<li key=${seal.fact} class=${holds[at] ? 'held' : ''} title=${detail ? `${name}: ${detail}` : name}><${Seal} standing=${seal.standing} label=${name} /></li>`;
  })}</ol>`;
}

export const StripHead = () => html`<span class="strip-head">${FACTS.map(it => html`<span key=${it}>${word(`fact_${it}`)}</span>`)}</span>`;

/** Empty rings, where the proof will be. */
export const EmptyStrip = () => html`<ol class="strip" aria-hidden="true">${FACTS.map(it => html`<li key=${it}><${Seal} standing="not_verified" /></li>`)}</ol>`;

/**
 * Six seals with words; a click shows the evidence.
 * @param {{facts: {fact: string, standing: string, detail: unknown}[], open: (fact: string) => void, says: (fact: any) => unknown}} props
 */
export function ProofLine({ facts, open, says }) {
  const holds = held(facts);
  return html`<ol class="proof" aria-label=${word('proof')}>${facts.map((fact, at) => html`<li key=${fact.fact} class=${holds[at] ? 'held' : ''}>
    <button type="button" onClick=${() => open(fact.fact)}>
      <${Seal} standing=${fact.standing} />
      <span class="name">${word(`fact_${fact.fact}`)}<span class="vh"> ${word(`standing_${standingOf(fact.standing)}`)}</span></span>
      <span class="fact">${says(fact)}</span>
    </button></li>`)}</ol>`;
}
