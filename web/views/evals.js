// Reports of evals: the gate, the trend with its interval, cases by checks, and why something did not pass.
import { html } from '../ui.js';
import { clock, number, sentence, spell, word } from '../i18n.js';
import { useResource } from '../store.js';
import { Link } from '../frame.js';
import { Answer, Banner, Clock, Empty, Say, Seal, Section, Wide } from '../parts/basics.js';
import { Stats } from '../parts/records.js';

// The trend --------------------------------------------------------------------------------------

const [WIDTH, TOP, FLOOR, BASE] = [1000, 12, 152, 227];
const [LEFT, RIGHT] = [44, 976];

/** @param {{runs: {run: string, at: string | null, share: number, low: number, high: number, p0: number, p1: number, p2: number}[]}} props the oldest first */
function Trend({ runs }) {
  const shown = runs.slice(-30);
  const least = Math.max(0, Math.floor(Math.min(...shown.map(it => it.low)) * 10) / 10);
  const x = at => LEFT + (shown.length > 1 ? (at * (RIGHT - LEFT)) / (shown.length - 1) : 0);
  const y = value => TOP + ((1 - value) * (FLOOR - TOP)) / (1 - least || 1);
  const points = pick => shown.map((it, at) => `${x(at).toFixed(1)},${y(pick(it)).toFixed(1)}`);
  const band = [...points(it => it.high), ...points(it => it.low).reverse()].join(' ');
  const worst = Math.max(1, ...shown.map(it => it.p0 + it.p1 + it.p2));
  const tall = n => (n * (BASE - FLOOR - 12)) / worst;
  const lines = [];
  for (let value = least; value <= 1.0001; value += least < 0.5 ? 0.2 : 0.1) lines.push(value);
  const percent = value => (100 * value).toFixed(1);
  const every = Math.ceil(shown.length / 8);
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} 250`} role="img" aria-label=${word('evals_trend_says', { n: shown.length, first: percent(shown[0].share), last: percent(shown.at(-1).share) })}>
    ${lines.map(it => html`<line key=${it} class="gl" x1=${LEFT} x2="980" y1=${y(it)} y2=${y(it)} /><text x="36" y=${y(it) + 3.5} text-anchor="end">${Math.round(it * 100)}</text>`)}
    <polygon class="band" points=${band} /><polyline class="ln" points=${points(it => it.share).join(' ')} />
    ${shown.map((it, at) => html`<circle key=${it.run} class=${`p ${it.p0 ? 'bad' : ''}`} cx=${x(at)} cy=${y(it.share)} r="3.4"><title>${`${it.run}: ${percent(it.share)} %`}</title></circle>`)}
    ${shown.map((it, at) => {
      const heights = [tall(it.p2), tall(it.p1), tall(it.p0)];
      let from = BASE;
      return heights.map((height, level) => {
        from -= height;
        return height > 0 ? html`<rect key=${`${it.run} ${level}`} class=${['b2', 'b1', 'b0'][level]} x=${x(at) - 7} y=${from} width="14" height=${height} />` : null;
      });
    })}
    ${shown.map((it, at) => (at % every === 0 && it.at ? html`<text key=${it.run} x=${x(at)} y="244" text-anchor=${at === 0 ? 'start' : at === shown.length - 1 ? 'end' : 'middle'}>${clock(it.at)}</text>` : null))}
  </svg>`;
}

// The report -------------------------------------------------------------------------------------

const percent = value => (100 * value).toFixed(1);
const CELLS = { pass: 'verified', fail: 'contradicted', waived: 'waived', expected: 'waived', skipped: 'not_verified', not_measured: 'not_verified' };

export default function Evals({ params }) {
  const resource = useResource('/api/evals');
  return html`<${Answer} resource=${resource}>${evals => html`<${Shown} evals=${evals} run=${params.id ?? evals.runs[0]?.run} />`}</${Answer}>`;
}

function Shown({ evals, run }) {
  const resource = useResource(run ? `/api/evals/${encodeURIComponent(run)}` : null);
  if (!run) {
    return html`<h1 class="ruling">${word('evals_empty')}</h1><${Unreadable} files=${evals.unreadable} />
      <${Empty} title="" commands=${['provost eval', 'provost eval --baseline docs/evals/reports/latest.json']}><${Say} text=${word('evals_empty_detail', { folder: evals.folder })} /></${Empty}>`;
  }
  return html`<${Answer} resource=${resource}>${report => html`<${Report} report=${report} evals=${evals} />`}</${Answer}>`;
}

const Unreadable = ({ files }) => (files.length ? html`<${Banner} tone="bad" title=${word('evals_unreadable', { n: files.length })}>${files.map(it => html`<code key=${it}>${it}</code> `)}</${Banner}>` : null);

/** What passed everything is a few rows: the rest is a number. */
const PASSED = 5;
const isPlain = row => row.cells.every(it => it === 'pass' || it === 'absent');

function Report({ report, evals }) {
  const { matrix, baseline } = report;
  const odd = matrix.rows.filter(it => !isPlain(it));
  const rows = [...odd, ...matrix.rows.filter(isPlain).slice(0, PASSED)];
  const more = matrix.more + matrix.rows.length - rows.length;
  return html`<h1 class="ruling"><strong>${word(report.gate.passed ? 'evals_passed' : 'evals_failed')}</strong> ${!report.gate.passed && html`<${Say} text=${report.gate.reason} capital />${word('stop')}`} ${report.not_measured > 0 && sentence(word('evals_not_measured', { count: spell(report.not_measured), n: report.not_measured }))}</h1>
    <p class="sub">${word('evals_sub', { suite: report.suite, cases: report.cases })} <code>${report.generator}</code>${report.at && html` · <${Clock} at=${report.at} />`} ${baseline && word('evals_baseline', { worse: baseline.cases_worse, better: baseline.cases_better, p: baseline.p_value.toFixed(2) })}</p>
    <${Unreadable} files=${evals.unreadable} />
    ${report.gate.warnings.map((it, at) => html`<p class="note-line" key=${at}><${Say} text=${it} /></p>`)}
    <${Stats} items=${[
      { value: word('stat_of', { n: number(report.passed), all: number(report.cases) }), label: word('evals_share', { low: percent(report.low), high: percent(report.high) }) },
      { value: `${report.p0} / ${report.p1} / ${report.p2}`, label: word('evals_levels') },
      { value: number(report.not_measured), label: word('evals_unmeasured') },
      report.epochs > 1 ? { value: number(report.flaky), label: word('evals_flaky', { n: report.epochs }) } : { value: number(report.excused), label: word('evals_excused') },
    ]} />
    <${Section} title=${word('evals_trend')} note=${word('evals_trend_note')}>
      <div class="panel padded">${evals.runs.length > 1 ? html`<${Wide} label=${word('evals_trend')}><${Trend} runs=${[...evals.runs].reverse()} /></${Wide}>` : html`<p class="note-line">${word('evals_one')}</p>`}
      <details class="note-line"><summary>${word('as_table')}</summary><${Runs} runs=${evals.runs} shown=${report.run} /></details></div></${Section}>
    <${Section} title=${word('evals_matrix')} note=${more ? word('evals_matrix_note', { n: more }) : word('evals_matrix_all')}>
      <div class="panel halves"><${Wide} label=${word('evals_matrix')} padded><${Matrix} matrix=${{ ...matrix, rows }} /></${Wide}><${Reasons} matrix=${matrix} /></div></${Section}>`;
}

const Runs = ({ runs, shown }) => html`<${Wide} label=${word('evals_trend')}><table class="tbl"><thead><tr><th>${word('evals_run')}</th><th>${word('evals_when')}</th><th class="num">${word('evals_col_passed')}</th><th class="num">${word('evals_col_interval')}</th><th class="num">P0</th><th class="num">P1</th><th class="num">P2</th><th>${word('evals_col_gate')}</th></tr></thead>
  <tbody>${runs.map(it => html`<tr key=${it.run}><td>${it.run === shown ? html`<b>${it.run}</b>` : html`<${Link} to=${{ view: 'evals', id: it.run }}>${it.run}</${Link}>`}</td><td class="nowrap">${it.at && clock(it.at)}</td><td class="num">${it.passed}/${it.cases}</td><td class="num nowrap">${percent(it.low)}–${percent(it.high)}</td><td class="num">${it.p0}</td><td class="num">${it.p1}</td><td class="num">${it.p2}</td><td class=${it.gate.passed ? 'ok' : 'bad'}>${word(it.gate.passed ? 'evals_gate_passed' : 'evals_gate_failed')}</td></tr>`)}</tbody></table></${Wide}>`;

function Matrix({ matrix: { checks, rows } }) {
  const levels = checks.reduce((found, { level }) => {
    const last = found.at(-1);
    if (last?.level === level) last.n += 1;
    else found.push({ level, n: 1 });
    return found;
  }, []);
  const isFirst = at => at > 0 && checks[at].level !== checks[at - 1].level;
  return html`<table class="matrix"><caption class="vh">${word('evals_matrix')}</caption>
    <thead><tr class="slant"><td class="corner"><span class="vh">${word('evals_case')}</span></td>${checks.map(it => html`<th key=${it.name} scope="col"><span>${it.name}</span></th>`)}</tr>
      <tr class="lv" aria-hidden="true"><td class="corner"></td>${levels.map(it => html`<th key=${it.level} colSpan=${it.n}>${it.level}</th>`)}</tr></thead>
    <tbody>${rows.map(row => html`<tr key=${row.case}><th scope="row" class="mono">${row.case}</th>${row.cells.map((cell, at) => html`<td key=${at} class=${isFirst(at) ? 'first' : ''} title=${`${checks[at].name}: ${word(`cell_${cell}`)}`}><span class="vh">${word(`cell_${cell}`)}</span>${cell === 'pass' ? html`<span aria-hidden="true">·</span>` : cell === 'absent' ? html`<span aria-hidden="true" class="faint">–</span>` : html`<${Seal} standing=${CELLS[cell]} />`}</td>`)}</tr>`)}</tbody></table>`;
}

const Reasons = ({ matrix: { reasons, reasons_total: total } }) => html`<ul class="why-list">${reasons.length === 0 && html`<li>${word('evals_all_passed')}</li>`}
  ${reasons.map((it, at) => html`<li key=${at}><div class="top"><span class=${`tag ${it.cell === 'fail' ? 'bad' : it.cell === 'not_measured' ? '' : 'wait'}`}>${it.cell === 'fail' ? it.level : word(`cell_${it.cell}`)}</span><span class="mono">${it.check ?? it.error}</span>${it.until && html`<span class="right">${word('evals_until', { date: it.until })}</span>`}</div>
    <div class="dim"><span class="mono">${it.case}</span>${it.text && html`: <span dir="auto"><${Say} text=${it.text} /></span>`}</div></li>`)}
  ${total > reasons.length && html`<li class="faint">${word('and_more', { n: total - reasons.length })}</li>`}</ul>`;
