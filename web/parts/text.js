// Words, times and amounts. Everything here ends as a text node.
import { html } from '../ui.js';
import { age, clock, money, number, sentence, t, utc, word } from '../i18n.js';
import { slowNow } from '../clock.js';

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
    const shown = part.replaceAll(KEPT, '`');
    return at % 2 ? html`<code key=${at}>${shown}</code>` : shown;
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
export { money, number };
