// The fields of an offer, as the answer describes them.
import { html, useId } from '../ui.js';
import { t, word } from '../i18n.js';

/** What stands in the boxes at first. */
export const presets = fields => Object.fromEntries(fields.map(it => [it.name, it.value === null || it.value === undefined ? '' : String(it.value)]));

/** Whether everything that is required is there and within its limits. */
export const ready = (fields, draft) => fields.every(field => {
  const value = (draft[field.name] ?? '').trim();
  if (!value) return !field.required;
  if (field.max_chars && [...value].length > field.max_chars) return false;
  if (field.kind !== 'number') return true;
  const amount = Number(value);
  return Number.isFinite(amount) && amount >= (field.min ?? -Infinity) && amount <= (field.max ?? Infinity);
});

/** What the order carries: the preset parts, and what was written at its place in them. */
export function payloadOf(offer, draft) {
  const payload = structuredClone(offer.payload ?? {});
  for (const field of offer.fields) {
    const value = (draft[field.name] ?? '').trim();
    if (value) place(payload, field.name.split('.'), field.kind === 'number' ? Number(value) : value);
  }
  return payload;
}

/** A name such as `changes.0.value` is a path. */
function place(target, [name, ...rest], value) {
  if (!rest.length) {
    target[name] = value;
    return;
  }
  if (!Object.hasOwn(target, name)) target[name] = /^\d+$/.test(rest[0]) ? [] : {};
  place(target[name], rest, value);
}

/** @param {{fields: any[], draft: {value: Record<string, string>}, bare?: boolean, first?: boolean, placeholder?: string}} props */
export const Fields = ({ fields, draft, bare, first, placeholder }) => fields.map((field, at) => html`<${Field} key=${field.name} field=${field} draft=${draft} bare=${bare} first=${first && at === 0} placeholder=${placeholder} />`);

function Field({ field, draft, bare, first, placeholder }) {
  const id = useId();
  const label = t(field.label);
  const write = event => { draft.value = { ...draft.value, [field.name]: event.target.value }; };
  const common = {
    id, name: field.name, value: draft.value[field.name] ?? '', onInput: write, dir: 'auto',
    'aria-required': field.required ? 'true' : undefined, 'aria-label': bare ? label : undefined, 'data-first': first ? '' : undefined,
  };
  let input;
  if (field.choices?.length) {
    input = html`<select ...${common} dir=${undefined}>${!field.required && html`<option value=""></option>`}${field.choices.map(it => html`<option key=${it} value=${it}>${it}</option>`)}</select>`;
  } else if (field.kind === 'text') {
    input = html`<textarea ...${common} class="reply" placeholder=${placeholder ?? ''} rows="3"></textarea>`;
  } else {
    input = html`<input ...${common} class="line m" type=${field.kind === 'number' ? 'number' : 'text'} inputmode=${field.kind === 'number' ? 'decimal' : undefined} min=${field.min ?? undefined} max=${field.max ?? undefined} step="any" spellcheck="false" autocomplete="off" />`;
  }
  if (bare) return input;
  return html`<div class="field"><label for=${id}>${label}${!field.required && html` <small>${word('optional')}</small>`}</label>${input}</div>`;
}
