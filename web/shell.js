// The frame around every view: rail, tabs, banners, what is open over the page.
import { html } from './ui.js';
import { choose, clock, lang, number, spell, word } from './i18n.js';
import { Link, go, place } from './router.js';
import { heardAt, session, signOut } from './store.js';
import { connection, stream } from './stream.js';
import { board, health, readOnly } from './health.js';
import { useKeys } from './keys.js';
import { nextTheme } from './theme.js';
import { now } from './clock.js';
import { Icon, Sprite } from './parts/icons.js';
import { Banner } from './parts/notice.js';
import { LiveRegion } from './parts/live.js';
import { Dialog, Overlay, close, overlay, show } from './parts/dialog.js';

const VIEWS = ['tasks', 'inbox', 'stories', 'evals', 'learn', 'guard', 'audit'];
const isAt = view => place.value.view === view || (view === 'tasks' && ['task', 'new'].includes(place.value.view));
const waits = () => board.value?.counts?.waits ?? 0;
export function Shell({ children }) {
  useKeys({
    palette: openPalette, '?': openKeys,
    n: () => { if (!readOnly.peek()) go({ view: 'new' }); },
  });
  return html`<a class="skip" href="#main">${word('skip')}</a><${Sprite} />
    <div class="shell"><${Rail} />
      <main class="main" id="main"><${Notices} />${children}</main></div>
    <${Tabs} /><${LiveRegion} /><${Overlay} />`;
}

const openPalette = () => {
  if (overlay.peek()) return close();
  import('./parts/palette.js').then(({ Palette }) => show(() => html`<${Palette} />`));
};
const openKeys = () => { import('./parts/keymap.js').then(({ KeyMap }) => show(() => html`<${KeyMap} />`)); };
const openMore = () => show(() => html`<${More} />`);

const Rail = () => html`<header class="rail">
  <div><${Link} class="brand" to=${{ view: 'tasks' }}><${Icon} name="mark" />provost</${Link}><div class="where cut" title=${health.value?.project}>${health.value?.project}</div></div>
  <nav class="nav" aria-label=${word('views')}>${VIEWS.map(view => html`<${Link} key=${view} to=${{ view }} aria-current=${isAt(view) ? 'page' : undefined}><span>${word(`view_${view}`)}</span>${view === 'inbox' && waits() > 0 && html`<span class="n hot">${number(waits())}</span>`}</${Link}>`)}</nav>
  <${Foot} />
  <button class="look" type="button" aria-label=${word('palette')} onClick=${openPalette}><${Icon} name="find" /></button>
</header>`;

function Foot() {
  const { state } = connection.value;
  const chain = health.value?.chain?.state ?? 'unknown';
  return html`<div class="foot">
    <div class=${`row ${state === 'live' ? 'ok' : 'wait'}`}><${Icon} name=${state === 'live' ? 'live' : 'off'} /><span>${word(state === 'live' ? 'live' : 'not_live')}</span></div>
    ${chain !== 'unknown' && html`<div class=${`row opt ${chain === 'broken' ? 'bad' : ''}`}><${Icon} name="chain" /><span>${word(chain === 'broken' ? 'chain_broken' : 'chain_intact')}</span></div>`}
    ${session.value && html`<div class="row opt"><${Icon} name="lock" /><span class="cut" title=${session.value.person}>${word(readOnly.value ? 'person_reads' : 'person_orders', { person: session.value.person })}</span></div>`}
    <div class="toggles"><${Languages} /><span class="pair"><button type="button" class="as-link" onClick=${nextTheme}>${word('theme')}</button> <button type="button" class="as-link" onClick=${openKeys}>${word('keys')} <kbd>?</kbd></button></span></div>
  </div>`;
}

const Languages = () => html`<span class="pair" role="group" aria-label=${word('language')}>
  <button type="button" class="as-link" lang="en" aria-pressed=${lang.value === 'en' ? 'true' : 'false'} onClick=${() => choose('en')}>EN</button>
  <button type="button" class="as-link" lang="zh" aria-pressed=${lang.value === 'zh' ? 'true' : 'false'} onClick=${() => choose('zh')}>中文</button></span>`;

function Tabs() {
  const counts = board.value?.counts;
  const tab = (view, count) => html`<${Link} key=${view} to=${{ view }} aria-current=${isAt(view) ? 'page' : undefined}><span><b>${count === undefined ? '·' : number(count)}</b>${word(`view_${view}`)}</span></${Link}>`;
  return html`<nav class="tabs" aria-label=${word('views_tabs')}>${tab('inbox', counts?.waits)}${tab('tasks', counts?.all)}${tab('stories')}${tab('guard')}
    <button type="button" aria-haspopup="dialog" onClick=${openMore}><span><b>⋯</b>${word('more')}</span></button></nav>`;
}

/** What has no place among the five tabs. */
function More() {
  return html`<${Dialog} label=${word('more')} class="sheet-up"><nav class="more" aria-label=${word('more')}>${['evals', 'learn', 'audit', 'new'].filter(it => it !== 'new' || !readOnly.value).map(view => html`<span key=${view} onClick=${close}><${Link} to=${{ view }}>${word(`view_${view}`)}</${Link}></span>`)}
    <div class="row"><${Languages} /><button type="button" class="as-link" onClick=${nextTheme}>${word('theme')}</button><button type="button" class="as-link" onClick=${() => { close(); signOut(); }}>${word('sign_out')}</button></div></nav></${Dialog}>`;
}

/** What holds for every view: reconnecting, read-only. */
function Notices() {
  const { state, tries, nextAt } = connection.value;
  const lost = state === 'lost' && tries > 2;
  return html`${lost && html`<${Banner} tone="wait" title=${word('reconnecting')} action=${html`<button type="button" class="btn" onClick=${() => stream.now()}>${word('try_now')}</button>`}>
      ${heardAt() !== null && word('shown_from', { time: clock(heardAt(), true) })} <${NextTry} tries=${tries} at=${nextAt} /></${Banner}>`}
    ${readOnly.value && html`<${Banner} icon="lock" title=${word('read_only')}>${word('read_only_detail')}</${Banner}>`}`;
}

const NextTry = ({ tries, at }) => word('next_try', { n: spell(tries), seconds: Math.max(0, Math.ceil(((at ?? 0) - now.value) / 1000)) });
