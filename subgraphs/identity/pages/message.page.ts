import { html, type Markup } from '../../../kernel/messages/html.ts';
import { page } from './layout.ts';

export interface MessageParts {
  title: string;
  text: string;
  /** For whoever is asked for help: the error and the request. */
  reference?: string | undefined;
  more?: Markup | undefined;
}

/** A page that says one thing: what was done, or why it was not. */
export const messagePage = ({ title, text, reference, more }: MessageParts): string =>
  page({
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${more}
${reference ? html`<p class="hint">${reference}</p>` : ''}`,
  });

export const logoutPage = ({ action, xsrf }: { action: string; xsrf: string }): string =>
  page({
    title: 'Sign out?',
    body: html`<h1>Sign out?</h1>
<p>You will have to sign in again when an application asks for you here. Applications that you allowed keep working.</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="actions"><button type="submit" name="logout" value="yes">Sign out</button></div>
</form>`,
  });
