// Every key, and the switch for single letters.
import { html } from '../ui.js';
import { sentence, word } from '../i18n.js';
import { lettersOn, switchLetters } from '../keys.js';
import { Dialog, close } from './dialog.js';

const MAP = [
  ['keys_everywhere', [['g i', 'key_inbox'], ['g t', 'key_tasks'], ['g s e l g a', 'key_views'], ['/', 'filter'], ['⌘K', 'key_palette'], ['?', 'key_help'], ['Esc', 'key_close']]],
  ['keys_lists', [['j k', 'key_move'], ['↵', 'key_open'], ['u', 'key_back'], ['1 … 5', 'key_groups'], ['n', 'view_new']]],
  ['keys_task', [['a', 'key_approve'], ['x', 'key_reject'], ['r', 'key_answer'], ['p', 'key_pause'], ['l', 'key_land'], ['b', 'key_blind'], ['[ ] v', 'key_file_seen'], ['⌘↵', 'key_send']]],
];

export const KeyMap = () => html`<${Dialog} label=${word('keys')} class="wide"><h2 class="ruling">${sentence(word('keys'))}</h2>
  <div class="keys">${MAP.map(([title, keys]) => html`<div key=${title}><h3>${word(title)}</h3><dl>${keys.map(([names, does]) => html`<dt key=${`k${does}`}>${names.split(' ').map((it, at) => html`${at > 0 && ' '}${it === '…' ? it : html`<kbd>${it}</kbd>`}`)}</dt><dd key=${`d${does}`}>${word(does)}</dd>`)}</dl></div>`)}</div>
  <div class="acts"><label class="check"><input type="checkbox" checked=${lettersOn.value} onChange=${event => switchLetters(event.target.checked)} /> ${word('letters_on')}</label><span class="hint"><button type="button" class="btn" data-first="" onClick=${close}>${word('close')} <kbd>Esc</kbd></button></span></div></${Dialog}>`;
