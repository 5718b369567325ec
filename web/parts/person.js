// Orders of a person outside of tasks: a dialog, one request id for the same words, the text kept when refused.
import { html, useRef, useState } from '../ui.js';
import { word } from '../i18n.js';
import { Refusal, refreshAll, request, requestId } from '../store.js';
import { Dialog, close, show } from './dialog.js';
import { Refused } from './notice.js';
import { announce } from './live.js';

/**
 * @param {{title: string, why: unknown, label: string, url: string, body: () => object | null, children: unknown, tone?: string}} props
 *   `body` is what is sent without its id; null while something is missing
 */
function Asked({ title, why, label, url, body, children, tone = 'prime' }) {
  const [state, setState] = useState({ sending: false, refusal: null });
  const last = useRef({ id: '', text: '' });
  const send = async event => {
    event.preventDefault();
    const given = body();
    if (!given || state.sending) return;
    const text = JSON.stringify(given);
    if (last.current.text !== text) last.current = { id: requestId(), text };
    setState({ sending: true, refusal: null });
    try {
      await request(url, { method: 'POST', body: { request_id: last.current.id, ...given } });
      announce(title);
      close();
      refreshAll();
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.status) last.current = { id: '', text: '' };
      setState({ sending: false, refusal });
    }
  };
  return html`<${Dialog} label=${title}><form onSubmit=${send} noValidate>
    <h2 class="ruling">${title}</h2><p class="dim">${why}</p>${children}
    ${state.refusal && html`<${Refused} refusal=${state.refusal} title=${word('not_taken')}>${word('text_kept')}</${Refused}>`}
    <div class="acts"><button type="submit" class=${`btn big ${tone}`} disabled=${state.sending}>${label}</button><button type="button" class="btn big" onClick=${close}>${word('not_yet')} <kbd>Esc</kbd></button></div>
  </form></${Dialog}>`;
}

/** Opens the dialog; `draw` makes the props, with hooks of its own. */
export const askPerson = Draw => show(() => html`<${Draw} />`);
export { Asked };
