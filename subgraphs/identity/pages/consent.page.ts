import { html } from '../../../kernel/messages/html.ts';
import { CHECK, page } from '../../../kernel/pages/layout.ts';

export interface ConsentParts {
  action: string;
  clientName: string;
  homepage: string | undefined;
  organizationName: string;
  email: string;
  /** Requested permissions, in words. */
  scopes: readonly string[];
  /** Host that the user is redirected to after the decision; undefined if a device requests the access (device flow). */
  destination: string | undefined;
}

export const consentPage = ({ action, clientName, homepage, organizationName, email, scopes, destination }: ConsentParts): string =>
  page({
    title: `Allow ${clientName}?`,
    body: html`<h1>Allow ${clientName} to act for you?</h1>
<p>It was registered by <strong>${organizationName}</strong>${homepage ? html` (<a href="${homepage}" rel="noreferrer">${new URL(homepage).host}</a>)` : ''} and asks to:</p>
<ul class="scopes">${scopes.map((scope) => html`<li>${CHECK}<span>${scope}</span></li>`)}</ul>
<div class="who"><span>Signed in as</span><strong>${email}</strong></div>
<form method="post" action="${action}/consent">
<div class="actions pair"><button type="submit" name="decision" value="deny" class="second">Deny</button>
<button type="submit" name="decision" value="allow">Allow</button></div>
</form>
<p class="aside">${destination ? html`You will be sent back to <strong>${destination}</strong>. ` : ''}An administrator can end this at any time.</p>`,
  });
