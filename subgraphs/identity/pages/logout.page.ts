import { html } from '../../../kernel/messages/html.ts';
import { page } from '../../../kernel/pages/layout.ts';

export const logoutPage = ({ action, xsrf }: { action: string; xsrf: string }): string =>
  page({
    title: 'Sign out?',
    body: html`<h1>Sign out?</h1>
<p>You will have to sign in again when an application needs you. Applications that you have allowed keep their access.</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="actions"><button type="submit" name="logout" value="yes">Sign out</button></div>
</form>`,
  });
