import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { html } from '../../../kernel/messages/html.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { pageHeaders } from '../../../kernel/pages/page-headers.ts';
import { deviceCodePage, deviceConfirmPage } from '../pages/device.page.ts';
import { logoutPage } from '../pages/logout.page.ts';
import { paths } from './paths.ts';

/** The pages that the library asks for, in the product's look. */
function show(ctx: KoaContextWithOIDC, text: string): void {
  ctx.set(pageHeaders());
  ctx.body = text;
}

const xsrfOf = (ctx: KoaContextWithOIDC): string =>
  String((ctx.oidc.session as { state?: { secret?: string } } | undefined)?.state?.secret ?? '');

/** By the error that the library reports; others are told in its own words. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  invalid_client: ['This application is not known', 'It may have been removed or switched off. Ask whoever gave you the link.'],
  invalid_redirect_uri: [
    'This application may not send you there',
    'The address that you would be sent back to is not one that it registered.',
  ],
  server_error: ['Something failed on our side', 'Try again in a moment.'],
};
const EXPIRED: readonly [string, string] = ['This took too long', 'Go back to the application and start again.'];

export async function errorPage(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): Promise<void> {
  const isExpired = error.name === 'SessionNotFound';
  const [title, text] = isExpired
    ? EXPIRED
    : (TEXTS[out.error] ?? [
        'This request cannot be answered',
        'The application asked for something in a way that does not work. Tell whoever runs it.',
      ]);
  const detail = isExpired || out.error === 'server_error' ? '' : ` · ${out.error_description ?? ''}`;
  show(ctx, messagePage({ title, text, reference: `${out.error}${detail} · ${ctx.response.get('x-request-id')}` }));
}

/** 503 for a failure that passes by itself; a redirect back to the application stays one. */
export async function unavailableResponse(ctx: KoaContextWithOIDC, { message, status, details }: PlatformError): Promise<void> {
  if (ctx.status < 500) return;
  const isJson = typeof ctx.body === 'object';
  ctx.status = status;
  ctx.set('retry-after', String(details.retry_after));
  if (isJson) ctx.body = { error: 'temporarily_unavailable', error_description: message };
  else show(ctx, messagePage({ title: 'Try again in a moment', text: message, reference: ctx.response.get('x-request-id') }));
}

/** Of a device's code, and what is said of one that was sent. Who sent it without a session, whose cookie ran out, begins anew. */
export async function inputPage(
  ctx: KoaContextWithOIDC,
  _form: string,
  out?: ErrorOut,
  error?: Error & { userCode?: string },
): Promise<void> {
  const { session } = ctx.oidc;
  if (out && session && !session.exp) {
    // the library would store what was never stored, and fail
    Object.assign(session, { touched: false });
    ctx.status = 303;
    ctx.redirect(paths.device);
    return;
  }
  const problem = out && problemOf(out, error);
  show(ctx, deviceCodePage({ action: paths.device, xsrf: xsrfOf(ctx), userCode: error?.userCode, problem }));
}

/** A link with the code in it: the library would send its own form by script. */
export function prefilledPage(ctx: KoaContextWithOIDC): void {
  show(ctx, deviceCodePage({ action: paths.device, xsrf: xsrfOf(ctx), userCode: String(ctx.oidc.params?.user_code ?? '') }));
}

function problemOf({ error }: ErrorOut, thrown: Error | undefined): string {
  if (thrown?.name === 'AbortedError' || error === 'access_denied') return 'The device was not connected.';
  if (thrown?.name === 'NoCodeError') return 'Enter the code that your device shows.';
  if (error === 'server_error') return 'Something failed on our side. Try again in a moment.';
  return 'This code does not work: it is mistyped, used or too old. Look at the device again.';
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
  show(ctx, messagePage({ title: 'Your device is connected', text: `${name} goes on by itself. You can close this page.` }));
}

export async function logoutQuestion(ctx: KoaContextWithOIDC): Promise<void> {
  show(ctx, logoutPage({ action: `${paths.logout}/confirm`, xsrf: xsrfOf(ctx) }));
}

export async function loggedOutPage(ctx: KoaContextWithOIDC): Promise<void> {
  const more = html`<p class="aside">You can close this page.</p>`;
  show(ctx, messagePage({ title: 'You are signed out', text: 'Applications ask you to sign in again when they need you here.', more }));
}
