// What waits for me and why, what runs, what is proven: in this order.
import { html, signal, useEffect, useMemo, useRef, useState } from '../ui.js';
import { money, number, sentence, spell, word } from '../i18n.js';
import { Link } from '../router.js';
import { obtain, retain } from '../store.js';
import { useKeys } from '../keys.js';
import { board, readOnly } from '../health.js';
import { Age } from '../parts/text.js';
import { Icon } from '../parts/icons.js';
import { StripHead } from '../parts/seal.js';
import { Damaged, Empty, Refused, Skeleton } from '../parts/notice.js';
import { Rows } from '../parts/rows.js';

const GROUPS = ['waits', 'runs', 'proven', 'unproven', 'closed'];
const PAGE = 50;

/** What the list is narrowed to; kept while one looks at a task. */
const chosen = signal({ group: '', q: '' });

const pageUrl = (group, q, cursor) => {
  const query = new URLSearchParams({ group, limit: String(PAGE) });
  if (q) query.set('q', q);
  if (cursor) query.set('cursor', cursor);
  return `/api/tasks?${query}`;
};

/**
 * The pages of a group that are loaded. While one is asked for under another cursor, the rows that
 * stood there stay.
 */
function useGroup(group, q, isOn) {
  const [wanted, setWanted] = useState(1);
  const slots = useRef([]);
  useMemo(() => { slots.current = []; setWanted(1); }, [group, q]);
  const urls = [];
  const rows = [];
  const ids = new Set();
  let [first, more, cursor] = [undefined, false, null];
  let error = null;
  for (let at = 0; isOn && at < wanted; at += 1) {
    const url = pageUrl(group, q, cursor);
    urls.push(url);
    const resource = obtain(url);
    const data = resource.data.value ?? slots.current[at];
    error ??= resource.error.value;
    if (!data) break;
    slots.current[at] = data;
    if (at === 0) first = data;
    for (const row of data.tasks) {
      if (ids.has(row.task_id)) continue;
      ids.add(row.task_id);
      rows.push(row);
    }
    cursor = data.next_cursor;
    more = Boolean(cursor);
    if (!more) break;
  }
  const key = urls.join(' ');
  useEffect(() => {
    const leave = urls.map(it => retain(obtain(it), ['board']));
    return () => leave.forEach(it => it());
  }, [key]);
  const isWaiting = isOn && (slots.current.length < urls.length);
  return { group, rows, first, more, error, next: () => { if (more && !isWaiting) setWanted(urls.length + 1); } };
}

export default function Tasks() {
  const { group, q } = chosen.value;
  const groups = GROUPS.map(it => useGroup(it, q, !group || group === it));
  const shown = groups.filter(it => !group || it.group === group);
  const first = shown.find(it => it.first)?.first;
  const error = shown.find(it => it.error)?.error;
  const counts = first?.counts;
  const field = useRef(null);
  useKeys({
    '/': () => field.current?.focus(),
    Escape: () => { if (chosen.peek().q) chosen.value = { ...chosen.peek(), q: '' }; },
    1: () => pick(''), 2: () => pick('waits'), 3: () => pick('runs'), 4: () => pick('proven'), 5: () => pick('closed'),
  });
  const isEmpty = counts && counts.all === 0 && !q;
  return html`<${Headline} counts=${board.value?.counts ?? counts} /><${Today} first=${board.value ?? first} />
    <${Damaged} unreadable=${first?.unreadable} altered=${first?.altered} />
    ${error && html`<${Refused} refusal=${error} title=${word(first ? 'cannot_refresh' : 'cannot_show')} />`}
    <div class="bar"><${Filter} field=${field} /><${Picks} counts=${counts} group=${group} />
      ${!readOnly.value && html`<span class="right"><${Link} class="btn" to=${{ view: 'new' }}>${word('view_new')} <kbd>n</kbd></${Link}></span>`}</div>
    ${isEmpty ? html`<${Empty} title=${word('empty_title')} commands=${['provost demo', 'provost new']}>${word('empty_detail')}</${Empty}>` : html`<section class="list" aria-label=${word('view_tasks')}>
      <div class="cols" aria-hidden="true"><span>${word('col_task')}</span><${StripHead} /><span>${word('col_why')}</span><span class="num">${word('col_try')}</span><span class="num">${word('col_age')}</span><span></span></div>
      ${first ? html`<${Rows} groups=${shown} counts=${counts} heading=${it => html`<${GroupHead} group=${it} count=${counts?.[it.group]} />`} />` : !error && html`<${Skeleton} rows=${8} />`}
      ${first && shown.every(it => it.first && !it.rows.length) && html`<${Empty} title=${word(q ? 'none_found' : 'none_here')} />`}
    </section>`}`;
}

const pick = group => { chosen.value = { ...chosen.peek(), group }; scrollTo(0, 0); };

function Headline({ counts }) {
  if (!counts) return html`<h1 class="ruling">${word('view_tasks')}</h1>`;
  const part = (name, n) => (n ? word(`tasks_${name}`, { count: spell(n), n }) : word(`tasks_none_${name}`));
  return html`<h1 class="ruling"><strong>${sentence(part('wait', counts.waits))}${word('comma')}</strong>${part('run', counts.runs)}${word('comma')}${part('proven', counts.proven)}${word('stop')}</h1>`;
}

function Today({ first }) {
  if (!first || first.attempts_today === undefined) return null;
  const spent = first.today?.usd;
  return html`<p class="sub">${word('today_attempts', { n: first.attempts_today })}${spent && html`${word('comma')}<b>${money(spent)}</b>`}${word('stop')}</p>`;
}

/** Letters are sent after a pause, so that a name is one request. */
function Filter({ field }) {
  const [text, setText] = useState(chosen.peek().q);
  const timer = useRef(0);
  const q = chosen.value.q;
  useEffect(() => { setText(q); }, [q]);
  const write = event => {
    const next = event.target.value;
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => { chosen.value = { ...chosen.peek(), q: next.trim() }; }, 150);
  };
  return html`<label class="find"><${Icon} name="find" /><span class="vh">${word('filter')}</span><input ref=${field} type="search" value=${text} onInput=${write} placeholder=${word('filter_by')} spellcheck="false" autocomplete="off" /><kbd>/</kbd></label>`;
}

const Picks = ({ counts, group }) => html`<div class="picks" role="group" aria-label=${word('groups')}>${['', ...GROUPS].map(it => html`<button type="button" key=${it} aria-pressed=${String(group === it)} onClick=${() => pick(it)}>${word(`pick_${it || 'all'}`)}<span class="n">${counts ? number(counts[it || 'all'] ?? 0) : ''}</span></button>`)}</div>`;

function GroupHead({ group, count }) {
  const oldest = group.group === 'waits' && group.first?.oldest_wait;
  return html`<span class="group-name">${word(`group_${group.group}`)}</span><span class="n">${number(count ?? group.rows.length)}</span>
    <span class="note">${oldest ? html`${word('oldest')} <${Age} at=${oldest} />` : group.group === 'unproven' ? word('unproven_note') : ''}</span>`;
}
