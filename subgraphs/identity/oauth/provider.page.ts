import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { html } from '../../../kernel/messages/html.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { pageHeaders } from '../../../kernel/pages/page-headers.ts';
import { deviceCodePage, deviceConfirmPage } from '../pages/device.page.ts';
import { logoutPage } from '../pages/logout.page.ts';
import { paths } from './paths.ts';

/** Responds with a page and the security headers of the platform's pages. */
function show(ctx: KoaContextWithOIDC, text: string): void {
  ctx.set(pageHeaders());
  ctx.body = text;
}

const xsrfOf = (ctx: KoaContextWithOIDC): string =>
  String((ctx.oidc.session as { state?: { secret?: string } } | undefined)?.state?.secret ?? '');

/** Titles and texts of error pages, by the provider's error code. Other errors get a general text. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  invalid_client: ['This application is not known', 'It may have been removed or switched off. Ask the person who gave you the link.'],
  invalid_redirect_uri: [
    'This application may not redirect you there',
    'The address to return to is not registered for the application. Tell the people who run it.',
  ],
  server_error: ['An internal error occurred', 'Try again in a moment.'],
};
const EXPIRED: readonly [string, string] = ['This page has expired', 'Go back to the application and start again.'];

export async function errorPage(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): Promise<void> {
  const isExpired = error.name === 'SessionNotFound';
  const [title, text] = isExpired
    ? EXPIRED
    : (TEXTS[out.error] ?? [
        'This request is not valid',
        'The application sent a request that the platform does not accept. Tell the people who run it.',
      ]);
  const detail = isExpired || out.error === 'server_error' ? '' : ` · ${out.error_description ?? ''}`;
  show(ctx, messagePage({ title, text, reference: `${out.error}${detail} · ${ctx.response.get('x-request-id')}` }));
}

/**
 * Replaces the provider's 500 response after a temporary failure by a 503 response. If the provider redirects to the
 * application instead, the redirect stays unchanged.
 */
export async function unavailableResponse(ctx: KoaContextWithOIDC, { message, status, details }: PlatformError): Promise<void> {
  if (ctx.status < 500) return;
  const isJson = typeof ctx.body === 'object';
  ctx.status = status;
  ctx.set('retry-after', String(details.retry_after));
  if (isJson) ctx.body = { error: 'temporarily_unavailable', error_description: message };
  else show(ctx, messagePage({ title: 'Try again in a moment', text: message, reference: ctx.response.get('x-request-id') }));
}

/**
 * Shows the form for the code of a device. If the user entered a wrong code, the form shows the problem. If the session
 * cookie has expired, the user is redirected to an empty form.
 */
export async function inputPage(
  ctx: KoaContextWithOIDC,
  _form: string,
  out?: ErrorOut,
  error?: Error & { userCode?: string },
): Promise<void> {
  const { session } = ctx.oidc;
  if (out && session && !session.exp) {
    // otherwise the provider would save a session that was never stored, and fail
    Object.assign(session, { touched: false });
    ctx.status = 303;
    ctx.redirect(paths.device);
    return;
  }
  const problem = out && problemOf(out, error);
  show(ctx, deviceCodePage({ action: paths.device, xsrf: xsrfOf(ctx), userCode: error?.userCode, problem }));
}

/**
 * Shows the form for the code of a device, filled in with the code from the link. The page replaces the provider's page,
 * which would submit its form by a script.
 */
export function prefilledPage(ctx: KoaContextWithOIDC): void {
  show(ctx, deviceCodePage({ action: paths.device, xsrf: xsrfOf(ctx), userCode: String(ctx.oidc.params?.user_code ?? '') }));
}

function problemOf({ error }: ErrorOut, thrown: Error | undefined): string {
  if (thrown?.name === 'AbortedError' || error === 'access_denied') return 'The device was not connected.';
  if (thrown?.name === 'NoCodeError') return 'Enter the code that your device shows.';
  if (error === 'server_error') return 'An internal error occurred. Try again in a moment.';
  return 'This code is not valid: it is mistyped, already used or expired. Check the code on the device.';
}

export async function confirmPage(
  ctx: KoaContextWithOIDC,
  _form: string,
  client: Client,
  _device: unknown,
  userCode: string,
): Promise<void> {
  show(ctx, deviceConfirmPage({ action: paths.device, xsrf: xsrfOf(ctx), userCode, clientName: client.clientName ?? client.clientId }));
}

export async function connectedPage(ctx: KoaContextWithOIDC): Promise<void> {
  const name = ctx.oidc.client?.clientName ?? 'The device';
  show(ctx, messagePage({ title: 'Your device is connected', text: `${name} continues automatically. You can close this page.` }));
}

export async function logoutQuestion(ctx: KoaContextWithOIDC): Promise<void> {
  show(ctx, logoutPage({ action: `${paths.logout}/confirm`, xsrf: xsrfOf(ctx) }));
}

export async function loggedOutPage(ctx: KoaContextWithOIDC): Promise<void> {
  const more = html`<p class="aside">You can close this page.</p>`;
  show(ctx, messagePage({ title: 'You are signed out', text: 'Applications that need you to sign in will ask you again.', more }));
}
