// Fills a template of the catalogue, exactly as `provost-kernel` does in `message/render.rs`.
// Pure, and without imports: a test renders one table of cases here and there.

/**
 * @typedef {{code?: string, args?: Record<string, Argument>, text?: string, text_en?: string, text_zh?: string, en?: string, zh?: string}} Text
 * @typedef {string | number | boolean | null | Text | Argument[]} Argument
 * @typedef {'en' | 'zh'} Lang
 */

/**
 * The text as a reader of this language sees it.
 * @param {Text | string | null | undefined} text
 * @param {Lang} lang
 * @param {Record<string, string>} catalogue
 * @returns {string}
 */
export function renderText(text, lang, catalogue) {
  if (text === null || text === undefined) return '';
  if (typeof text !== 'object') return String(text);
  if (typeof text.code === 'string') {
    const template = catalogue[text.code];
    return template === undefined ? text.code : fill(template, text.args ?? {}, lang, catalogue);
  }
  // A text of an earlier version carries both languages.
  return text.text ?? (lang === 'zh' ? text.text_zh ?? text.zh : text.text_en ?? text.en) ?? '';
}

/**
 * @param {string} template
 * @param {Record<string, Argument>} args
 * @param {Lang} lang
 * @param {Record<string, string>} catalogue
 */
function fill(template, args, lang, catalogue) {
  let out = '';
  let rest = template;
  for (;;) {
    const at = rest.search(/[{}]/);
    if (at < 0) return out + rest;
    out += rest.slice(0, at);
    const mark = rest[at];
    rest = rest.slice(at + 1);
    if (rest.startsWith(mark)) {
      out += mark;
      rest = rest.slice(1);
      continue;
    }
    const end = rest.indexOf('}');
    const inside = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? '' : rest.slice(end + 1);
    const colon = inside.indexOf(':');
    const name = colon < 0 ? inside : inside.slice(0, colon);
    const format = colon < 0 ? '' : inside.slice(colon + 1);
    if (Object.hasOwn(args, name)) out += insert(args[name], format, lang, catalogue);
  }
}

/** @returns {string} */
function insert(argument, format, lang, catalogue) {
  const bar = format.indexOf('|');
  if (bar >= 0) return count(argument) === 1 ? format.slice(0, bar) : format.slice(bar + 1);
  if (Array.isArray(argument)) {
    const between = format === 'clauses' ? ['; ', '；'] : [', ', '、'];
    return argument.map(it => insert(it, format, lang, catalogue)).join(between[lang === 'zh' ? 1 : 0]);
  }
  if (format === 'names') return `\`${insert(argument, '', lang, catalogue)}\``;
  if (argument === null || argument === undefined) return '';
  if (typeof argument === 'object') return renderText(argument, lang, catalogue);
  if (format === '?' && typeof argument === 'string') return quoted(argument);
  return String(argument);
}

function count(argument) {
  if (typeof argument === 'number') return argument;
  return Array.isArray(argument) ? argument.length : null;
}

const ESCAPES = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' };

/** A string as Rust's `{:?}` writes it. */
function quoted(text) {
  const inner = text.replace(/["\\\u0000-\u001f\u007f-\u009f]/gu, letter =>
    ESCAPES[letter] ?? `\\u{${letter.codePointAt(0).toString(16)}}`);
  return `"${inner}"`;
}
