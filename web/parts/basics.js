// What every view is built of: seals and icons, the voices of the page, banners and the states of a view.
// Everything that is said here ends as a text node.
import { html, spelled, useEffect, useRef, useState } from '../ui.js';
import { age, clock, money, sentence, slowNow, t, took, utc, word, wordOr } from '../i18n.js';

// Shapes: seals say the standing, the colour repeats it ------------------------------------------

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

export const FACTS = ['paths', 'secrets', 'tests', 'claims', 'judge', 'review'];
const STANDINGS = new Set(['verified', 'contradicted', 'not_verified', 'running', 'not_asked', 'stale', 'waived']);
/** A standing that this page does not know is not verified. */
export const standingOf = name => (STANDINGS.has(name) ? name : 'not_verified');

/** @param {{standing: string, label?: string | null}} props without a label it stands beside its word */
export function Seal({ standing, label }) {
  const known = standingOf(standing);
  return html`<svg class=${`seal ${known}`} role=${label ? 'img' : undefined} aria-label=${label || undefined} aria-hidden=${label ? undefined : 'true'}><use href=${`#s-${known}`} /></svg>`;
}

const sealName = (fact, standing) => word('seal_name', { fact: word(`fact_${fact}`), standing: word(`standing_${standingOf(standing)}`) });

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
const EmptyStrip = () => html`<ol class="strip" aria-hidden="true">${FACTS.map(it => html`<li key=${it}><${Seal} standing="not_verified" /></li>`)}</ol>`;

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

// Words, times and amounts -----------------------------------------------------------------------

/** A sign of nobody's, which stands for a backtick that somebody wrote. */
const KEPT = '\uE000';

/** The same text with every backtick kept that is not the catalogue's. */
function keep(value) {
  if (typeof value === 'string') return value.replaceAll('`', KEPT);
  if (Array.isArray(value)) return value.map(keep);
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, name === 'code' ? it : keep(it)]));
}

/** A text; what the catalogue puts between backticks is code. A string is a word of the page. */
export function Say({ text, capital }) {
  const whole = typeof text === 'string' ? text : t(keep(text));
  const parts = (capital ? sentence(whole) : whole).split(/`([^`]+)`/);
  return parts.map((part, at) => {
    const said = part.replaceAll(KEPT, '`');
    return at % 2 ? html`<code key=${at}>${said}</code>` : spelled(said);
  });
}

/** What somebody wrote: in the direction of its own script. */
export const Theirs = ({ text, cut }) => html`<span dir="auto" class=${cut ? 'cut' : ''} title=${cut ? text : undefined}>${text}</span>`;

export const Age = ({ at }) => (at ? html`<time dateTime=${at} title=${utc(at)}>${age(at, slowNow.value)}</time>` : null);

export const Clock = ({ at, seconds }) => (at ? html`<time dateTime=${at} title=${utc(at)}>${clock(at, seconds)}</time>` : null);

/** What was spent; a plus where an attempt did not say what it cost. */
export function Spent({ spent }) {
  if (!spent?.usd) return null;
  const unknown = spent.unknown_attempts > 0;
  const amount = money(spent.usd) + (unknown ? '+' : '');
  return html`<span title=${unknown ? word('cost_unknown', { n: spent.unknown_attempts }) : undefined}>${amount}</span>`;
}

/** The first seven letters of a commit, with all of it as title. */
export const Commit = ({ id }) => (id ? html`<code title=${id}>${id.slice(0, 7)}</code>` : null);

export const short = id => (id ? String(id).slice(0, 7) : '');

// Evidence and claims ----------------------------------------------------------------------------

function Copy({ text }) {
  const [done, setDone] = useState(false);
  // Only a secure context has a clipboard.
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(() => setDone(true), () => {});
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button class="copy" type="button" aria-label=${word('copy_command', { command: text })} onClick=${copy}><${Icon} name="copy" />${word(done ? 'copied' : 'copy')}</button>`;
}

/** One command to type. */
const Command = ({ command }) => html`<div class="cmd"><code>${command}</code><${Copy} text=${command} /></div>`;

/** A command alone, with its ground. */
export const Typed = ({ command }) => html`<div class="ev"><${Command} command=${command} /></div>`;

/**
 * @param {{evidence: {command: string, exit: number | null, duration_ms: number | null, tree: string | null, network: boolean | null, base_exit: number | null, tail?: string | null}, open?: () => void}} props
 */
export function Evidence({ evidence, open }) {
  return html`<div class="ev">
    ${evidence.command && html`<${Command} command=${evidence.command} />`}
    <div class="exit"><${Exit} evidence=${evidence} />
      ${evidence.tree && html`<span>${word('clean_checkout', { tree: short(evidence.tree) })}</span>`}
      ${typeof evidence.network === 'boolean' && html`<span>${word(evidence.network ? 'network_on' : 'network_off')}</span>`}
      ${evidence.name && html`<span class="faint">${wordOr(`corner_${evidence.name}`, evidence.name)}</span>`}
      ${open && html`<button type="button" class="as-link" onClick=${open}>${word('whole_output')}</button>`}</div>
    ${evidence.tail && html`<pre tabindex="0" role="region" aria-label=${word('output_of', { command: evidence.command })}>${evidence.tail}</pre>`}
  </div>`;
}

/** Runs with an error planted: what is right about them is that they fail. */
const MUST_FAIL = new Set(['planted', 'mutated', 'reverted']);

/** Exit code, duration, and the exit code on the base. */
export const Exit = ({ evidence: { name, exit, duration_ms: ms, base_exit: base } }) => html`
  ${typeof exit === 'number' && html`<span class=${(exit === 0) !== MUST_FAIL.has(name) ? 'ok' : 'bad'}>${word('exit', { code: exit })}</span>`}
  ${typeof ms === 'number' && html`<span>${took(ms)}</span>`}
  ${typeof base === 'number' && html`<span>${word('exit_on_base', { code: base })}</span>`}`;

/** What an agent or a judge said: quoted, behind a dotted rule, never beside a green mark. */
export const Said = ({ text, who }) => html`<div class="said"><q dir="auto">${text}</q>${who && html`<footer>${who}</footer>`}</div>`;

// Banners and the states of a view ---------------------------------------------------------------

/** @param {{tone?: 'wait' | 'bad', icon?: string, title: string, children?: unknown, action?: unknown}} props */
export const Banner = ({ tone, icon = 'off', title, children, action }) => html`<div class=${`banner ${tone ?? ''}`} role=${tone === 'bad' ? 'alert' : 'status'}>
  <${Icon} name=${icon} /><span><b>${title}</b> ${children}</span>${action && html`<span class="right">${action}</span>`}</div>`;

/** An answer that was refused: the thing, the code, and what to type next. */
export function Refused({ refusal, title, children, action }) {
  const hints = refusal.hint ?? [];
  return html`<${Banner} tone="bad" title=${title ?? word('refused')} action=${action}>
    <${Say} text=${refusal.text} capital /> ${children} ${refusal.status ? html`<code class="faint">${refusal.status} ${refusal.code}</code>` : null}
    ${hints.map((hint, at) => html`<span class="hint" key=${at}><${Say} text=${hint} /></span>`)}
  </${Banner}>`;
}

/** @param {{title: string, children?: unknown, commands?: string[]}} props */
export const Empty = ({ title, children, commands = [] }) => html`<div class="empty"><p class="ruling">${title}</p><p>${children}</p>
  ${commands.length > 0 && html`<div class="ev">${commands.map(it => html`<${Command} key=${it} command=${it} />`)}</div>`}</div>`;

/** True after 300 ms: what comes sooner needs no placeholder. */
function useLate(waiting) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, [waiting]);
  return waiting && late;
}

/** Rows of empty rings, in the shape of what comes. */
export function Skeleton({ rows = 5, strips = true }) {
  if (!useLate(true)) return null;
  return html`<div class="skeleton panel" aria-busy="true" aria-label=${word('loading')} role="status">${Array.from({ length: rows }, (_, at) => html`<div class="skel" key=${at}>
    <div><span class=${`sk w${at % 3}`}></span><span class=${`sk thin w${(at + 1) % 3}`}></span></div>
    ${strips && html`<div class="rings"><${EmptyStrip} /></div>`}<span class="sk"></span></div>`)}</div>`;
}

/**
 * What stands in a view until its answer is there, or instead of it.
 * @param {{resource: {data: {value: any}, error: {value: any}, refresh(): unknown}, rows?: number, children: (data: any) => unknown}} props
 */
export function Answer({ resource, rows, heading, children }) {
  const data = resource.data.value;
  const error = resource.error.value;
  const again = html`<button type="button" class="btn" onClick=${() => resource.refresh()}>${word('again')}</button>`;
  if (data === undefined) return error ? html`${heading && html`<h1 class="ruling wraps">${heading}</h1>`}<${Refused} refusal=${error} title=${word('cannot_show')} action=${again} />` : html`<${Skeleton} rows=${rows} />`;
  return html`${error && html`<${Refused} refusal=${error} title=${word('cannot_refresh')} action=${again} />`}${children(data)}`;
}

/** Files that cannot be read, and states that somebody else wrote. */
export const Damaged = ({ unreadable: damaged, altered: changed }) => {
  const [unreadable, altered] = [listed(damaged), listed(changed)];
  return html`${unreadable.length > 0 && html`<${Banner} tone="bad" icon="chain" title=${word('unreadable', { n: unreadable.length })}><${List} items=${unreadable} /></${Banner}>`}
  ${altered.length > 0 && html`<${Banner} tone="bad" icon="chain" title=${word('altered', { n: altered.length })}><${List} items=${altered} /></${Banner}>`}`;
};

/** A list, or a map from tasks to what is wrong with them. */
const listed = given => (Array.isArray(given) ? given : Object.entries(given ?? {}).map(([name, what]) => (typeof what === 'string' ? `${name}: ${what}` : name)));

const List = ({ items }) => items.map((it, at) => html`<span key=${at}>${at > 0 && ' · '}${typeof it === 'string' ? html`<code>${it}</code>` : html`<${Say} text=${it.message ?? it.text ?? t(it) ?? ''} />`}</span>`);

// What views are laid out with -------------------------------------------------------------------

/** A part of a view, with its heading, a note beside it, and what can be done there. */
export const Section = ({ title, note, side, id, children }) => html`<section class="sect" id=${id}><header><h2>${title}</h2>${note && html`<span class="note">${note}</span>`}${side && html`<span class="right">${side}</span>`}</header>${children}</section>`;

/** A wide thing that is scrolled within the page, also by keys. */
export const Wide = ({ label, padded, children }) => html`<div class=${`scroll-x ${padded ? 'padded' : ''}`} tabindex="0" role="region" aria-label=${label}>${children}</div>`;

/** A box that narrows a list. Letters are sent after a pause, so that a name is one request. */
export function Find({ field, text, hint, find }) {
  const [shown, setShown] = useState(text);
  const timer = useRef(0);
  // A blank at the end is on its way to the next word.
  useEffect(() => { setShown(old => (old.trim() === text ? old : text)); }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = event => {
    const next = event.target.value;
    setShown(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => find(next.trim()), 150);
  };
  return html`<label class="find"><${Icon} name="find" /><span class="vh">${word('filter')}</span><input ref=${field} type="search" value=${shown} onInput=${write} placeholder=${hint} spellcheck="false" autocomplete="off" /><kbd>/</kbd></label>`;
}

/** Which part of a list is shown: `[name, label, count]`. */
export const Picks = ({ items, chosen, pick }) => html`<div class="picks" role="group" aria-label=${word('groups')}>${items.map(([name, label, count]) => html`<button type="button" key=${name} aria-pressed=${String(chosen === name)} onClick=${() => pick(name)}>${label}${count !== undefined && html`<span class="n">${count}</span>`}</button>`)}</div>`;
