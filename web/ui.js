// What every part draws with. The only module that names the libraries.
import { h } from '/vendor/preact.js';
import htm from '/vendor/htm.js';

export { render } from '/vendor/preact.js';
export { useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState } from '/vendor/hooks.js';
export { batch, computed, effect, signal } from '/vendor/signals.js';

/** Marks that turn the direction of writing, spelled out as on the command line: what is shown is what is there.
 * What a component returns without a template has to ask for it. */
export const spelled = it => (typeof it === 'string' ? it.replace(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, mark => `\\u{${mark.codePointAt(0).toString(16)}}`) : Array.isArray(it) ? it.map(spelled) : it);

/** Templates that make nodes: a string in them is always text. */
export const html = htm.bind((type, props, ...content) => {
  for (const name of ['title', 'aria-label']) if (props?.[name]) props[name] = spelled(props[name]);
  return h(type, props, ...content.map(spelled));
});

/**
 * Sets custom properties of an element, for lengths that come from data. The content policy
 * forbids style attributes; it allows this.
 * @param {Record<string, string | number>} values
 * @returns {(element: HTMLElement | null) => void}
 */
export const vars = values => element => {
  if (!element) return;
  for (const [name, value] of Object.entries(values)) {
    const text = String(value);
    // The same value again would count as a mutation.
    if (element.style.getPropertyValue(`--${name}`) !== text) element.style.setProperty(`--${name}`, text);
  }
};
