// What every part draws with. The only module that names the libraries.
import { h } from '/vendor/preact.js';
import htm from '/vendor/htm.js';

export { render } from '/vendor/preact.js';
export { useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState } from '/vendor/hooks.js';
export { batch, computed, effect, signal } from '/vendor/signals.js';

/** Templates that make nodes: a string in them is always text. */
export const html = htm.bind(h);

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
