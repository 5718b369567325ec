import { html, useState } from '../ui.js';
import { choose, lang, word } from '../i18n.js';
import { Refusal, signIn } from '../store.js';
import { Icon, Refused, Sprite, Typed } from '../parts/basics.js';

/** Asks for the token that `provost serve` printed. */
export default function Login({ refusal: atStart }) {
  const [state, setState] = useState({ sending: false, refusal: atStart });
  const [token, setToken] = useState('');
  const send = async event => {
    event.preventDefault();
    // The whole address is taken as well: it is what the terminal shows.
    const plain = token.trim().replace(/^.*#token=/, '');
    if (!plain || state.sending) return;
    setState({ sending: true, refusal: null });
    try {
      await signIn(plain);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      setState({ sending: false, refusal });
    }
  };
  return html`<${Sprite} /><main class="login" id="main">
    <div class="brand"><${Icon} name="mark" />provost</div>
    <div class="panel"><h1 class="ruling">${word('login_title')}</h1><p class="dim">${word('login_detail')}</p>
      <${Typed} command="provost serve" />
      ${state.refusal && html`<${Refused} refusal=${state.refusal} title=${word('login_refused')} />`}
      <form onSubmit=${send}><label>${word('login_token')}<input type="password" autocomplete="off" spellcheck="false" value=${token} onInput=${event => setToken(event.target.value)} /></label>
        <button class="btn big prime" disabled=${state.sending || !token.trim()}>${word('sign_in')}</button></form></div>
    <p class="pair"><button type="button" class="as-link" lang="en" aria-pressed=${String(lang.value === 'en')} onClick=${() => choose('en')}>English</button> <button type="button" class="as-link" lang="zh" aria-pressed=${String(lang.value === 'zh')} onClick=${() => choose('zh')}>中文</button></p>
  </main>`;
}
