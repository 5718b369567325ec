// The one place that speaks to a screen reader by itself: at most one sentence in 10 seconds.
import { html, signal } from '../ui.js';

const PAUSE_MS = 10_000;
const said = signal('');
let last = 0;
let waiting = null;

/** Says it now, or as soon as it is allowed; a newer sentence replaces one that waits. */
export function announce(text) {
  clearTimeout(waiting);
  const rest = last + PAUSE_MS - Date.now();
  const speak = () => {
    last = Date.now();
    said.value = text;
  };
  if (rest <= 0) speak();
  else waiting = setTimeout(speak, rest);
}

export const LiveRegion = () => html`<div class="vh" role="status" aria-live="polite">${said.value}</div>`;
