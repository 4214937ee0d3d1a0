import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { type Mail, MailRejected } from '../../kernel/messages/mail.ts';
import { newId } from '../../kernel/records/ids.ts';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { eventually, onRig, type Rig, rig, start } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const DELIVERIES = `query($id: ID!) { invoice(id: $id) {
  deliveredAt revision deliveries { id cause status recipient lastError attempts sentAt }
} }`;
const SEND = 'mutation ($id: ID!, $to: String) { sendInvoice(id: $id, input: { to: $to }) { id status cause recipient } }';

const stateOf = async (tenant: Tenant, id: string): Promise<Json> => (await tenant.graphql(DELIVERIES, { id })).data.invoice;
const aboutOf = (platform: Rig, number: string, to?: string): Mail[] =>
  platform.mails.filter(({ subject, to: address }) => subject.startsWith(`Invoice ${number} `) && (!to || to === address));
/** Counter from which addresses are made that no other test uses. */
let addresses = 0;
const freshAddress = () => `invoices-${++addresses}-${process.pid}@customer.example.com`;

describe('sending an invoice on request', () => {
  let platform: Rig;
  let billed: BilledTenant;
  beforeAll(async () => {
    platform = await rig();
    billed = await billedTenant();
  });
  const send = (id: string, to: string | null = null, tenant = billed.tenant) => tenant.graphql(SEND, { id, to });

  test('sendInvoice sends a mail with the PDF that the API serves, and sets the time of the delivery in the invoice', async () => {
    const { id, number } = billed.firstInvoice;
    const to = freshAddress();
    const { data } = await send(id, to);
    expect(data.sendInvoice).toMatchObject({ status: 'QUEUED', cause: 'REQUEST', recipient: to });
    const delivered = await eventually(async () => {
      const state = await stateOf(billed.tenant, id);
      return state.deliveredAt && state;
    });
    expect(delivered.deliveries[0]).toMatchObject({ status: 'SENT', attempts: 1, lastError: null, recipient: to });
    expect(delivered.revision).toBe(billed.firstInvoice.revision);
    const [mail] = aboutOf(platform, number, to);
    expect(mail).toMatchObject({
      subject: `Invoice ${number} from Test`,
      messageId: `${data.sendInvoice.id}@${new URL(platform.origin).hostname}`,
    });
    const response = await fetch(`${platform.origin}/v1/billing/invoices/${id}/pdf`, { headers: billed.tenant.credentials });
    const [file] = mail?.attachments ?? [];
    expect([file?.filename, file?.contentType]).toEqual([`${number}.pdf`, 'application/pdf']);
    expect(file?.content.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  test('if the request has no e-mail address, an invoice is sent to the billing contact of its account or, if there is none, to the address of the account', async () => {
    const contact = freshAddress();
    const { id } = await createInvoice(billed);
    expect((await send(id)).data.sendInvoice.recipient).toBe('it@acme.example.com');
    await billed.tenant.rest('PUT', `/accounts/${billed.accountId}`, { body: { billing_contact: { name: 'Ada', email: contact } } });
    expect((await send(id)).data.sendInvoice.recipient).toBe(contact);
    const mail = await eventually(() => platform.mails.find(({ to }) => to === contact));
    expect([mail.toName, mail.text.startsWith('Hello Ada,')]).toEqual(['Ada', true]);
  });

  test('ten concurrent requests to send an invoice to one address send one mail', async () => {
    const to = freshAddress();
    const { id, number } = await createInvoice(billed);
    platform.mailFailures.set(to, [new Error('Busy')]);
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(id, to)));
    expect(new Set(responses.map(({ data }) => data.sendInvoice.id)).size).toBe(1);
    await eventually(async () => (await stateOf(billed.tenant, id)).deliveries[0].attempts > 0);
    await platform.advance(60_000);
    await eventually(async () => (await stateOf(billed.tenant, id)).deliveredAt);
    expect(aboutOf(platform, number, to)).toHaveLength(1);
  });

  test('the lines of a delivered invoice cannot be changed, but its notes and its due date can', async () => {
    const { id } = await createInvoice(billed);
    const lines = { services: [{ service_id: billed.serviceId, quantity: 1, unit_price: 5 }] };
    expect((await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: lines })).status).toBe(200);
    await send(id, freshAddress());
    await eventually(async () => (await stateOf(billed.tenant, id)).deliveredAt);
    const refused = await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: lines });
    expect([refused.status, refused.body.error.code, refused.body.error.details.reason]).toEqual([409, 'INVALID_STATE', 'delivered']);
    expect((await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: { notes: 'Thanks' } })).status).toBe(200);
  });

  test('the lines of an invoice cannot be changed while a mail with it is being sent, and can be changed again after the mail was refused', async () => {
    const to = freshAddress();
    const { id } = await createInvoice(billed);
    platform.mailFailures.set(to, [new Error('Busy'), new MailRejected('550 No such mailbox')]);
    await send(id, to);
    await eventually(async () => (await stateOf(billed.tenant, id)).deliveries[0].lastError);
    const lines = { services: [{ service_id: billed.serviceId, quantity: 1, unit_price: 5 }] };
    expect((await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: lines })).status).toBe(409);
    await platform.advance(60_000);
    const state = await eventually(async () => {
      const now = await stateOf(billed.tenant, id);
      return now.deliveries[0].status === 'FAILED' && now;
    });
    expect(state).toMatchObject({ deliveredAt: null, deliveries: [{ attempts: 2, lastError: expect.stringContaining('550') }] });
    const events = await eventually(async () => {
      const { data } = await billed.tenant.graphql(
        'query($id: ID!) { events(filter: { event: ["invoice.delivery_failed"], subjectId: [$id] }) { nodes { payload } } }',
        { id },
      );
      return data.events.nodes.length > 0 && data.events.nodes;
    });
    expect(events.map(({ payload }: Json) => JSON.parse(payload).data)).toMatchObject([
      { invoice: { id }, delivery: { recipient: to, attempts: 2, reason: expect.stringContaining('550') } },
    ]);
    expect((await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: lines })).status).toBe(200);
  });

  test('an invoice of an account without an e-mail address can be sent only if the request has an address', async () => {
    const own = await billedTenant();
    const { body } = await own.tenant.rest('GET', '/accounts?own=true');
    const { id: ownAccount } = body.data[0];
    await (await rows()).query('update "billing"."invoice" set "account_id" = $2 where "id" = $1', [own.firstInvoice.id, ownAccount]);
    const { errors } = await send(own.firstInvoice.id, null, own.tenant);
    expect(errors?.[0]?.extensions.details.errors).toEqual([
      { field: 'to', value: null, reason: 'is required, because the account has no e-mail address' },
    ]);
    expect((await send(own.firstInvoice.id, freshAddress(), own.tenant)).errors).toBeUndefined();
  });

  test('sendInvoice refuses invalid addresses, callers without billing:write, and invoices of other organizations', async () => {
    const { id } = billed.firstInvoice;
    const codeOf = async (to: string | null, tenant = billed.tenant, of = id) => (await send(of, to, tenant)).errors?.[0]?.extensions.code;
    for (const to of ['nobody', 'a@b', 'a@example.com, b@example.com', 'a@example.com\nBcc: b@example.com'])
      expect(await codeOf(to)).toBe('INVALID_PARAMETERS');
    expect(await codeOf(freshAddress(), await billed.tenant.limitedTo('billing:read'))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(freshAddress(), await platform.organization())).toBe('RESOURCE_NOT_FOUND');
    const { id: other } = await createAccount(billed.tenant, 'Other');
    const { body } = await billed.tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'P', permissions: ['billing:*'], accounts: [other] },
    });
    const limited = Object.assign(Object.create(billed.tenant), { apiKey: body.api_key.key });
    expect(await codeOf(freshAddress(), limited)).toBe('RESOURCE_NOT_FOUND');
  });

  test('a platform without a mail server does not send new invoices automatically', async () => {
    const { id } = await createInvoice(billed);
    await platform.advance(HOUR_MS + 1000);
    const later = await createInvoice(billed);
    await eventually(
      async () =>
        (await billed.tenant.graphql('query($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { id } } }', { id: later.id })).data
          .events.nodes.length > 0,
    );
    expect((await stateOf(billed.tenant, id)).deliveries).toEqual([]);
  });
});

describe('delivering new invoices', () => {
  let platform: Rig;
  beforeAll(async () => {
    platform = await start({ SMTP_URL: 'smtp://127.0.0.1:9' });
  }, 60_000);
  afterAll(() => platform.close());

  test('an invoice that the platform created is sent immediately, and only once even if its event arrives again', async () => {
    await onRig(platform, async () => {
      const { tenant, firstInvoice } = await billedTenant();
      const state = await eventually(async () => {
        const now = await stateOf(tenant, firstInvoice.id);
        return now.deliveredAt && now;
      });
      expect(state.deliveries).toMatchObject([{ cause: 'ISSUE', status: 'SENT', recipient: 'it@acme.example.com' }]);
      const { reactions = [] } = platform.assembly.domains.billing;
      const { handle } = reactions.find(({ name }) => name === 'billing.deliver-generated') ?? {};
      const again = { organizationId: tenant.organizationId, subject: { type: 'Invoice', id: firstInvoice.id } };
      // the same event twice, and another event about the same invoice
      const events = [newId('event'), newId('event')].flatMap((id) => [id, id]);
      await Promise.all(events.map((id) => handle?.({ ...again, id } as LoggedEvent)));
      expect((await stateOf(tenant, firstInvoice.id)).deliveries).toHaveLength(1);
      expect(aboutOf(platform, firstInvoice.number)).toHaveLength(1);
    });
  });

  test('an invoice that a request created is delivered an hour later, and is not delivered if it is cancelled before', async () => {
    await onRig(platform, async () => {
      const billed = await billedTenant();
      const [wrong, right] = [await createInvoice(billed), await createInvoice(billed)];
      await eventually(async () => (await stateOf(billed.tenant, right.id)).deliveries.length === 1);
      await eventually(async () => (await stateOf(billed.tenant, wrong.id)).deliveries.length === 1);
      const lines = { services: [{ service_id: billed.serviceId, quantity: 1, unit_price: 5 }] };
      expect((await billed.tenant.rest('PUT', `/billing/invoices/${right.id}`, { body: lines })).status).toBe(200);
      await billed.tenant.rest('PUT', `/billing/invoices/${wrong.id}`, { body: { status: 'cancelled' } });
      expect((await stateOf(billed.tenant, right.id)).deliveredAt).toBeNull();
      await platform.advance(HOUR_MS + 1000);
      await eventually(async () => (await stateOf(billed.tenant, right.id)).deliveredAt);
      const dropped = await eventually(async () => {
        const { deliveries, deliveredAt } = await stateOf(billed.tenant, wrong.id);
        return deliveries[0].status === 'DROPPED' && { deliveredAt };
      });
      expect(dropped.deliveredAt).toBeNull();
      expect(aboutOf(platform, wrong.number)).toEqual([]);
    });
  });

  test('an invoice of a customer without an e-mail address is not sent, and its delivery contains the reason', async () => {
    await onRig(platform, async () => {
      const tenant = await platform.organization({ plan: 'custom' });
      const { body } = await tenant.rest('GET', '/accounts?own=true');
      const { firstInvoice } = await orderService(tenant, body.data[0].id);
      const failed = await eventually(async () => {
        const { deliveries, deliveredAt } = await stateOf(tenant, firstInvoice.id);
        return deliveries[0]?.status === 'FAILED' && { ...deliveries[0], deliveredAt };
      });
      expect(failed).toMatchObject({ recipient: null, lastError: 'The account has no e-mail address.', deliveredAt: null });
    });
  });

  test('the mails of a suspended organization wait until it is resumed', async () => {
    await onRig(platform, async () => {
      const [waiting, other] = [await billedTenant(), await billedTenant()];
      // other numbers than those of the other invoices in this file
      const numbered = async (billed: BilledTenant, count: number): Promise<Json> => {
        for (let made = 1; made < count; made++) await createInvoice(billed);
        return createInvoice(billed);
      };
      const [held, sent] = [await numbered(waiting, 5), await numbered(other, 1)];
      for (const [{ tenant }, { id }] of [
        [waiting, held],
        [other, sent],
      ] as const)
        await eventually(async () => (await stateOf(tenant, id)).deliveries.length === 1);
      const admin = await operator();
      const path = `/operator/organizations/${waiting.tenant.organizationId}`;
      expect((await admin.rest('POST', `${path}/suspend`, { body: {} })).status).toBe(200);
      await platform.advance(HOUR_MS + 1000);
      await eventually(async () => (await stateOf(other.tenant, sent.id)).deliveredAt);
      expect(aboutOf(platform, held.number)).toHaveLength(0);
      expect((await admin.rest('POST', `${path}/resume`, { body: {} })).status).toBe(200);
      await platform.advance(61_000);
      await eventually(async () => (await stateOf(waiting.tenant, held.id)).deliveredAt);
    });
  });
});
