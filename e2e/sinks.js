// What may not stand in a source of the page: every way by which a text could become markup, code
// or an address. The texts are written in two parts, so that this file does not find itself.

const SINKS = [
  [/\binner(?:HTML)/, 'inner' + 'HTML'],
  [/\bouter(?:HTML)/, 'outer' + 'HTML'],
  [/\binsertAdjacent(?:HTML)/, 'insertAdjacent' + 'HTML'],
  [/\bdangerouslySet\w*/, 'dangerouslySet' + 'InnerHTML'],
  [/\bdocument\s*\.\s*write(ln)?\b/, 'document.' + 'write'],
  [/\bDOMParser\b/, 'DOM' + 'Parser'],
  [/\bcreateContextualFragment\b/, 'createContextual' + 'Fragment'],
  [/\bsetHTML(Unsafe)?\b/, 'set' + 'HTML'],
  [/(?<![\w.])eval\s*\(/, 'ev' + 'al('],
  [/\bnew\s+Function\b|(?<![\w.])Function\s*\(/, 'Func' + 'tion('],
  [/\bset(?:Timeout|Interval)\s*\(\s*['"`]/, 'a timer with text'],
  [/\bsrcdoc\b/, 'src' + 'doc'],
  [/\bstyle\s*=\s*["'`$]/, 'a style as text'],
  [/\bcssText\b/, 'css' + 'Text'],
  [/\bsetAttribute\s*\(\s*['"`](?:on|href|src|style|action)/i, 'an attribute that acts'],
  [/\bon[a-z]+\s*=\s*["'`]/, 'a handler as text'],
  [/javascript:/i, 'java' + 'script:'],
  // An address is made by the router and nowhere else; a symbol of the page's own begins with `#`.
  [/\b(?:href|src|formaction)\s*=\s*\$\{(?!address\(|[`'"]#)/i, 'an address from data'],
  [/<form\b[^>]*\saction\s*=/i, 'an address from data'],
  [/\.(?:href|src|action)\s*=(?!=|\s*'\/[^']*')/, 'an address from data'],
  [/\blocation\s*=(?!=)|\blocation\.(?:assign|replace)\s*\(|\bwindow\.open\s*\(/, 'a jump'],
];

/// The sinks in a source, with the line of each.
export function sinks(source) {
  const found = [];
  source.split('\n').forEach((line, at) => {
    for (const [pattern, name] of SINKS) if (pattern.test(line)) found.push(`${at + 1}: ${name}`);
  });
  return found;
}

/// What a page may not have besides: code, styles or handlers of its own.
export function inline(html) {
  const found = [];
  if (/<script(?![^>]*\ssrc=)[^>]*>/i.test(html)) found.push('an inline script');
  if (/<style\b/i.test(html)) found.push('an inline style');
  if (/\sstyle\s*=/i.test(html)) found.push('a style attribute');
  if (/\son[a-z]+\s*=/i.test(html)) found.push('an inline handler');
  if (/(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i.test(html)) found.push('something from elsewhere');
  return found;
}
