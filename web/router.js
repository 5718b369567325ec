// Where the page is. Addresses are made here and nowhere else, never from data alone.
import { html, signal } from './ui.js';

const VIEWS = ['inbox', 'new', 'stories', 'evals', 'learn', 'guard', 'audit'];

/** @typedef {{view: string, id?: string}} Place */

/** @returns {Place} */
function parse(pathname) {
  let parts;
  try {
    parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return { view: 'missing' };
  }
  const [first, id, ...rest] = parts;
  if (!first) return { view: 'tasks' };
  if (rest.length) return { view: 'missing' };
  if (first === 'tasks' && id) return { view: 'task', id };
  return VIEWS.includes(first) ? { view: first, id } : { view: 'missing' };
}

/** @param {Place} to */
export function address({ view, id }) {
  if (view === 'task') return `/tasks/${encodeURIComponent(id ?? '')}`;
  if (view === 'tasks') return '/';
  return `/${view}${id ? `/${encodeURIComponent(id)}` : ''}`;
}

export const place = signal({ ...parse(location.pathname), state: history.state ?? {} });
/** The row of a list that takes the focus when one returns to it. */
export const returning = { id: '' };
/** Counts arrivals, so that a view knows that it was entered. */
export const arrivals = signal(0);
history.scrollRestoration = 'manual';

const keepScroll = () => history.replaceState({ ...history.state, scroll: scrollY }, '');

/**
 * @param {Place} to
 * @param {object} [state] what the view is told, such as the order to open
 */
export function go(to, state = {}) {
  keepScroll();
  history.pushState(state, '', address(to));
  arrive();
}

function arrive() {
  place.value = { ...parse(location.pathname), state: history.state ?? {} };
  arrivals.value += 1;
}

addEventListener('popstate', arrive);
addEventListener('pagehide', keepScroll);

/** A link to one of our own views. */
export function Link({ to, class: className, children, state, ...rest }) {
  const follow = event => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to, state);
  };
  return html`<a ...${rest} class=${className} href=${address(to)} onClick=${follow}>${children}</a>`;
}
