import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import type { Tenant } from '../tenant.ts';

describeInChromium('GraphiQL in a browser', () => {
  let tenant: Tenant;
  let browser: Browser;
  beforeAll(async () => {
    tenant = await (await rig()).organization();
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const stored = (page: Page): Promise<string> => page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  const editor = (page: Page, file: string) => page.locator(`.monaco-editor[data-uri$="${file}"]`);

  async function write(page: Page, file: string, text: string): Promise<void> {
    await editor(page, file).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
    // delete the closing brackets that the editor inserts automatically
    await page.keyboard.press('ControlOrMeta+Shift+End');
    await page.keyboard.press('Delete');
  }

  test('GraphiQL opens without an error, and its four example operations return data after a key is entered', async () => {
    const context = await browser.newContext({ baseURL: tenant.origin });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('response', (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
    await page.goto('/graphql');
    await editor(page, 'operation.graphql').waitFor();
    expect(await page.locator('.graphiql-tab').allInnerTexts()).toEqual(['FirstAccount', 'OpenTicket', 'OpenTickets', 'TicketUpdates']);
    const result = page.locator('.result-window');
    const runTab = async (name: string): Promise<void> => {
      await page.locator('.graphiql-tab', { hasText: name }).first().click();
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await write(page, 'headers.json', JSON.stringify({ Authorization: `Bearer ${tenant.apiKey}` }));
      await editor(page, 'operation.graphql').click();
      await page.keyboard.press('ControlOrMeta+Enter');
    };
    // the editor separates words by non-breaking spaces
    const shows = (text: string): Promise<unknown> =>
      eventually(async () => (await result.innerText()).replaceAll('\u00a0', ' ').includes(text));
    await runTab('FirstAccount');
    await shows('customerId');
    await runTab('OpenTicket');
    await shows('responseDue');
    await runTab('OpenTickets');
    await shows('No connection');
    await runTab('TicketUpdates');
    await page.getByRole('button', { name: /stop/i }).waitFor();
    await eventually(async () => {
      await tenant.rest('POST', '/support/tickets', { body: { title: 'No sound', description: 'Calls are silent.' } });
      return (await result.innerText()).includes('ticket.created');
    });
    expect(errors).toEqual([]);
    await context.close();
  });

  test('GraphiQL never stores an API key, and deletes a key that an earlier version stored', async () => {
    const context = await browser.newContext({ baseURL: tenant.origin });
    const page = await context.newPage();
    const old = JSON.stringify({ queries: [{ query: '{ a }', headers: '{"Authorization":"Bearer sk_live_old"}' }] });
    await page.goto('/graphql');
    await page.evaluate(
      `localStorage.setItem('graphiql:queries', ${JSON.stringify(old)}); localStorage.setItem('graphiql:headers', 'sk_live_old')`,
    );
    await page.reload();
    expect(await stored(page)).not.toContain('sk_live_old');

    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await write(page, 'headers.json', JSON.stringify({ Authorization: `Bearer ${tenant.apiKey}` }));
    await write(page, 'operation.graphql', '{ callerIdentity { organizationId } }');
    // GraphiQL removes the name of the previous operation shortly after the change
    await page.getByText('<untitled>').waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(async () => (await page.locator('.result-window').innerText()).includes(tenant.organizationId));
    // the history in the storage contains the query, which shows that GraphiQL stores data
    await eventually(async () => (await stored(page)).includes('callerIdentity'));
    expect(await stored(page)).not.toContain(tenant.apiKey);

    await page.reload();
    await editor(page, 'operation.graphql').waitFor();
    expect(await stored(page)).not.toContain(tenant.apiKey);
    expect(await page.content()).not.toContain(tenant.apiKey);
    await page.getByRole('button', { name: /settings/i }).click();
    expect(await page.getByText('Persist headers').count()).toBe(0);
    await context.close();
  });
});
