import { html, type Markup } from '../../../kernel/messages/html.ts';
import { page, problem } from '../../../kernel/pages/layout.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';

export interface LoginParts {
  action: string;
  /** Name of the application that the user signs in to. */
  clientName: string;
  email?: string | undefined;
  problem?: string | undefined;
  /** URL of the single sign-on page. */
  singleSignOn?: string | undefined;
  /**
   * Hidden form fields for the console's sign-in. The form for an OAuth request has no hidden fields; instead it has a
   * cancel button.
   */
  hidden?: Readonly<Record<string, string>>;
}

const cancel = (action: string): Markup =>
  html`<form method="post" action="${action}/abort" class="below"><button type="submit" class="quiet">Cancel and go back</button></form>`;

const hiddenFields = (fields: LoginParts['hidden'] = {}): Markup[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

export const loginPage = ({ action, clientName, email, problem: wrong, singleSignOn, hidden }: LoginParts): string =>
  page({
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p>to continue to <strong>${clientName}</strong></p>
${problem(wrong)}
<form method="post" action="${action}/login">${hiddenFields(hidden)}
<div class="field"><label for="email">E-mail</label>
<input type="email" id="email" name="email" value="${email ?? ''}" autocomplete="username" required maxlength="320" ${wrong ? html`aria-invalid="true"` : ''} ${email ? '' : html`autofocus`}></div>
<div class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="1024" ${wrong ? html`aria-invalid="true"` : ''} ${email ? html`autofocus` : ''}></div>
<div class="actions"><button type="submit">Sign in</button></div>
</form>
<p class="aside"><a href="/password/forgot">Forgot your password?</a></p>
${singleSignOn && html`<p class="aside"><a href="${singleSignOn}">Sign in with single sign-on</a></p>`}
${!hidden && cancel(action)}`,
  });

/** Page that asks for the e-mail address. The domain of the address determines the identity provider. */
export const singleSignOnPage = ({ action, email, problem: wrong, hidden }: Omit<LoginParts, 'clientName' | 'singleSignOn'>): string =>
  page({
    title: 'Single sign-on',
    body: html`<h1>Single sign-on</h1>
<p>Your organization signs you in.</p>
${problem(wrong)}
<form method="post" action="${action}/single-sign-on">${hiddenFields(hidden)}
<div class="field"><label for="email">E-mail</label>
<input type="email" id="email" name="email" value="${email ?? ''}" autocomplete="username" required maxlength="320" autofocus ${wrong ? html`aria-invalid="true"` : ''}></div>
<div class="actions"><button type="submit">Continue</button></div>
</form>`,
  });

/**
 * Returns a page with a link to the identity provider. It replaces a redirect, because the Content-Security-Policy of
 * the page blocks redirects after a form.
 */
export const identityProviderPage = (url: string): string =>
  messagePage({
    title: 'Single sign-on',
    text: 'Sign in with your organization. You will return here afterwards.',
    more: html`<p class="actions"><a href="${url}">Continue to your organization</a></p>`,
  });

export const secondFactorPage = ({
  action,
  problem: wrong,
  isSent,
  hidden,
}: Pick<LoginParts, 'action' | 'problem' | 'hidden'> & { isSent?: boolean }): string =>
  page({
    title: 'Second step',
    body: html`<h1>Second step</h1>
<p>Enter the code ${isSent ? 'that we have sent you' : 'from your authenticator app'}, or one of your backup codes.</p>
${problem(wrong)}
<form method="post" action="${action}/second-factor">${hiddenFields(hidden)}
<div class="field"><label for="code">Code</label>
<input type="text" class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="40" autofocus ${wrong ? html`aria-invalid="true"` : ''}></div>
<div class="actions"><button type="submit">Continue</button></div>
</form>
${!hidden && cancel(action)}`,
  });
