// Go to a task or a view, or give an order: by typing.
import { html, useEffect, useMemo, useState } from '../ui.js';
import { t, word } from '../i18n.js';
import { go } from '../router.js';
import { readOnly } from '../health.js';
import { Refusal, request } from '../store.js';
import { Dialog, close } from './dialog.js';
import { give } from './order.js';
import { offersHere } from './palette-state.js';

const VIEWS = ['tasks', 'inbox', 'new', 'stories', 'evals', 'learn', 'guard', 'audit'];

export function Palette() {
  const [text, setText] = useState('');
  const [tasks, setTasks] = useState([]);
  const [at, setAt] = useState(0);
  const here = useMemo(() => offersHere.peek(), []);
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ limit: '8', ...(text.trim() && { q: text.trim() }) });
      const answer = await request(`/api/tasks?${query}`).catch(error => { if (!(error instanceof Refusal)) throw error; });
      if (!over && answer?.changed) setTasks(answer.body.tasks);
    }, 100);
    return () => { over = true; clearTimeout(timer); };
  }, [text]);
  const wanted = text.trim().toLowerCase();
  const fits = label => label.toLowerCase().includes(wanted);
  const items = [
    ...(readOnly.value || !here ? [] : here.offers.map(it => ({ key: `o ${it.action} ${it.command}`, kind: 'order', label: t(it.label), more: it.command, run: () => { close(); give(it, here.about); } })).filter(it => fits(it.label) || fits(it.more))),
    ...VIEWS.map(view => ({ key: `v ${view}`, kind: 'go', label: word(`view_${view}`), run: () => { close(); go({ view }); } })).filter(it => fits(it.label)),
    ...tasks.map(it => ({ key: `t ${it.task_id}`, kind: 'task', label: it.task_id, more: it.goal, run: () => { close(); go({ view: 'task', id: it.task_id }); } })),
  ];
  const active = items[Math.min(at, items.length - 1)];
  const key = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      setAt(Math.min(items.length - 1, Math.max(0, at + by)));
      event.preventDefault();
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      active?.run();
    }
  };
  return html`<${Dialog} label=${word('palette')} class="palette">
    <input data-first="" class="line" role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant=${active ? `found-${items.indexOf(active)}` : undefined} aria-label=${word('palette')} placeholder=${word('palette_type')} spellcheck="false" autocomplete="off" value=${text} onInput=${event => { setText(event.target.value); setAt(0); }} onKeyDown=${key} />
    <ul id="found" role="listbox" aria-label=${word('palette')}>${items.map((it, n) => html`<li key=${it.key} id=${`found-${n}`} role="option" aria-selected=${String(it === active)} onMouseMove=${() => setAt(n)} onClick=${it.run}><span class="faint">${word(`palette_${it.kind}`)}</span><span class=${it.kind === 'task' ? 'mono cut' : 'cut'}>${it.label}</span><span class="cut dim" dir="auto">${it.more ?? ''}</span></li>`)}</ul>
    ${!items.length && html`<p class="dim">${word('palette_none')}</p>`}</${Dialog}>`;
}
