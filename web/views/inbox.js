// What waits for me: questions, then reviews, then stops. A letter can be answered in place.
import { html, signal, useEffect, useRef } from '../ui.js';
import { clock, sentence, spell, t, word } from '../i18n.js';
import { go, Link, useKeys } from '../frame.js';
import { useResource } from '../store.js';
import { Age, Answer, Damaged, Empty, Said, Say, Strip } from '../parts/basics.js';
import { Ask, Held, Orders } from '../parts/order.js';
import { Criteria } from '../parts/proof.js';

/** The letter that is open; on a phone the list or the letter is shown. */
const chosen = signal('');
const reading = signal(false);

export default function Inbox() {
  const resource = useResource('/api/inbox', ['board']);
  return html`<${Answer} resource=${resource} rows=${4} heading=${word('view_inbox')}>${inbox => html`<${Letters} inbox=${inbox} />`}</${Answer}>`;
}

function Letters({ inbox }) {
  const { waiting } = inbox;
  const list = useRef(null);
  const at = Math.max(0, waiting.findIndex(it => it.row.task_id === chosen.value));
  const open = waiting[at] ?? null;
  const pick = n => {
    const letter = waiting[Math.min(waiting.length - 1, Math.max(0, n))];
    if (!letter) return;
    chosen.value = letter.row.task_id;
    requestAnimationFrame(() => list.current?.querySelector('[aria-selected=true]')?.focus());
  };
  useKeys({
    j: () => pick(at + 1), k: () => pick(at - 1), ArrowDown: () => pick(at + 1), ArrowUp: () => pick(at - 1),
    Enter: () => { if (!open) return false; go({ view: 'task', id: open.row.task_id }); },
    u: () => { if (reading.peek()) reading.value = false; else go({ view: 'tasks' }); },
    r: () => document.querySelector('.ask textarea')?.focus(),
  });
  useEffect(() => () => { reading.value = false; }, []);
  const oldest = waiting.map(it => it.row.updated_at).sort()[0];
  return html`<h1 class="ruling"><strong>${waiting.length ? `${sentence(word('tasks_wait', { count: spell(waiting.length), n: waiting.length }))}${word('stop')}` : word('inbox_empty')}</strong> ${oldest && word('oldest_since', { time: clock(oldest) })}</h1>
    <p class="sub">${word(waiting.length ? 'inbox_order' : 'inbox_empty_detail')}</p>
    <${Damaged} unreadable=${inbox.unreadable} altered=${inbox.altered} />
    ${waiting.length === 0 ? html`<${Empty} title=${word('empty_title')} commands=${['provost ls']}>${word('empty_detail')}</${Empty}>` : html`<div class=${`mail ${reading.value ? 'open' : ''}`}>
      <ol class="panel letters" role="listbox" aria-label=${word('view_inbox')} ref=${list}>${waiting.map((it, n) => html`<li key=${it.row.task_id} role="option" aria-selected=${String(n === at)} tabindex=${n === at ? 0 : -1} onClick=${() => { chosen.value = it.row.task_id; reading.value = true; }}>
        <span class="what cut"><${Say} text=${it.row.why} capital /></span><span class="age"><${Age} at=${it.row.updated_at} /></span><span class="id cut" title=${it.row.task_id}>${it.row.task_id}</span><span class="say" dir="auto"><${Say} text=${gist(it)} capital /></span></li>`)}</ol>
      ${open && html`<${Letter} key=${open.row.task_id} letter=${open} />`}</div>`}`;
}

/** What a letter is about; where that says no more than its title, the goal. */
function gist({ row, questions, message }) {
  const text = questions[0] ?? message;
  return t(text) && t(text) !== t(row.why) ? text : { text: row.goal };
}

function Letter({ letter }) {
  const { row, orders } = letter;
  // What an order is about, and what is proven so far, the task itself says.
  const task = useResource(`/api/tasks/${encodeURIComponent(row.task_id)}`, ['board']).data.value;
  const about = { task_id: row.task_id, seen: task?.seen ?? { attempt: row.tries.current, state_version: row.state_version }, commit: task?.attempts?.at(-1)?.commit };
  const criteria = task?.proof?.flatMap(it => it.criteria) ?? [];
  const answer = orders.find(it => it.action === 'ANSWER');
  const asks = answer && letter.kind === 'question';
  const rest = orders.filter(it => !(asks && it === answer));
  return html`<article class="panel letter" aria-label=${row.task_id}><header><button type="button" class="btn phone-only" onClick=${() => { reading.value = false; }}>${word('back_to_inbox')}</button><span class="taskname wraps">${row.task_id}</span><${Strip} seals=${row.seals} /><span class="right"><${Link} class="btn quiet" to=${{ view: 'task', id: row.task_id }}>${word('open_task')} <kbd>↵</kbd></${Link}></span></header>
    ${asks ? html`<${Ask} offer=${answer} about=${about} questions=${letter.questions} eyebrow=${`${word(`kind_${letter.kind}`)}${word('comma')}${word('after_attempt', { n: Math.max(1, about.seen.attempt) })}`} />`
    : html`<div class="ask"><p class="eyebrow">${word(`kind_${letter.kind}`)}</p><p class="q" dir="auto"><${Say} text=${letter.message} /></p>${letter.questions.map((it, at) => html`<p class="dim" key=${at} dir="auto"><${Say} text=${it} /></p>`)}</div>`}
    <${Held} about=${about} />
    ${rest.length > 0 && html`<${Orders} offers=${rest} about=${about} />`}
    ${letter.said.length > 0 && html`<div class="part"><h3>${word('what_was_said')}</h3>${letter.said.map((it, at) => html`<${Said} key=${at} text=${it} />`)}</div>`}
    ${criteria.length > 0 && html`<div class="part"><h3>${word('what_is_proven')}</h3><${Criteria} criteria=${criteria} /></div>`}
    ${letter.answers.length > 0 && html`<div class="part"><h3>${word('your_earlier_answers')}</h3>${letter.answers.map((it, at) => html`<${Said} key=${at} text=${it} />`)}</div>`}
  </article>`;
}
