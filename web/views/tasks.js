// What waits for me and why, what runs, what is proven: in this order.
import { html, signal, useEffect, useLayoutEffect, useMemo, useRef, useState, vars } from '../ui.js';
import { money, now, number, sentence, span, spell, t, word } from '../i18n.js';
import { current, go, Link, returning, useKeys } from '../frame.js';
import { board, obtain, readOnly, retain } from '../store.js';
import { Age, Damaged, Empty, Find, Picks, Refused, Say, Skeleton, Spent, Strip, StripHead } from '../parts/basics.js';

// Rows, of which only those in sight are in the document -----------------------------------------

const OVERSCAN = 4;
/** So many rows are drawn anew in one frame; of the others only the place is, until the next frame. */
const FRESH = 4;
const STEPS = ['coder', 'policy', 'test', 'claims', 'judge'];
/** Which of the five steps a bar shows, for those that have no place of their own. */
const STEP_OF = { prepare: 'coder', base: 'coder', proof: 'claims', landing: 'judge' };

/** Heights in rem; the style sheet has the same. */
const WIDE = { row: 3.25, head: 2.75 };
const NARROW = { row: 10.5, head: 2.75 };

/**
 * What is in sight. It is measured before a frame is drawn: asked in the middle, a browser lays out twice.
 * Scrolling moves the view and changes no size, so nothing is laid out to find one.
 */
function useViewport(box) {
  const [view, setView] = useState(() => ({ ...sizes(null), top: 0 }));
  useLayoutEffect(() => {
    let [frame, isSized] = [0, false];
    const see = () => setView(old => {
      const sized = isSized ? old : sizes(box.current);
      isSized = true;
      const next = { ...sized, top: topOf(sized) };
      return Object.keys(next).every(it => next[it] === old[it]) ? old : next;
    });
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(see);
    };
    const resize = () => {
      isSized = false;
      look();
    };
    see();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', resize);
    // What stands above the rows moves them, and so does the end of the rows where it comes nearer.
    const above = new ResizeObserver(resize);
    above.observe(document.body);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', look);
      removeEventListener('resize', resize);
      above.disconnect();
    };
  }, []);
  return view;
}

function sizes(box) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const narrow = matchMedia('(max-width: 900px)').matches;
  const offset = box ? Math.round(box.getBoundingClientRect().top + scrollY) : 0;
  return { height: innerHeight, rem, narrow, offset };
}

/** Where the view begins; rounded, so that a small movement draws nothing. */
const topOf = ({ rem }) => Math.floor(scrollY / (rem * 2)) * rem * 2;

/** Where each group stands: every place in it follows by arithmetic. */
function layout(groups, { rem, narrow }) {
  const size = narrow ? NARROW : WIDE;
  const [head, row] = [size.head * rem, size.row * rem];
  const sections = [];
  let [y, first] = [0, 0];
  for (const group of groups) {
    const { rows, more } = group;
    if (!rows.length) continue;
    sections.push({ group, y, rowsY: y + head, first });
    y += head + (rows.length + (more ? 1 : 0)) * row;
    first += rows.length;
  }
  return { sections, row, height: y, rows: first };
}

/** The row of a section at a place in it. */
const rowIn = (section, at, { row }) => ({
  kind: 'row', key: section.group.rows[at].task_id, row: section.group.rows[at], y: section.rowsY + at * row, index: section.first + at,
  first: at === 0, last: at === section.group.rows.length - 1 && !section.group.more,
});

/** A row by its number in the whole list. */
function rowAt(index, grid) {
  const section = grid.sections.findLast(it => it.first <= index);
  return section && rowIn(section, index - section.first, grid);
}

/** The row of a task, if it is loaded. */
function rowOf(id, grid) {
  const section = grid.sections.find(it => it.group.at.has(id));
  return section && rowIn(section, section.group.at.get(id), grid);
}

/** What stands between two heights: looks at the groups, and at the rows in sight. */
function inSight(grid, top, bottom) {
  const { sections, row } = grid;
  const [from, to] = [top - OVERSCAN * row, bottom + OVERSCAN * row];
  const items = [];
  for (const section of sections) {
    const { group, y, rowsY } = section;
    if (rowsY > from && y < to) items.push({ kind: 'head', key: `# ${group.group}`, group, y });
    const end = Math.min(group.rows.length, Math.ceil((to - rowsY) / row));
    for (let at = Math.max(0, Math.floor((from - rowsY) / row)); at < end; at += 1) items.push(rowIn(section, at, grid));
    const moreY = rowsY + group.rows.length * row;
    if (group.more && moreY + row > from && moreY < to) items.push({ kind: 'more', key: `+ ${group.group}`, group, y: moreY });
  }
  return items;
}

function Rows({ groups, counts, heading }) {
  const box = useRef(null);
  const view = useViewport(box);
  const grid = useMemo(() => layout(groups, view), [groups, view.rem, view.narrow]);
  const active = rowOf(current.value, grid) ?? rowAt(0, grid);
  const top = view.top - view.offset;
  const shown = inSight(grid, top, top + view.height);
  // The row with the focus stays, also when it is scrolled away.
  if (active && !shown.some(it => it.key === active.key)) shown.push(active);
  const near = shown.filter(it => it.kind === 'more').map(it => it.group);
  useEffect(() => { near.forEach(it => it.next()); });

  const move = step => {
    const next = active && rowAt(Math.min(grid.rows - 1, Math.max(0, active.index + step)), grid);
    if (!next) return;
    current.value = next.key;
    const y = next.y + view.offset;
    const margin = view.rem * 5;
    if (y < scrollY + margin) scrollTo(0, y - margin);
    else if (y > scrollY + innerHeight - margin * 1.5) scrollTo(0, y - innerHeight + margin * 1.5);
    requestAnimationFrame(() => focusRow(box.current, next.key));
  };
  useKeys({
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1),
    Enter: () => { if (!active) return false; open(active.key); }, o: () => { if (active) open(active.key); },
  });
  // Back from a task: the focus returns to its row.
  useEffect(() => { if (returning.id && focusRow(box.current, returning.id)) returning.id = ''; });
  const total = counts ? groups.reduce((sum, it) => sum + (counts[it.group] ?? 0), 0) : grid.rows;
  const before = useRef(top);
  // Who flies past half a view in one frame reads nothing on the way.
  const isFlying = Math.abs(top - before.current) > view.height / 2;
  before.current = top;
  const drawRow = useDrawnRows(shown, active?.key, isFlying ? 0 : FRESH);
  return html`<div ref=${element => { box.current = element; vars({ h: `${grid.height}px` })(element); }} class="vlist" role="grid" aria-label=${word('view_tasks')} aria-rowcount=${total}>
    ${shown.map(it => (it.kind === 'head' ? html`<div key=${it.key} ref=${vars({ y: `${it.y}px` })} class="vitem group" role="row"><div role="gridcell" aria-colspan="6">${heading(it.group)}</div></div>`
    : (it.kind === 'row' && drawRow(it)) || html`<${Ghost} key=${it.key} item=${it} />`))}
  </div>`;
}

/** What stands in the place of a row that is not here yet. */
const Ghost = ({ item }) => html`<div ref=${vars({ y: `${item.y}px` })} class="vitem task ghost" role="row"><div role="gridcell" aria-colspan="6" class="faint">${word('loading')}</div></div>`;

/**
 * Draws rows, at most so many new ones in a frame, so that no frame takes long. What has not changed keeps
 * its node, which is not looked at again.
 */
function useDrawnRows(shown, active, most) {
  const [, again] = useState(0);
  const drawn = useRef(new Map());
  const before = drawn.current;
  const rows = shown.filter(it => it.kind === 'row');
  const isFresh = it => !before.has(it.key) && it.key !== active;
  const late = new Set(rows.filter(isFresh).slice(most));
  drawn.current = new Map(rows.filter(it => !late.has(it)).map(it => {
    const [old, isActive] = [before.get(it.key), it.key === active];
    const isSame = old && old.isActive === isActive && ['row', 'y', 'index', 'first', 'last'].every(name => old.it[name] === it[name]);
    return [it.key, isSame ? old : { it, isActive, node: html`<${Row} key=${it.key} item=${it} active=${isActive} />` }];
  }));
  useEffect(() => {
    if (!late.size) return undefined;
    const frame = requestAnimationFrame(() => again(n => n + 1));
    return () => cancelAnimationFrame(frame);
  });
  return it => drawn.current.get(it.key)?.node;
}

const focusRow = (box, id) => {
  const row = [...(box?.querySelectorAll('[data-task]') ?? [])].find(it => it.dataset.task === id);
  row?.focus({ preventScroll: true });
  return Boolean(row);
};

function open(id, state) {
  current.value = id;
  go({ view: 'task', id }, state);
}

function Row({ item, active }) {
  const { row } = item;
  const focus = active ? 0 : -1;
  const why = sentence(t(row.why));
  const detail = t(row.detail);
  return html`<div class=${`vitem task ${item.first ? 'first' : ''} ${item.last ? 'last' : ''}`} ref=${vars({ y: `${item.y}px` })} role="row" aria-rowindex=${item.index + 1} data-task=${row.task_id} tabindex=${focus} aria-current=${active ? 'true' : undefined} onFocus=${() => { current.value = row.task_id; }} onDblClick=${() => open(row.task_id)}>
    <div class="what" role="gridcell"><div class="id cut"><${Link} to=${{ view: 'task', id: row.task_id }} tabindex=${focus} title=${row.task_id}>${row.task_id}</${Link}></div><div class="goal cut" dir="auto" title=${row.goal}>${row.goal}</div></div>
    <div class="c-strip" role="gridcell"><${Strip} seals=${row.seals} /></div>
    <div class="c-why" role="gridcell">${row.running ? html`<${Running} row=${row} />` : html`<div class="why cut" title=${why}><${Say} text=${row.why} capital /></div><div class="because cut" dir="auto" title=${detail}><${Say} text=${row.detail} /></div>`}</div>
    <div class="n3 c-att" role="gridcell"><b>${row.tries.current}/${row.tries.limit}</b><${Spent} spent=${row.spent} /></div>
    <div class="n3 c-age" role="gridcell"><${Age} at=${row.updated_at} /></div>
    <div class="act" role="gridcell">${row.offer && !readOnly.value && html`<button type="button" class=${`btn ${row.offer.tone === 'yes' ? 'prime' : ''}`} tabindex=${focus} title=${t(row.offer.why)} onClick=${() => open(row.task_id, { order: row.offer.action })}>${t(row.offer.label)}</button>`}</div>
  </div>`;
}

/** The step that runs, and how long it has run. */
function Running({ row }) {
  const { step, since, limit_seconds: limit } = row.running;
  const at = STEPS.indexOf(STEP_OF[step] ?? step);
  const ms = now.value - new Date(since).getTime();
  return html`<div class="why cut">${word(`runs_${step}`)}${word('comma')}${limit ? word('time_of', { time: span(ms), limit: span(limit * 1000) }) : span(ms)}</div>
    <div class="steps" aria-hidden="true">${STEPS.map((it, n) => html`<i key=${it} class=${n < at ? 'done' : n === at ? 'now' : ''}></i>`)}</div>`;
}

// The list ---------------------------------------------------------------------------------------

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
  const strung = useRef(new Strung());
  useMemo(() => { slots.current = []; setWanted(1); }, [group, q]);
  const [urls, pages] = [[], []];
  let [more, cursor, error] = [false, null, null];
  for (let at = 0; isOn && at < wanted; at += 1) {
    const url = pageUrl(group, q, cursor);
    urls.push(url);
    const resource = obtain(url);
    const data = resource.data.value ?? slots.current[at];
    error ??= resource.error.value;
    if (!data) break;
    slots.current[at] = data;
    pages.push(data);
    cursor = data.next_cursor;
    more = Boolean(cursor);
    if (!more) break;
  }
  useRetained(urls);
  strung.current = strung.current.to(pages);
  const { rows, places } = strung.current;
  const isWaiting = isOn && (slots.current.length < urls.length);
  return { group, rows, at: places, first: pages[0], more, error, next: () => { if (more && !isWaiting) setWanted(urls.length + 1); } };
}

/** The rows of pages one after the other. One more page is added to what is there. */
class Strung {
  pages = [];
  rows = [];
  /** Where each task stands in the rows. */
  places = new Map();

  to(pages) {
    const isLonger = pages.length >= this.pages.length && this.pages.every((it, at) => it === pages[at]);
    const strung = isLonger ? this : new Strung();
    for (const page of pages.slice(strung.pages.length)) strung.add(page);
    return strung;
  }

  add(page) {
    this.pages.push(page);
    for (const row of page.tasks) {
      if (this.places.has(row.task_id)) continue;
      this.places.set(row.task_id, this.rows.length);
      this.rows.push(row);
    }
  }
}

/**
 * Every task once. Groups are asked for one by one: a task that moves stands in two of them for a
 * moment, and counts where it is newest.
 */
function eachOnce(groups) {
  const [longest, ...others] = [...groups].sort((one, other) => other.rows.length - one.rows.length);
  // A group has each task once, so the shorter ones tell whether two groups have the same.
  const isTwice = ({ task_id: id }, own) => longest.at.has(id) || others.some(it => it !== own && it.at.has(id));
  if (!others.some(it => it.rows.some(row => isTwice(row, it)))) return groups;
  const newest = new Map();
  for (const { rows } of groups) {
    for (const row of rows) if (!(newest.get(row.task_id)?.state_version >= row.state_version)) newest.set(row.task_id, row);
  }
  return groups.map(it => {
    const rows = it.rows.filter(row => newest.get(row.task_id) === row);
    return { ...it, rows, at: new Map(rows.map((row, at) => [row.task_id, at])) };
  });
}

/** Keeps the answers at these addresses fresh. One that stays is not asked for again. */
function useRetained(urls) {
  const held = useRef(new Map());
  useEffect(() => {
    const before = held.current;
    held.current = new Map(urls.map(it => [it, before.get(it) ?? retain(obtain(it), ['board'])]));
    for (const [url, leave] of before) if (!held.current.has(url)) leave();
  }, [urls.join(' ')]);
  useEffect(() => () => { for (const leave of held.current.values()) leave(); }, []);
}

export default function Tasks() {
  const { group, q } = chosen.value;
  const groups = eachOnce(GROUPS.map(it => useGroup(it, q, !group || group === it)));
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
    <div class="bar"><${Find} field=${field} text=${q} hint=${word('filter_by')} find=${text => { chosen.value = { ...chosen.peek(), q: text }; }} />
      <${Picks} items=${['', ...GROUPS].map(it => [it, word(`pick_${it || 'all'}`), counts ? number(counts[it || 'all'] ?? 0) : ''])} chosen=${group} pick=${pick} />
      ${!readOnly.value && html`<span class="right"><${Link} class="btn" to=${{ view: 'new' }}>${word('view_new')} <kbd>n</kbd></${Link}></span>`}</div>
    ${isEmpty ? html`<${Empty} title=${word('empty_title')} commands=${['provost demo', 'provost do "GOAL"']}>${word('empty_detail')}</${Empty}>` : html`<section class="list" aria-label=${word('view_tasks')}>
      <div class="cols" aria-hidden="true"><span>${word('col_task')}</span><${StripHead} /><span>${word('col_why')}</span><span class="num">${word('col_try')}</span><span class="num">${word('col_age')}</span><span></span></div>
      ${first ? html`<${Rows} groups=${shown} counts=${counts} heading=${it => html`<${GroupHead} group=${it} count=${counts?.[it.group]} />`} />` : !error && html`<${Skeleton} rows=${8} />`}
      ${first && shown.every(it => it.first && !it.rows.length) && html`<${Empty} title=${word(q ? 'none_found' : 'none_here')} />`}
    </section>`}`;
}

const pick = group => { chosen.value = { ...chosen.peek(), group }; scrollTo(0, 0); };

function Headline({ counts }) {
  if (!counts) return html`<h1 class="ruling">${word('view_tasks')}</h1>`;
  const part = (name, n) => (n ? word(`tasks_${name}`, { count: spell(n), n }) : word(`tasks_none_${name}`));
  return html`<h1 class="ruling"><strong>${sentence(part('wait', counts.waits))}${word('comma')}</strong>${part('run', counts.runs - counts.queued)}${counts.queued > 0 && word('tasks_queued', { count: spell(counts.queued), n: counts.queued })}${word('comma')}${part('proven', counts.proven)}${word('stop')}</h1>`;
}

function Today({ first }) {
  if (!first || first.attempts_today === undefined) return null;
  const spent = first.today?.usd;
  return html`<p class="sub">${word('today_attempts', { n: first.attempts_today })}${spent && html`${word('comma')}<b>${money(spent)}</b>`}${word('stop')}</p>`;
}

function GroupHead({ group, count }) {
  const oldest = group.group === 'waits' && group.first?.oldest_wait;
  return html`<span class="group-name">${word(`group_${group.group}`)}</span><span class="n">${number(count ?? group.rows.length)}</span>
    <span class="note">${oldest ? html`${word('oldest')} <${Age} at=${oldest} />` : group.group === 'unproven' ? word('unproven_note') : ''}</span>`;
}
