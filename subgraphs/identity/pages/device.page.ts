import { html } from '../../../kernel/messages/html.ts';
import { page, problem } from '../../../kernel/pages/layout.ts';

export interface DeviceCodeParts {
  action: string;
  /** CSRF token, which is also stored in the user's session. A form of another site does not contain the token. */
  xsrf: string;
  userCode?: string | undefined;
  problem?: string | undefined;
}

export const deviceCodePage = ({ action, xsrf, userCode, problem: wrong }: DeviceCodeParts): string =>
  page({
    title: 'Connect a device',
    body: html`<h1>Connect a device</h1>
<p>Enter the code that your device shows.</p>
${problem(wrong)}
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="field"><label for="user_code">Code</label>
<input type="text" class="code" id="user_code" name="user_code" value="${userCode ?? ''}" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20" autofocus ${wrong ? html`aria-invalid="true"` : ''}></div>
<div class="actions"><button type="submit">Continue</button></div>
</form>`,
  });

export interface DeviceConfirmParts {
  action: string;
  xsrf: string;
  userCode: string;
  clientName: string;
}

export const deviceConfirmPage = ({ action, xsrf, userCode, clientName }: DeviceConfirmParts): string =>
  page({
    title: 'Is this your device?',
    body: html`<h1>Is this your device?</h1>
<p><strong>${clientName}</strong> asks to be connected. Continue only if the device in front of you shows this code, and you started this yourself.</p>
<strong class="usercode">${userCode}</strong>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="user_code" value="${userCode}">
<div class="actions pair"><button type="submit" name="abort" value="yes" class="second">No, cancel</button>
<button type="submit" name="confirm" value="yes">Yes, continue</button></div>
</form>`,
  });
