import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emailTo, freshEmail, mailTo, notify } from '../rest/notification.setup.ts';
import { rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { PASSWORD, userOf } from '../users.setup.ts';

describeInChromium('ticket page in a browser without JavaScript', () => {
  let tenant: Tenant;
  let browser: Browser;
  beforeAll(async () => {
    tenant = await (await rig()).organization({ plan: 'custom' });
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function opened() {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: tenant.origin });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  /** Checks the basic accessibility of the page. */
  async function expectReadable(page: Page): Promise<void> {
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
    const fields = page.locator('input:not([type=hidden]), textarea');
    for (let at = 0; at < (await fields.count()); at += 1) {
      const id = await fields.nth(at).getAttribute('id');
      expect(await page.locator(`label[for="${id}"]`).count()).toBe(1);
    }
    for (const button of await page.getByRole('button').all()) expect(await button.innerText()).not.toBe('');
  }

  const commentsOf = async ({ id }: Json): Promise<Json[]> => (await tenant.rest('GET', `/support/tickets/${id}/comments`)).body.comments;

  test('a contact can open the ticket link of an email in a browser, read the ticket and reply', async () => {
    const ticket = await openTicket(tenant, { title: 'No dial tone' });
    const email = freshEmail();
    await notify(tenant, ticket, emailTo(email));
    const link = new URL(/https?:\S+\/console\/tickets\/\S+/.exec((await mailTo(email)).text)?.[0] ?? '');
    await using window = await opened();
    const { page, complaints } = window;
    await page.goto(`${link.pathname}${link.search}`);
    expect(page.url()).toBe(`${tenant.origin}/console/tickets/${ticket.id}`);
    expect(await page.title()).toContain('No dial tone');
    await expectReadable(page);

    await page.getByLabel('Your reply').fill('Still silent,\nall of them.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByRole('listitem').getByText('Still silent').waitFor();
    expect(await page.getByLabel('Your reply').inputValue()).toBe('');
    await page.reload();
    expect((await commentsOf(ticket)).map(({ content, author }) => [content, author.email])).toEqual([
      ['Still silent,\nall of them.', email],
    ]);
    expect(complaints).toEqual([]);
  });

  test('a user who opens a ticket page in a browser can sign in, reply and sign out', async () => {
    const ticket = await openTicket(tenant);
    const user = await userOf(tenant, 'admin');
    await using window = await opened();
    const { page, complaints } = window;
    await page.goto(`/console/tickets/${ticket.id}`);
    await expectReadable(page);
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    await expectReadable(page);
    await page.getByLabel('Your reply').fill('On our way.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByRole('listitem').getByText('On our way.').waitFor();
    expect(await commentsOf(ticket)).toHaveLength(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(`/console/tickets/${ticket.id}`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
