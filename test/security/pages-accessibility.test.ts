import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeUrl, form, registered, type TestClient } from '../oauth.setup.ts';
import { emailTo, freshEmail, mailTo, notify } from '../rest/notification.setup.ts';
import { rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';
import { enrolled } from './mfa.setup.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The result of an axe run: violations with rule, impact and elements, and the checks that passed. */
type Found = { violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]; passes: object[] };

/** Color schemes to test. In dark colors only color contrast is checked, because no other rule depends on colors. */
const RUNS = [
  ['light', {}, 10],
  ['dark', { runOnly: ['color-contrast'] }, 0],
] as const;

async function expectAccessible(page: Page, title: RegExp): Promise<void> {
  expect(await page.title()).toMatch(title);
  await page.evaluate(AXE);
  for (const [colorScheme, options, morePassesThan] of RUNS) {
    await page.emulateMedia({ colorScheme });
    // wait for the transitions that change colors
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
    const wanted = JSON.stringify({ ...options, resultTypes: ['violations'] });
    const { violations, passes } = (await page.evaluate(`axe.run(document, ${wanted})`)) as Found;
    expect(passes.length).toBeGreaterThan(morePassesThan);
    const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const descriptions = bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`)}`);
    expect(descriptions, `${page.url()} (${title}) in ${colorScheme} colors`).toEqual([]);
  }
}

describeInChromium('accessibility in light and dark colors', () => {
  let tenant: Tenant;
  let client: TestClient;
  let browser: Browser;
  beforeAll(async () => {
    tenant = await (await rig()).organization({ plan: 'custom' });
    client = await registered(tenant);
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page without its content security policy, which would block the axe script. */
  async function opened() {
    const context = await browser.newContext({ baseURL: tenant.origin, bypassCSP: true });
    return { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
  }
  async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('the OAuth sign-in, second-step, consent and sign-out pages have no serious accessibility violations', async () => {
    const { user, backupCodes } = await enrolled(tenant);
    await using window = await opened();
    const { page } = window;
    await page.goto(authorizeUrl(tenant.origin, { client, scope: 'services.read support.read' }));
    await expectAccessible(page, /^Sign in/);
    await signIn(page, user.email, 'not the password');
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, /^Sign in/);
    await signIn(page, user.email);
    await page.getByLabel(/code/i).first().waitFor();
    await expectAccessible(page, /./);
    await page
      .getByLabel(/code/i)
      .first()
      .fill(backupCodes[0] ?? '');
    await page.locator('button[type=submit]').first().click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await expectAccessible(page, /Allow|Test app/);
    await page.goto('/oauth/logout');
    await expectAccessible(page, /^Sign out/);
  });

  test('the device and password pages have no serious accessibility violations', async () => {
    const user = await userOf(tenant, 'member');
    await using window = await opened();
    const { page } = window;
    const device = (await form(tenant.origin, '/oauth/device_authorization', { client_id: client.id, scope: 'services.read' })).body;
    await page.goto(device.verification_uri);
    await expectAccessible(page, /./);
    await page.goto(device.verification_uri_complete);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Yes, continue' }).waitFor();
    await expectAccessible(page, /./);

    await page.goto('/password/forgot');
    await expectAccessible(page, /./);
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
    await expectAccessible(page, /./);
    await page.goto(`/password?token=${await tokenMailedTo(user.email, /new password/)}`);
    await page.getByLabel('New password').waitFor();
    await expectAccessible(page, /./);
    await page.getByLabel('New password').fill('a new long passphrase');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByRole('heading', { name: 'Your password is saved' }).waitFor();
    await expectAccessible(page, /./);
  });

  /** Creates a ticket with a comment. Returns the ticket and the link from a notification email about it. */
  async function conversation(): Promise<{ ticket: Json; link: URL }> {
    const ticket = await openTicket(tenant, { title: 'No dial tone' });
    const email = freshEmail();
    await notify(tenant, ticket, emailTo(email));
    await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body: { content: 'We are looking into it.' } });
    return { ticket, link: new URL(/https?:\S+\/console\/tickets\/\S+/.exec((await mailTo(email)).text)?.[0] ?? '') };
  }

  test('the ticket page and its sign-in and sign-out pages have no serious accessibility violations', async () => {
    const { ticket, link } = await conversation();
    await using contact = await opened();
    await contact.page.goto(`${link.pathname}${link.search}`);
    await contact.page.getByLabel('Your reply').fill('Still silent.');
    await contact.page.getByRole('button', { name: 'Send reply' }).click();
    await contact.page.getByRole('listitem').getByText('Still silent').waitFor();
    await expectAccessible(contact.page, /No dial tone/);

    const user = await userOf(tenant, 'admin');
    await using window = await opened();
    const { page } = window;
    await page.goto(`/console/tickets/${ticket.id}`);
    await expectAccessible(page, /^Sign in/);
    await signIn(page, user.email);
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    await expectAccessible(page, /No dial tone/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await expectAccessible(page, /./);
  });

  test.each(['light', 'dark'] as const)('the API reference has no serious accessibility violations in %s colors', async (colorScheme) => {
    await using window = await opened();
    await window.page.emulateMedia({ colorScheme });
    await window.page.goto('/docs/');
    await window.page.getByRole('button', { name: 'Copy' }).first().waitFor({ state: 'attached' });
    await expectAccessible(window.page, /API reference/);
  });

  test.each([['/console/sign-in/single-sign-on'], ['/console/sign-in/done']])(
    'the page %s has no serious accessibility violations',
    async (path) => {
      await using window = await opened();
      await window.page.goto(path);
      await expectAccessible(window.page, /ign/);
    },
  );

  test.each([['/docs/guide'], ['/docs/guide/webhooks'], ['/docs/guide/graphql'], ['/docs/guide/events']])(
    'the guide page %s has no serious accessibility violations',
    async (path) => {
      await using window = await opened();
      await window.page.goto(path);
      await expectAccessible(window.page, /./);
    },
  );

  test.each([
    ['an unknown path', '/nowhere'],
    ['an invalid ticket link', '/console/tickets/tkt_none?token=forged'],
    ['an invalid password link', '/password?token=forged'],
    ['an unregistered application', '/oauth/authorize?client_id=none'],
    ['an unknown single sign-on connection', '/saml/sso?connection=saml_none'],
  ])('the error page for %s has no serious accessibility violations', async (_, path) => {
    await using window = await opened();
    await window.page.goto(path);
    await expectAccessible(window.page, /./);
  });
});
