// Evidence: what provost ran, on a sunken ground.
import { html, useState } from '../ui.js';
import { took, word, wordOr } from '../i18n.js';
import { Icon } from './icons.js';
import { short } from './text.js';

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
export const Command = ({ command }) => html`<div class="cmd"><code>${command}</code><${Copy} text=${command} /></div>`;

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
