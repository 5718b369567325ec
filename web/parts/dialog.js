// Dialogs: the browser's own, so that focus stays inside and returns.
import { html, signal, useLayoutEffect, useRef } from '../ui.js';

/** What is open over the page: a function that draws it. */
export const overlay = signal(null);
export const show = draw => { overlay.value = draw; };
export const close = () => { overlay.value = null; };

/** @param {{label: string, class?: string, children: unknown, onClose?: () => void}} props */
export function Dialog({ label, class: className = '', children, onClose = close }) {
  const box = useRef(null);
  const newest = useRef(onClose);
  newest.current = onClose;
  useLayoutEffect(() => {
    const element = box.current;
    const before = document.activeElement;
    // The browser closes by itself when Escape is pressed twice: its cancel event can be missing.
    const closed = () => newest.current();
    element.addEventListener('close', closed);
    element.showModal();
    element.querySelector('[data-first]')?.focus();
    return () => {
      element.removeEventListener('close', closed);
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const outside = event => { if (event.target === box.current) onClose(); };
  return html`<dialog ref=${box} class=${`dialog ${className}`} aria-label=${label} onMouseDown=${outside}>${children}</dialog>`;
}

/** Stands once in the shell. */
export const Overlay = () => (overlay.value ? overlay.value() : null);
