// The guard: what waits to be permitted, what it ruled and on which part, whether it is alive, how it is set, what it would say.
import { html, useEffect, useState } from '../ui.js';
import { clock, number, word, wordOr } from '../i18n.js';
import { Refusal, request, useResource } from '../store.js';
import { Answer, Clock, EffectIcon, Empty, Picks, Refused, Say, Seal, Section, Skeleton, Theirs, Typed } from '../parts/basics.js';
import { Bars, usePages } from '../parts/records.js';

const PICKS = { stopped: { effect: 'refused,asked,unblockable' }, passed: { effect: 'passed' }, all: {} };

export default function Guard() {
  const [pick, setPick] = useState('stopped');
  const clients = useResource('/api/guard/clients');
  const pages = usePages('/api/guard/rulings', PICKS[pick], 'rulings');
  const state = useResource('/api/guard/state');
  const counts = pages.first?.counts;
  const homes = state.data.value?.homes ?? [];
  const waits = homes.some(it => it.refusals.length);
  const holds = homes.some(it => permitted(it).length);
  // No event tells of a call, and a code holds for minutes.
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) { state.refresh(); pages.refresh(); } }, 10_000);
    return () => clearInterval(timer);
  }, [pick]);
  const known = clients.data.value?.clients;
  return html`<${Head} counts=${counts} clients=${known} />
    <div class="cols2"><div>
      ${waits && html`<section class="sect first"><header><h2>${word('guard_waits')}</h2><span class="note">${word('guard_terminal')}</span></header><${Ways} homes=${homes} rows=${it => it.refusals} tone="bad" /><p class="note-line"><${Say} text=${word('guard_longer')} /></p></section>`}
      <section class=${waits ? 'sect' : 'sect first'} aria-label=${word('guard_rulings')}>
        <div class="bar tight"><${Picks} items=${Object.keys(PICKS).map(it => [it, word(it === 'all' ? 'pick_all' : `guard_pick_${it}`), counts ? number({ stopped: counts.refused + counts.asked, passed: counts.passed, all: counts.calls }[it]) : ''])} chosen=${pick} pick=${setPick} /></div>
        ${pages.error && html`<${Refused} refusal=${pages.error} title=${word(pages.first ? 'cannot_refresh' : 'cannot_show')} />`}
        ${!pages.first && !pages.error && html`<${Skeleton} rows=${5} strips=${false} />`}
        ${pages.items.length > 0 && html`<${Rulings} rulings=${pages.items} />`}
        ${pages.first && !pages.items.length && (counts?.calls ? html`<${Empty} title=${word('guard_none_of_kind')} />` : html`<${Empty} title=${word('guard_none')} commands=${['provost guard install --client claude', 'provost guard test']}>${word('guard_empty_detail')}</${Empty}>`)}
        ${pages.more && html`<p class="note-line"><button type="button" class="btn quiet" onClick=${pages.next}>${word('older')}</button></p>`}
      </section>
      ${holds && html`<${Section} title=${word('guard_permitted')} note=${word('guard_taken_back')}><${Ways} homes=${homes} rows=${permitted} tone="wait" /></${Section}>`}
      <${Explain} /></div>
    <aside class="side under"><section class="panel"><h2>${word('guard_policy')}</h2><${Answer} resource=${state} rows=${2}>${it => html`<${Settings} state=${it} isOpen=${waits || holds} />`}</${Answer}></section>
      <section class="panel"><h2>${word('guard_installed')}</h2><${Answer} resource=${clients} rows=${2}>${it => html`<${Clients} clients=${it.clients} />`}</${Answer}></section>
      ${counts && html`<section class="panel"><h2>${word('guard_by_rule')}</h2>${counts.rules.length ? html`<${Bars} items=${counts.rules.map(it => ({ name: it.rule, count: it.count, kind: it.effect === 'asked' ? 'asks' : 'deny' }))} />` : html`<p class="note-line">${word('guard_no_rules')}</p>`}${!counts.is_whole && counts.since && html`<p class="note-line">${word('guard_counted', { time: clock(counts.since) })}</p>`}</section>
      <section class="panel"><h2>${word('guard_sessions')}</h2><dl class="kv"><dt>${word('guard_week')}</dt><dd>${number(counts.sessions)}</dd></dl></section>`}
    </aside></div>`;
}

function Head({ counts, clients }) {
  const alive = (clients ?? []).filter(it => it.standing === 'verified').map(it => it.tested_at).sort().pop();
  return html`<h1 class="ruling">${counts?.calls ? html`<strong>${word('guard_refused', { n: number(counts.refused), all: counts.calls })}</strong>${word('guard_asked', { n: counts.asked })}` : word(counts ? 'guard_none' : 'view_guard')}</h1>
    ${clients && html`<p class="sub">${alive ? word('guard_proven', { time: clock(alive) }) : word('guard_unproven')}</p>`}`;
}

const TONES = { refused: 'bad', unblockable: 'bad', deny: 'bad', asked: 'wait', ask: 'wait' };
const Effect = ({ effect }) => html`<span class=${`effect ${TONES[effect] ?? 'faint'}`}>${TONES[effect] && html`<${EffectIcon} effect=${TONES[effect] === 'bad' ? 'deny' : 'ask'} />`}${wordOr(`effect_${effect}`, effect)}</span>`;

const Rulings = ({ rulings }) => html`<div class="panel scroll-x" tabindex="0" role="region" aria-label=${word('guard_rulings')}><table class="tbl guard"><thead><tr><th>${word('guard_when')}</th><th>${word('guard_effect')}</th><th>${word('guard_part')}</th><th>${word('guard_rule')}</th><th>${word('guard_client')}</th></tr></thead>
  <tbody>${rulings.map(it => html`<tr key=${it.seq}><td class="nowrap faint"><${Clock} at=${it.at} /></td><td><${Effect} effect=${it.effect} /></td>
    <td>${it.about ? html`<code dir="auto">${it.about}</code>` : html`<span class="dim">${it.error ? html`${word('guard_payload')} <code>${it.error}</code>` : ''}</span>`}${it.permitted_by && html`<div class="faint"><${Say} text=${scope(it.permitted_by.scope, it.permitted_by.code)} /></div>`}${it.code && html`<div class="faint"><${Say} text=${word('guard_open_code', { code: it.code })} /></div>`}</td>
    <td class="mono nowrap">${it.rule}</td><td class="nowrap">${it.client}<div class="faint">${it.tool}</div></td></tr>`)}</tbody></table></div>`;

/** By whose word a call passes; a scope of a later version stands for itself. */
const scope = (name, code) => (name === 'snooze' ? word('guard_by_snooze') : word('guard_by_code', { code: code ?? '', scope: wordOr(`guard_scope_${name}`, name) }));

/** What people permitted in a home. */
const permitted = ({ snooze, permits, trusted }) => [
  ...(snooze ? [{ what: word('guard_snoozed'), ...snooze }] : []),
  ...permits.map(it => ({ what: wordOr(`guard_scope_${it.scope}`, it.scope), ...it })),
  ...trusted.map(it => ({ what: word('guard_trusted'), subject: it.path, ...it })),
];

/** Ways out, each with the command of it: only a terminal permits, or takes back. */
const Ways = ({ homes, rows, tone }) => html`<ul class="panel why-list">${homes.map(home => rows(home).map(it => html`<li key=${it.command}>
  <div class="top"><span class=${`tag ${tone}`}>${it.what ?? it.code}</span>${it.subject && html`<code class="any" dir="auto">${it.subject}</code>`}${it.expires && html`<span class="right">${word('guard_until')} <${Clock} at=${it.expires} /></span>`}</div>
  <p class="dim">${it.rule && html`<code>${it.rule}</code> · `}<${Theirs} text=${it.because ?? it.tool} /> · <code class="any" dir="auto">${it.by ?? it.folder}</code>${home.is_of_user && ` · ${word('guard_no_project')}`}</p>
  <${Typed} command=${it.command} /></li>`))}</ul>`;

/** How strict the guard is, and which packs are in force, by the names that a configuration has. */
const Settings = ({ state, isOpen }) => html`${state.problems.map((it, at) => html`<p class="note-line bad" key=${at}><${Say} text=${it} /></p>`)}
  ${state.policies.map((it, at) => html`<dl class="kv" key=${at}>${state.policies.length > 1 && html`<dt>${word('guard_installed')}</dt><dd>${it.clients.join(', ')}</dd>`}<dt>${word('guard_level')}</dt><dd><code>${it.level}</code></dd>
    ${it.packs.map(({ pack, is_on: isOn }) => html`<dt key=${pack}><code>${pack}</code></dt><dd>${word(isOn ? 'guard_on' : 'guard_off')}</dd>`)}
    <dt>${word('guard_own_rules')}</dt><dd>${it.own_rules}</dd><dt>${word('guard_their_rules')}</dt><dd>${it.repository_rules}</dd></dl>`)}
  ${!isOpen && !state.problems.length && html`<p class="note-line">${word('guard_nothing_open')}</p>`}`;

function Explain() {
  const [text, setText] = useState('');
  const [state, setState] = useState({ ruling: null, refusal: null });
  const ask = async event => {
    event.preventDefault();
    if (!text.trim()) return;
    try {
      const { body } = await request('/api/guard/explain', { method: 'POST', body: { command: text } });
      setState({ ruling: body, refusal: null });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      setState({ ruling: null, refusal });
    }
  };
  const { ruling, refusal } = state;
  return html`<${Section} title=${word('guard_ask_it')} note=${word('guard_nothing_run')}><div class="panel padded">
    <form class="try-it" onSubmit=${ask}><input aria-label=${word('guard_command')} value=${text} onInput=${event => setText(event.target.value)} placeholder="git push --force" spellcheck="false" autocomplete="off" /><button type="submit" class="btn tall">${word('guard_explain')} <kbd>↵</kbd></button></form>
    <div role="status">${refusal && html`<${Refused} refusal=${refusal} />`}
    ${ruling && html`<p class="verdict"><${Effect} effect=${ruling.effect} /> ${word('guard_by')} <code>${ruling.rule}</code></p>
      <p class="note-line"><${Say} text=${ruling.why} />${ruling.about && html` · <code dir="auto">${ruling.about}</code>`} ${ruling.hint && '· '}${ruling.hint && html`${word('guard_instead')} <${Say} text=${ruling.hint} />`}</p>`}</div></div></${Section}>`;
}

function Clients({ clients }) {
  const here = clients.filter(it => it.is_installed);
  return html`<dl class="kv">${clients.map(it => html`<dt key=${it.client}><span class="effect plain"><${Seal} standing=${it.is_installed ? it.standing : 'not_asked'} label=${word(`standing_${it.is_installed ? it.standing : 'not_asked'}`)} />${it.title}</span></dt><dd>${says(it)}</dd>`)}</dl>
    ${clients.filter(it => it.problem).map(it => html`<p class="note-line bad" key=${it.client}><${Say} text=${it.problem} /></p>`)}
    ${here.filter(it => it.failed.length).map(it => html`<ul class="note-line" key=${it.client}>${it.failed.map(check => html`<li key=${check.name}><code>${check.name}</code> <${Say} text=${textOf(check)} /></li>`)}</ul>`)}
    ${here.filter(it => it.leaves_open.length).map(it => html`<details class="note-line" key=${it.client}><summary>${word('guard_open', { client: it.title })}</summary><ul>${it.leaves_open.map((gap, at) => html`<li key=${at}><${Say} text=${gap} /></li>`)}</ul></details>`)}
    <${Typed} command=${here.length ? 'provost guard test --live' : 'provost guard install --client claude'} />`;
}

/** A check stores its text in English beside its code. */
const textOf = it => (it.what_code ? { code: it.what_code, args: it.what_args ?? {} } : { text: it.what });

function says(it) {
  if (!it.is_installed) return word('guard_not_installed');
  const time = it.tested_at && clock(it.tested_at);
  if (it.standing === 'verified') return word(it.is_live ? 'guard_tested_live' : 'guard_tested', { time });
  if (it.standing === 'stale') return word('guard_stale');
  if (it.standing === 'contradicted') return word('guard_failed', { n: it.failed.length });
  return word('guard_never');
}
