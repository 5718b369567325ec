// The share of cases that passed over the runs, with its interval, and failures by level below.
import { html } from '../ui.js';
import { clock, word } from '../i18n.js';

const [WIDTH, TOP, FLOOR, BASE] = [1000, 12, 152, 227];
const [LEFT, RIGHT] = [44, 976];

/** @param {{runs: {run: string, at: string | null, share: number, low: number, high: number, p0: number, p1: number, p2: number}[]}} props the oldest first */
export function Trend({ runs }) {
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
