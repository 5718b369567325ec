import { html } from '../ui.js';
import { word } from '../i18n.js';
import { Link } from '../frame.js';

/** An address that leads to no view. */
export default function Missing() {
  return html`<div class="empty"><h1 class="ruling">${word('missing')}</h1><p><${Link} class="btn" to=${{ view: 'tasks' }}>${word('view_tasks')}</${Link}></p></div>`;
}
