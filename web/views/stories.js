// Plans and stories: what was claimed was run again, and each criterion says how it stands.
import { html, useState } from '../ui.js';
import { number, sentence, spell, word, wordOr } from '../i18n.js';
import { readOnly, useResource } from '../store.js';
import { Answer, Clock, Empty, Exit, Refused, Say, Seal, Section, short, Skeleton, Theirs, Typed } from '../parts/basics.js';
import { Asked, askPerson, Bars, Gauge, Stats, usePages } from '../parts/records.js';

/** How a label is drawn. What was not run is never green. */
const SHAPES = {
  PROVEN: 'verified', SHOWN: 'verified', HOLDS: 'verified', PRESENT: 'not_verified', CLAIMED: 'not_verified',
  HOLLOW: 'contradicted', CONTRADICTED: 'contradicted', STALE: 'stale', NOT_RUN: 'not_verified', WAIVED: 'waived',
};
const TONES = { verified: 'ok', contradicted: 'bad', stale: 'wait', waived: 'wait' };
/** A criterion that is green has passed: what holds and is not enough is no proof. */
const shape = ({ label, passes }) => {
  const found = SHAPES[label] ?? 'not_verified';
  return found === 'verified' && !passes ? 'not_verified' : found === 'not_verified' && passes ? 'verified' : found;
};
const labelWord = label => wordOr(`label_${label.toLowerCase()}`, label);

export default function Stories({ params }) {
  const pages = usePages('/api/stories', {}, 'plans');
  const { first } = pages;
  if (!first) return html`<h1 class="ruling">${word('view_stories')}</h1>${pages.error ? html`<${Refused} refusal=${pages.error} title=${word('cannot_show')} />` : html`<${Skeleton} />`}`;
  const { totals, history, refusals } = first;
  if (!totals.plans && !history.length) return html`<h1 class="ruling">${word('stories_empty')}</h1><${Empty} title="" commands=${['provost story start PRD.md', 'provost story status']}>${word('stories_empty_detail')}</${Empty}>`;
  return html`<h1 class="ruling"><strong>${sentence(totals.done ? word('stories_done', { count: spell(totals.done), total: spell(totals.stories), n: totals.stories }) : word('stories_none_done', { total: spell(totals.stories), n: totals.stories }))}</strong> ${totals.contradicted > 0 && sentence(word('stories_contradicted', { count: spell(totals.contradicted), n: totals.contradicted }))} ${totals.stale > 0 && sentence(word('stories_stale', { count: spell(totals.stale), n: totals.stale }))}</h1>
    <p class="sub">${word('stories_sub')}</p>
    ${pages.error && html`<${Refused} refusal=${pages.error} title=${word('cannot_refresh')} />`}
    <${Stats} items=${[
      { value: word('stat_of', { n: number(totals.criteria_passing), all: number(totals.criteria) }), label: word('stories_criteria') },
      { value: word('stat_of', { n: number(totals.complete_at_first), all: number(totals.submitted) }), label: word('stories_first') },
      { value: number(refusals.length), label: word('stories_refused_by', { n: refusals.length }) },
      { value: number(totals.waivers), label: word('stories_waivers', { n: totals.waivers }) },
    ]} />
    ${pages.items.map(it => html`<${Plan} key=${it.id} plan=${it} open=${params.id} />`)}
    ${pages.more && html`<p class="note-line"><button type="button" class="btn" onClick=${pages.next}>${word('stories_more')}</button></p>`}
    ${refusals.length > 0 && html`<${Section} title=${word('stories_why')} note=${word('stories_all')}><div class="panel padded narrow"><${Bars} mono items=${refusals.map(it => ({ name: it.rule, count: it.count }))} /></div></${Section}>`}
    ${history.length > 0 && html`<${Section} title=${word('stories_over')} />${history.map(it => html`<${Plan} key=${it.id} plan=${it} open=${params.id} />`)}`}`;
}

const Plan = ({ plan, open }) => html`<section class="sect plan"><header><h2 dir="auto">${plan.title || plan.branch}</h2>
  <span class="note mono">${[plan.plan, plan.branch, plan.base && `${word('stories_base')} ${short(plan.base)}`].filter(Boolean).join(' · ')} · ${plan.merged_at ? html`${word('stories_merged')} <${Clock} at=${plan.merged_at} />` : html`${word('stories_started')} <${Clock} at=${plan.started_at} />`}</span></header>
  ${plan.problem && html`<p class="note-line bad"><${Say} text=${plan.problem} /></p>`}
  <div class="panel">${plan.stories.map(it => html`<${Story} key=${it.key} story=${it} open=${open === it.key} />`)}</div></section>`;

function Story({ story, open }) {
  const [isOpen, setOpen] = useState(open || story.standing === 'contradicted');
  return html`<article class="story"><header>
    <button type="button" class="as-link sid" aria-expanded=${String(isOpen)} aria-label=${word('story_open_it', { story: story.story_id })} onClick=${() => setOpen(!isOpen)}>${story.story_id}</button>
    <${Theirs} text=${story.title} />
    <ul class="acs" aria-label=${word('story_criteria', { story: story.story_id })}>${story.criteria.map(it => html`<li key=${it.id} title=${`${it.id} ${labelWord(it.label)}`}><${Seal} standing=${shape(it)} label=${`${it.id} ${labelWord(it.label)}`} /></li>`)}</ul>
    <span class="faint nowrap">${word('story_share', { n: story.passing, all: story.total })}</span>
    <${Standing} story=${story} /></header>
    ${story.stale && html`<p class="note-line wide"><${Say} text=${story.stale} /></p>`}
    ${isOpen && html`<${Detail} story=${story} />`}</article>`;
}

function Standing({ story: { standing, declared_files: files } }) {
  const tone = { done: 'ok', contradicted: 'bad', stale: 'wait' }[standing] ?? '';
  return html`<span class=${`tag ${tone}`}>${standing === 'declared' ? word('story_declared', { n: files ?? 0 }) : word(`story_${standing}`)}</span>`;
}

function Detail({ story }) {
  const resource = useResource(`/api/stories/${encodeURIComponent(story.key)}`);
  return html`<${Answer} resource=${resource} rows=${3}>${view => html`
    <ol class="crits">${view.evidence.map(it => html`<${Criterion} key=${it.id} criterion=${it} story=${view} />`)}</ol>
    <div><${Scope} scope=${view.scope} />
      <div class="gauge gap">${word('story_gates')}</div>
      <p class="note-line gates">${view.gates.length ? view.gates.map(it => html`<span key=${it.name} title=${it.command}><${Seal} standing=${{ passed: 'verified', failed: 'contradicted', not_applicable: 'not_asked' }[it.outcome] ?? 'not_verified'} label=${`${it.name} ${it.outcome}`} /> ${it.name}</span>`) : word('story_no_gates')}</p>
      ${view.findings.map((it, at) => html`<p class="note-line" key=${at}><span class="tag">${it.rule}</span> <${Say} text=${it.message} /> ${it.subject && html`<code>${it.subject}</code>`}</p>`)}
      ${view.next.map((it, at) => html`<p class="note-line" key=${at}><${Say} text=${it} /></p>`)}
      ${view.attempts.length > 0 && html`<details class="note-line"><summary>${word('story_updates')} <span class="n">${number(view.attempts.length)}</span></summary><ul>${view.attempts.map(it => html`<li key=${it.seq}><${Clock} at=${it.at} /> ${word(it.result === 'accept' ? 'story_update_taken' : it.said_done ? 'story_update_refused_done' : 'story_update_refused')} ${it.codes.map(code => html`<span class="tag" key=${code}>${code}</span> `)}</li>`)}</ul></details>`}
    </div>`}</${Answer}>`;
}

function Criterion({ criterion: it, story }) {
  const standing = shape(it);
  const ran = it.exit !== null || it.tree;
  return html`<li><${Seal} standing=${standing} /><span class="k">${it.id}</span><div><${Theirs} text=${it.text} />
    ${it.waived && html`<div class="cmdline">${word('story_waived_by', { actor: it.waived.actor })} <q dir="auto">${it.waived.reason}</q></div>`}
    ${it.command && html`<div class="cmdline"><code>${it.command}</code> ${ran ? html`· <${Exit} evidence=${{ exit: it.exit }} /> ${it.tree && html`· ${word('story_tree', { tree: short(it.tree) })}`}` : html`· ${word('story_nothing')}`}${it.needs && html` · ${word('story_needs', { label: labelWord(it.needs) })}`}</div>`}
    ${!it.command && !it.waived && html`<div class="cmdline">${it.said ? word('story_words') : word('story_nothing')}</div>`}
    ${it.note && html`<div class="cmdline"><${Say} text=${it.note} /></div>`}
    ${it.findings.map(finding => html`<div class="cmdline" key=${finding}><span class="tag">${finding}</span></div>`)}
    ${it.blocked && html`<div class="cmdline">${word('story_blocked')} <q dir="auto">${it.blocked}</q></div>`}
    ${it.said && html`<div class="said"><q dir="auto">${it.said}</q><footer>${word('the_agent')}</footer></div>`}
    ${it.tail && html`<div class="ev"><pre tabindex="0" role="region" aria-label=${word('output_of', { command: it.command ?? it.id })}>${it.tail}</pre></div>`}
    ${!it.passes && !it.waived && (readOnly.value ? html`<${Typed} command=${`provost story waive ${story.story_id} ${it.id} --because '…'`} />` : html`<button type="button" class="btn quiet" aria-haspopup="dialog" onClick=${() => askPerson(() => html`<${Waive} story=${story} criterion=${it} />`)}>${word('story_waive')}</button>`)}
    </div><span class=${`label ${TONES[standing] ?? 'faint'}`}>${labelWord(it.label)}</span></li>`;
}

function Waive({ story, criterion }) {
  const [because, setBecause] = useState('');
  const body = () => (because.trim() ? { criterion: criterion.id, because: because.trim() } : null);
  return html`<${Asked} title=${word('story_waive_title', { criterion: `${story.story_id} ${criterion.id}` })} why=${word('story_waive_why')} label=${word('story_waive_do')} url=${`/api/stories/${encodeURIComponent(story.key)}/waivers`} body=${body}>
    <p dir="auto"><b>${criterion.text}</b></p>
    <div class="field"><label for="because">${word('story_because')}</label><textarea id="because" class="reply" rows="3" dir="auto" maxlength="2000" required data-first="" value=${because} onInput=${event => setBecause(event.target.value)}></textarea></div></${Asked}>`;
}

function Scope({ scope: { files, lines, limits } }) {
  const row = (name, value, limit, most) => (value === null ? null : html`<${Gauge} name=${word(`story_${name}`)} says=${word('story_gauge', { n: number(value), limit: number(limit) })} value=${value} limit=${limit} most=${most} />`);
  return html`${row('files', files, limits.warn_files, limits.hard_files)}${row('lines', lines, limits.warn_lines, limits.hard_lines)}
    ${files === null && html`<p class="note-line">${word('story_no_scope')}</p>`}
    <p class="note-line">${word('story_split', { files: number(limits.hard_files), lines: number(limits.hard_lines) })}</p>`;
}
