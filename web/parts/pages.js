// A list that comes by cursor: the pages that are loaded, and one more on demand.
import { useEffect, useMemo, useRef, useState } from '../ui.js';
import { obtain, retain } from '../store.js';

/**
 * @param {string} path
 * @param {Record<string, string>} query
 * @param {string} name of the list in the answer
 */
export function usePages(path, query, name, topics = ['board']) {
  const [wanted, setWanted] = useState(1);
  const slots = useRef([]);
  const base = new URLSearchParams(query).toString();
  useMemo(() => { slots.current = []; setWanted(1); }, [path, base]);
  const urls = [];
  const items = [];
  let [first, cursor, error] = [undefined, null, null];
  for (let at = 0; at < wanted; at += 1) {
    const parts = new URLSearchParams(query);
    if (cursor) parts.set('cursor', cursor);
    const text = parts.toString();
    const url = text ? `${path}?${text}` : path;
    urls.push(url);
    const resource = obtain(url);
    // Rows stay while their page is asked for under another cursor.
    const data = resource.data.value ?? slots.current[at];
    error ??= resource.error.value;
    if (!data) break;
    slots.current[at] = data;
    if (at === 0) first = data;
    items.push(...data[name]);
    cursor = data.next_cursor;
    if (!cursor) break;
  }
  const key = urls.join(' ');
  useEffect(() => {
    // Only the first page grows; what is older does not change.
    const leave = urls.map((it, at) => retain(obtain(it), at ? [] : topics));
    return () => leave.forEach(it => it());
  }, [key]);
  return { items, first, error, more: Boolean(cursor), next: () => setWanted(urls.length + 1) };
}
