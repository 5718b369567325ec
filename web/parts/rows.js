// The rows of the list, of which only those in sight are in the document.
import { html, signal, useEffect, useLayoutEffect, useRef, useState, vars } from '../ui.js';
import { sentence, span, t, word } from '../i18n.js';
import { Link, go, place, returning } from '../router.js';
import { now } from '../clock.js';
import { readOnly } from '../health.js';
import { useKeys } from '../keys.js';
import { Strip } from './seal.js';
import { Age, Say, Spent } from './text.js';

/** The row that the keys are on; a task that was opened is returned to. */
const current = signal('');
const OVERSCAN = 4;
const STEPS = ['coder', 'policy', 'test', 'claims', 'judge'];
/** Which of the five steps a bar shows, for those that have no place of their own. */
const STEP_OF = { prepare: 'coder', base: 'coder', proof: 'claims', landing: 'judge' };

/** Heights in rem; the style sheet has the same. */
const WIDE = { row: 3.25, head: 2.75 };
const NARROW = { row: 10.5, head: 2.75 };

function useViewport() {
  const [view, setView] = useState(() => measure());
  useEffect(() => {
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setView(old => {
        const next = measure();
        return next.top === old.top && next.height === old.height && next.rem === old.rem && next.narrow === old.narrow ? old : next;
      }));
    };
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, []);
  return view;
}

function measure() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const narrow = matchMedia('(max-width: 900px)').matches;
  // Rounded, so that a small movement draws nothing.
  const step = rem * 2;
  return { top: Math.floor(scrollY / step) * step, height: innerHeight, rem, narrow };
}

/** Every heading and row with its place. */
function layout(groups, { rem, narrow }) {
  const size = narrow ? NARROW : WIDE;
  const items = [];
  let y = 0;
  for (const group of groups) {
    if (!group.rows.length) continue;
    items.push({ kind: 'head', key: `# ${group.group}`, group, y });
    y += size.head * rem;
    group.rows.forEach((row, at) => {
      items.push({ kind: 'row', key: row.task_id, row, y, first: at === 0, last: at === group.rows.length - 1 && !group.more });
      y += size.row * rem;
    });
    if (group.more) {
      items.push({ kind: 'more', key: `+ ${group.group}`, group, y });
      y += size.row * rem;
    }
  }
  return { items, height: y };
}

/** The first item whose end is behind `y`. */
function firstAt(items, y) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].y < y) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

export function Rows({ groups, counts, heading }) {
  const box = useRef(null);
  const view = useViewport();
  const offset = useRef(0);
  const { items, height } = layout(groups, view);
  const rows = items.filter(it => it.kind === 'row');
  const active = rows.some(it => it.key === current.value) ? current.value : rows[0]?.key ?? '';
  useLayoutEffect(() => { offset.current = (box.current?.getBoundingClientRect().top ?? 0) + scrollY; });
  const top = view.top - offset.current;
  const from = Math.max(0, firstAt(items, top) - OVERSCAN);
  const to = Math.min(items.length, firstAt(items, top + view.height) + 1 + OVERSCAN);
  const shown = items.slice(from, to);
  // The row with the focus stays, also when it is scrolled away.
  if (!shown.some(it => it.key === active)) shown.push(...rows.filter(it => it.key === active));
  const near = shown.filter(it => it.kind === 'more').map(it => it.group);
  useEffect(() => { near.forEach(it => it.next()); });

  const move = step => {
    const at = rows.findIndex(it => it.key === active);
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (!next) return;
    current.value = next.key;
    const y = next.y + offset.current;
    const margin = view.rem * 5;
    if (y < scrollY + margin) scrollTo(0, y - margin);
    else if (y > scrollY + innerHeight - margin * 1.5) scrollTo(0, y - innerHeight + margin * 1.5);
    requestAnimationFrame(() => focusRow(box.current, next.key));
  };
  useKeys({
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1),
    Enter: () => { if (!active) return false; open(active); }, o: () => { if (active) open(active); },
  });
  // Back from a task: the focus returns to its row.
  useEffect(() => { if (returning.id && focusRow(box.current, returning.id)) returning.id = ''; });
  const total = counts ? groups.reduce((sum, it) => sum + (counts[it.group] ?? 0), 0) : rows.length;
  const numbers = new Map(rows.map((it, at) => [it.key, at + 1]));
  return html`<div ref=${element => { box.current = element; vars({ h: `${height}px` })(element); }} class="vlist" role="grid" aria-label=${word('view_tasks')} aria-rowcount=${total}>
    ${shown.map(it => it.kind === 'row' ? html`<${Row} key=${it.key} item=${it} index=${numbers.get(it.key)} active=${it.key === active} />`
    : it.kind === 'head' ? html`<div key=${it.key} ref=${vars({ y: `${it.y}px` })} class="vitem group" role="row"><div role="gridcell" aria-colspan="6">${heading(it.group)}</div></div>`
    : html`<div key=${it.key} ref=${vars({ y: `${it.y}px` })} class="vitem task ghost" role="row"><div role="gridcell" aria-colspan="6" class="faint">${word('loading')}</div></div>`)}
  </div>`;
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
addEventListener('popstate', () => { returning.id = place.peek().view === 'tasks' ? current.peek() : ''; });
/** Leaves a task for the list, on the row it was opened from. */
export function back(id) {
  current.value = id;
  returning.id = id;
  go({ view: 'tasks' });
}

function Row({ item, index, active }) {
  const { row } = item;
  const focus = active ? 0 : -1;
  const why = sentence(t(row.why));
  const detail = t(row.detail);
  return html`<div class=${`vitem task ${item.first ? 'first' : ''} ${item.last ? 'last' : ''}`} ref=${vars({ y: `${item.y}px` })} role="row" aria-rowindex=${index} data-task=${row.task_id} tabindex=${focus} aria-current=${active ? 'true' : undefined} onFocus=${() => { current.value = row.task_id; }} onDblClick=${() => open(row.task_id)}>
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
