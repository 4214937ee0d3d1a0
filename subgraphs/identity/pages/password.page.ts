import { html } from '../../../kernel/messages/html.ts';
import { page, problem } from '../../../kernel/pages/layout.ts';

export const forgotPage = ({ email, problem: wrong }: { email?: string; problem?: string | undefined } = {}): string =>
  page({
    title: 'Forgot your password?',
    body: html`<h1>Forgot your password?</h1>
<p>Enter your e-mail address. We will send you a link to choose a new password.</p>
${problem(wrong)}
<form method="post" action="/password/forgot">
<div class="field"><label for="email">E-mail</label>
<input type="email" id="email" name="email" value="${email ?? ''}" autocomplete="username" required maxlength="320" autofocus></div>
<div class="actions"><button type="submit">Send the link</button></div>
</form>`,
  });

export const choosePage = ({ token, problem: wrong }: { token: string; problem?: string | undefined }): string =>
  page({
    title: 'Choose a password',
    body: html`<h1>Choose a password</h1>
<p>At least 12 characters. A sentence that only you would think of is better than a word with digits added.</p>
${problem(wrong)}
<form method="post" action="/password">
<input type="hidden" name="token" value="${token}">
<div class="field"><label for="password">New password</label>
<input type="password" id="password" name="password" autocomplete="new-password" required minlength="12" maxlength="128" aria-describedby="ends" autofocus ${wrong ? html`aria-invalid="true"` : ''}>
<p class="hint" id="ends">You will be signed out everywhere else.</p></div>
<div class="actions"><button type="submit">Save password</button></div>
</form>`,
  });
