// The language of the page: one catalogue for each, switched without a reload.
import { signal } from './ui.js';
import { renderText } from './template.js';

const STORED = 'provost.lang';

/** @type {{value: 'en' | 'zh', peek(): 'en' | 'zh'}} */
export const lang = signal('en');
/** The texts that are known, by language; more are asked for by their codes. */
const texts = { en: {}, zh: {} };
const catalogue = signal(texts.en);
/** How many codes one request asks for. */
const CHUNK = 120;
const CODE = /^[a-z0-9_.]+$/;

/** The language that was chosen here, or the browser's. */
export function preferred() {
  const chosen = localStorage.getItem(STORED);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return (navigator.languages ?? [navigator.language]).some(it => /^zh\b/i.test(it)) ? 'zh' : 'en';
}

async function fetchTexts(name) {
  const answer = await fetch(`/i18n/${name}`, { credentials: 'omit' });
  if (!answer.ok) throw new Error(`/i18n/${name}: ${answer.status}`);
  return answer.json();
}

/** Fetches the texts of codes; one that nobody knows stands for itself. */
async function fetchCodes(to, codes) {
  const chunks = [];
  for (let at = 0; at < codes.length; at += CHUNK) chunks.push(codes.slice(at, at + CHUNK));
  const answers = await Promise.all(chunks.map(it => fetchTexts(`${to}/${it.join(',')}`)));
  texts[to] = Object.assign({}, texts[to], Object.fromEntries(codes.map(it => [it, it])), ...answers);
}

/** The files of words that are in use: the page's own, and those of the views of records. */
const files = new Set(['page']);
const fetched = new Map();

/** Each file is fetched once, unless that fails. */
function fetchFile(to, file) {
  const name = `${to}.${file}.json`;
  if (!fetched.has(name)) {
    fetched.set(name, fetchTexts(name).then(more => { texts[to] = { ...texts[to], ...more }; }, error => {
      fetched.delete(name);
      throw error;
    }));
  }
  return fetched.get(name);
}

/** Fetches the words that only some views need, before one of them is shown. */
export async function moreWords() {
  files.add('more');
  const to = lang.peek();
  await fetchFile(to, 'more');
  if (lang.peek() === to) catalogue.value = texts[to];
}

/** @param {'en' | 'zh'} next */
export async function speak(next) {
  await Promise.all([...files].map(it => fetchFile(next, it)));
  const missing = Object.keys(texts[lang.peek()]).filter(it => texts[next][it] === undefined);
  if (missing.length) await fetchCodes(next, missing);
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en';
  catalogue.value = texts[next];
  lang.value = next;
}

/** Every code of an answer whose text is not here yet. */
function missing(value, found) {
  if (Array.isArray(value)) {
    for (const it of value) missing(it, found);
  } else if (value && typeof value === 'object') {
    if (typeof value.code === 'string' && value.args && catalogue.peek()[value.code] === undefined && CODE.test(value.code)) found.add(value.code);
    for (const it of Object.values(value)) if (typeof it === 'object') missing(it, found);
  }
  return found;
}

/** Codes that are being asked for, so that answers that come together ask once. */
const asked = new Map();

/** Fetches what an answer needs, before it is shown. */
export async function learn(answer) {
  const codes = [...missing(answer, new Set())];
  if (!codes.length) return;
  const to = lang.peek();
  const fresh = codes.filter(it => !asked.has(it));
  if (fresh.length) {
    // Without a connection the codes stand for themselves until the next answer.
    const request = fetchCodes(to, fresh).catch(() => {}).finally(() => fresh.forEach(it => asked.delete(it)));
    fresh.forEach(it => asked.set(it, request));
  }
  await Promise.all(codes.map(it => asked.get(it)));
  if (lang.peek() === to && catalogue.peek() !== texts[to]) catalogue.value = texts[to];
}

/** @param {'en' | 'zh'} next */
export function choose(next) {
  localStorage.setItem(STORED, next);
  return speak(next);
}

/** A text of the API in the reader's language. */
export const t = text => renderText(text, lang.value, catalogue.value);

/** A word of the page. */
export const word = (code, args) => t({ code: `page.${code}`, args });

/** A word of the page that need not exist, such as one for a name of a later version. */
export const wordOr = (code, otherwise) => catalogue.value[`page.${code}`] === undefined ? otherwise : word(code);

const locale = () => (lang.value === 'zh' ? 'zh-CN' : 'en-GB');
const formats = new Map();

function format(kind, options) {
  const key = `${locale()} ${kind} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Intl[kind](locale(), options));
  return formats.get(key);
}

/** @param {number} value */
export const number = value => format('NumberFormat', {}).format(value);

/** An amount such as "0.84", always in dollars. */
export const money = usd => `$${format('NumberFormat', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(Number(usd))}`;

/** Local time of day; with the date if it is another day. */
export function clock(at, seconds = false) {
  const date = new Date(at);
  const time = { hour: '2-digit', minute: '2-digit', ...(seconds && { second: '2-digit' }) };
  const today = new Date();
  if (today.toDateString() === date.toDateString()) return format('DateTimeFormat', time).format(date);
  const isThisYear = today.getFullYear() === date.getFullYear();
  return format('DateTimeFormat', { ...(!isThisYear && { year: 'numeric' }), month: 'short', day: 'numeric', ...time }).format(date);
}

/** The same moment in UTC, as the API says it. */
export const utc = at => new Date(at).toISOString().replace('.000', '').replace('T', ' ').replace('Z', ' UTC');

/** How long ago, in the largest unit. */
export function age(at, now) {
  const seconds = Math.max(0, (now - new Date(at).getTime()) / 1000);
  const [unit, value] = seconds < 60 ? ['seconds', seconds] : seconds < 3600 ? ['minutes', seconds / 60]
    : seconds < 86400 ? ['hours', seconds / 3600] : ['days', seconds / 86400];
  return word(`age_${unit}`, { n: Math.floor(value) });
}

/** Minutes and seconds, such as 1:42 or 1:00:00. */
export function span(ms) {
  const total = Math.max(0, Math.floor(ms / 1000));
  const two = value => String(value).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** A short duration with a tenth, or minutes where it is long. */
export const took = ms => (ms < 120_000 ? word('seconds', { n: (ms / 1000).toFixed(1) }) : span(ms));

const ONES = 'nothing one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const HAN = '零一二三四五六七八九';

/** A count as a sentence has it: written out below a hundred. */
export function spell(n) {
  if (!Number.isInteger(n) || n < 0 || n > 99) return number(n);
  if (lang.value === 'zh') {
    if (n === 2) return '两';
    if (n < 10) return HAN[n];
    return (n < 20 ? '' : HAN[Math.floor(n / 10)]) + '十' + (n % 10 ? HAN[n % 10] : '');
  }
  if (n < 20) return ONES[n];
  return TENS[Math.floor(n / 10) - 2] + (n % 10 ? `-${ONES[n % 10]}` : '');
}

/** With a capital at the start of an English sentence. */
export const sentence = text => text.charAt(0).toUpperCase() + text.slice(1);

/** Every second, for what runs; every 20 seconds, for ages. */
export const now = signal(Date.now());
export const slowNow = signal(Date.now());

setInterval(() => { if (!document.hidden) now.value = Date.now(); }, 1000);
setInterval(() => { if (!document.hidden) slowNow.value = Date.now(); }, 20_000);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = slowNow.value = Date.now();
});
