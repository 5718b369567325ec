// Light or dark: what the system says, unless the person chose.
import { signal } from './ui.js';

const STORED = 'provost.theme';
const stored = localStorage.getItem(STORED);
/** @type {{value: 'auto' | 'light' | 'dark', peek(): 'auto' | 'light' | 'dark'}} */
export const theme = signal(stored === 'light' || stored === 'dark' ? stored : 'auto');

function apply() {
  const root = document.documentElement;
  if (theme.peek() === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme.peek();
}

export function nextTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const shown = theme.peek() === 'auto' ? (dark ? 'dark' : 'light') : theme.peek();
  const other = shown === 'dark' ? 'light' : 'dark';
  // Back to what the system says, if that is the other one.
  theme.value = (other === 'dark') === dark ? 'auto' : other;
  localStorage.setItem(STORED, theme.peek());
  apply();
}

apply();
