// The audit chain: who did what, in an order that cannot be rewritten unseen.
import { html, useRef, useState } from '../ui.js';
import { clock, number, word } from '../i18n.js';
import { useResource } from '../store.js';
import { useKeys } from '../frame.js';
import { Banner, Clock, Empty, Find, Picks, Refused, Say, short, Skeleton } from '../parts/basics.js';
import { usePages } from '../parts/records.js';

const STATE = '/api/audit/state';
const PICKS = {
  all: {},
  people: { actor: 'cli,web,telegram' },
  decisions: { actor: 'provost' },
  guard: { action: 'guard' },
  page: { actor: 'web,telegram' },
};

export default function Audit() {
  const [pick, setPick] = useState('all');
  const [q, setQ] = useState('');
  const field = useRef(null);
  const state = useResource(STATE);
  const pages = usePages('/api/audit', { ...PICKS[pick], ...(q && { q }) }, 'entries');
  useKeys({ '/': () => field.current?.focus() });
  const chain = state.data.value;
  const isEmpty = pages.first && !pages.items.length && pick === 'all' && !q;
  return html`<${Head} chain=${chain} error=${state.error.value} />
    <div class="bar"><${Find} field=${field} text=${q} hint=${word('audit_filter')} find=${setQ} />
      <${Picks} items=${Object.keys(PICKS).map(it => [it, word(it === 'all' ? 'pick_all' : `audit_${it}`)])} chosen=${pick} pick=${setPick} />
      <span class="right"><button type="button" class="btn" onClick=${() => state.refresh()}>${word('audit_verify')}</button></span></div>
    ${pages.error && html`<${Refused} refusal=${pages.error} title=${word(pages.first ? 'cannot_refresh' : 'cannot_show')} />`}
    ${!pages.first && !pages.error && html`<${Skeleton} rows=${8} strips=${false} />`}
    ${isEmpty && html`<${Empty} title=${word('audit_empty')} commands=${['provost demo']}>${word('audit_empty_detail')}</${Empty}>`}
    ${pages.items.length > 0 && html`<ol class="panel chain" aria-label=${word('view_audit')}>
      <li class="link cap" aria-hidden="true"><span>${word('audit_entry')}</span><span class="knot"></span><span>${word('audit_time')}</span><span>${word('audit_action')}</span><span>${word('audit_subject')}</span><span>${word('audit_who')}</span><span class="hash">${word('audit_hash')}</span></li>
      ${pages.items.map((it, at) => html`<${Entry} key=${it.seq ?? `line ${at}`} entry=${it} from=${chain?.broken_at} />`)}</ol>`}
    ${pages.first && !pages.items.length && !isEmpty && html`<${Empty} title=${word('audit_none_found')} />`}
    <p class="note-line faint">${word('audit_knot')} ${pages.more && html`<button type="button" class="btn quiet" onClick=${pages.next}>${word('older')}</button>`}</p>`;
}

function Head({ chain, error }) {
  if (!chain) return html`<h1 class="ruling">${word('view_audit')}</h1>${error && html`<${Refused} refusal=${error} title=${word('cannot_show')} />`}`;
  if (chain.state === 'intact') {
    return html`<h1 class="ruling"><strong>${word('audit_intact')}</strong>${word('audit_counts', { entries: number(chain.entries), n: chain.entries, heads: number(chain.stored_heads), m: chain.stored_heads, after: number(chain.entries_after_last_head) })}</h1>
      <p class="sub">${word('audit_sub')} <code>provost audit verify</code></p><${Aside} chain=${chain} />`;
  }
  const at = chain.broken_at;
  const title = at ? word('audit_banner', { n: number(at) }) : word('audit_banner_else');
  const head = chain.last_good_head;
  return html`<${Banner} tone="bad" icon="chain" title=${title} action=${html`<code>provost audit verify</code>`}>${word('audit_copy')}</${Banner}>
    <h1 class="ruling"><strong>${at ? word('audit_broken_at', { n: number(at) }) : word('audit_elsewhere')}</strong>${at && word('audit_above')}</h1>
    ${at && html`<p class="sub">${chain.broken?.found && chain.broken?.expected && word('audit_mismatch', { found: chain.broken.found.slice(0, 8), expected: chain.broken.expected.slice(0, 8) })} ${head ? word('audit_last_head', { n: number(head.seq), time: clock(head.at, true) }) : word('audit_no_head')}</p>`}
    <ul class="panel why-list gap">${chain.problems.map((it, n) => html`<li key=${n}><${Say} text=${it.text} /></li>`)}${chain.problems_total > chain.problems.length && html`<li>${word('and_more', { n: chain.problems_total - chain.problems.length })}</li>`}</ul>
    <${Aside} chain=${chain} />`;
}

const Aside = ({ chain }) => (chain.put_aside.length ? html`<p class="note-line">${word('audit_put_aside')} ${chain.put_aside.map(it => html`<code key=${it.kept_as}>quarantine/${it.kept_as}</code> `)}</p>` : null);

function Entry({ entry, from }) {
  if (entry.seq === null) return html`<li class="link broken"><span></span><span class="knot"></span><span></span><span>${word('audit_unreadable')}</span></li>`;
  // Digests tie entries to files; a person reads the rest.
  const said = Object.entries(entry.said).filter(([name]) => !/(digest|sha256)$/.test(name)).map(([name, value]) => `${name} ${value}`).join(', ');
  const request = entry.request_id ? word('audit_request', { id: entry.request_id }) : '';
  const isBroken = entry.standing !== 'whole' || (from && entry.seq >= from);
  const all = [said, request].filter(Boolean).join(' · ');
  return html`<li class=${`link ${isBroken ? 'broken' : ''} ${entry.head ? 'head' : ''}`}>
    <span class="mono faint">${number(entry.seq)}</span><span class="knot" title=${entry.head ? word('audit_head_stored') : undefined}>${entry.head && html`<span class="vh">${word('audit_head_stored')}</span>`}</span>
    <span class="faint nowrap"><${Clock} at=${entry.at} seconds /></span><span class="mono cut" title=${entry.action}>${entry.action}</span>
    <span class="mono cut" title=${entry.subject}>${entry.subject}</span>
    <span class="dim cut" dir="auto" title=${all}><b>${entry.actor === 'provost:provost' ? 'provost' : entry.actor}</b> ${entry.standing === 'altered' && html`<b class="bad">${word('audit_altered')}</b> `}${all}</span>
    <span class="hash" title=${entry.hash}>${short(entry.hash)}</span></li>`;
}
