import { beforeAll, describe, expect, test } from 'vitest';
import { MailRejected } from '../../kernel/messages/mail.ts';
import { createAlert, measured } from '../alerts.setup.ts';
import { type BilledTenant, billedTenant, createInvoice } from '../billing.setup.ts';
import { lineItem, provisionInBulk } from '../bulk.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { withSlack } from '../integrations/integrations.setup.ts';
import { operator } from '../operator.setup.ts';
import { emailTo, freshEmail, notify } from '../rest/notification.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { minutesPass, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { deviationsFrom, newAjv } from '../support/json-schema.ts';
import { slackServer } from '../support/slack.server.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { receiver, respondWith } from './receiver.ts';

/** The event types of specification section 6. */
const SPECIFIED = [
  ...['service.provisioned', 'service.modified', 'service.down', 'service.restored', 'service.performance_alert'],
  ...['service.maintenance_scheduled', 'service.decommissioned', 'service.status_changed'],
  ...['invoice.created', 'invoice.generated', 'invoice.paid', 'invoice.overdue', 'payment.successful', 'payment.received'],
  ...['payment.failed', 'subscription.created', 'subscription.cancelled', 'usage.threshold'],
  ...['ticket.created', 'ticket.updated', 'ticket.resolved', 'ticket.escalated', 'comment.added', 'sla.breach'],
];

/** Internal event types, which only domains receive. */
const INTERNAL = [
  ...['usage.recorded', 'overage.recorded', 'services.measured'],
  ...['alert.ticket_requested', 'alert.ticket_ended', 'ticket.opened_for_alert'],
];

let platform: Rig;
let tenant: Tenant;
let eventTypes: Map<string, Json>;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
  const { body } = await tenant.rest('GET', '/webhooks/events');
  eventTypes = new Map(body.data.map((type: Json) => [type.name, type]));
});

/** The newest event of this name in the organization's log. */
const logged = (name: string, by = tenant): Promise<Json> =>
  eventually(async () => {
    const { data } = await by.graphql('query($name: String!) { events(filter: { event: [$name] }) { nodes { payload } } }', { name });
    return data.events.nodes[0] && JSON.parse(data.events.nodes[0].payload);
  });

/** The time of the platform in a number of hours. */
const inHours = (hours: number): string => new Date(platform.clock.now().getTime() + hours * 3_600_000).toISOString();

/** Plans a maintenance that starts in an hour and ends in two, and runs `act` with its path. Returns the tenant. */
async function maintenanceThat(act: (path: string, by: Tenant) => Promise<unknown> = async () => undefined): Promise<Tenant> {
  const { tenant: by, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', by, accountId);
  const body = { service_id: id, start: inHours(1), end: inHours(2), impact: 'down', description: 'New switch' };
  const { data } = (await by.rest('POST', '/monitoring/maintenance', { body })).body;
  await act(`/monitoring/maintenance/${data.id}`, by);
  return by;
}

async function ticketThatGets(change: object): Promise<void> {
  const { body } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since 9:30.' } });
  expect((await tenant.rest('PUT', `/support/tickets/${body.ticket.id}`, { body: change })).status).toBe(200);
}

async function commented(comment: object): Promise<void> {
  const { body } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since 9:30.' } });
  const response = await tenant.rest('POST', `/support/tickets/${body.ticket.id}/comments`, { body: { content: 'On it.', ...comment } });
  expect(response.status).toBe(201);
}

/** Creates a critical ticket, whose response is due within 15 minutes, and advances the clock. */
async function urgentTicketAfter(minutes: number): Promise<void> {
  const body = { title: 'Line is down', description: 'Since 9:30.', priority: 'critical' };
  expect((await tenant.rest('POST', '/support/tickets', { body })).status).toBe(201);
  await platform.advance(minutes * 60_000);
}

let billed: Promise<BilledTenant> | undefined;
const ordering = (): Promise<BilledTenant> => {
  billed ??= billedTenant();
  return billed;
};

/** Pays a new invoice with a token of the test processor, and returns the newest event of this name. */
async function paid(name: string, token: string): Promise<Json> {
  const of = await ordering();
  const { id, amount } = await createInvoice(of);
  await of.tenant.rest('POST', '/billing/payments', { body: { invoice_id: id, amount, payment_method: { card_token: token } } });
  return logged(name, of.tenant);
}

/** Pays a new invoice, and advances the clock until the dispute of the payment has had each of these statuses. */
async function disputed(token: string, ...statuses: readonly string[]): Promise<void> {
  const of = await ordering();
  const { id, amount } = await createInvoice(of);
  const body = { invoice_id: id, amount, payment_method: { card_token: token } };
  const { payment_id } = (await of.tenant.rest('POST', '/billing/payments', { body })).body.data;
  for (const status of statuses) {
    await platform.advance(31_000);
    await eventually(async () => (await of.tenant.rest('GET', `/billing/payments/${payment_id}`)).body.data.disputes[0]?.status === status);
  }
}

/** Creates a subscription that takes over a service in a week. */
async function subscribed(): Promise<{ tenant: Tenant; id: string }> {
  const { tenant: by, accountId, serviceId } = await billedTenant();
  const start_date = new Date(platform.clock.now().getTime() + 7 * 24 * 3600 * 1000);
  const body = { account_id: accountId, services: [{ service_id: serviceId }], start_date };
  return { tenant: by, id: (await by.rest('POST', '/billing/recurring', { body })).body.data.subscription_id };
}

/** Creates a tenant and starts a bulk that provisions one service. */
async function bulkTenant(): Promise<Tenant> {
  const { tenant } = await tenantWithAccount();
  await provisionInBulk(tenant, [lineItem()]);
  return tenant;
}

/**
 * Creates a tenant with a service and advances the clock by `minutes`. The name of the service contains `word`, such as
 * `SIM-DOWN`, which selects a fault of the simulated network.
 */
async function faulty(word: string, minutes: number): Promise<{ tenant: Tenant; id: string }> {
  const { tenant: by, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', by, accountId, { name: `Branch ${word}` });
  await minutesPass(minutes, by, id);
  return { tenant: by, id };
}
const faultyTenant = async (word: string, minutes: number): Promise<Tenant> => (await faulty(word, minutes)).tenant;

async function webhookOf(url: string): Promise<Json> {
  return (await tenant.rest('POST', '/webhooks', { body: { url, events: ['ticket.created'] } })).body.data;
}

/** An operation that costs more than half of the developer plan's burst limit. */
const HALF = `mutation { ${Array.from({ length: 20 }, (_, n) => `d${n}: deleteAccount(id: "acc_none") { id }`).join(' ')} }`;

/** Functions by event type. Each function causes the event by API calls and returns the body of the event. */
const scenarios: Readonly<Record<string, (name: string) => Promise<Json>>> = {
  async 'ticket.created'(name) {
    await ticketThatGets({});
    return logged(name);
  },
  async 'ticket.updated'(name) {
    await ticketThatGets({ customer_update: 'We are on it.', metadata: { case: 7 } });
    return logged(name);
  },
  async 'ticket.resolved'(name) {
    await ticketThatGets({ status: 'resolved' });
    return logged(name);
  },
  async 'ticket.escalated'(name) {
    await ticketThatGets({ priority: 'critical' });
    return logged(name);
  },
  async 'comment.added'(name) {
    await commented({ attachments: [{ filename: 'log.txt', content_type: 'text/plain', data: 'YQo=' }] });
    return logged(name);
  },
  async 'ticket.note_added'(name) {
    await commented({ visibility: 'internal' });
    return logged(name);
  },
  async 'catalog.changed'(name) {
    const owner = await operator();
    await owner.graphql('mutation { updateCatalogCategory(name: "ai", input: {}) { name } }');
    return logged(name, owner);
  },
  async 'ticket.links_revoked'(name) {
    const ticket = await openTicket(tenant);
    const email = freshEmail();
    await notify(tenant, ticket, emailTo(email));
    await tenant.graphql('mutation ($id: ID!) { revokeTicketLinks(ticketId: $id) { id } }', { id: ticket.id });
    return logged(name);
  },
  async 'sla.at_risk'(name) {
    await urgentTicketAfter(12);
    return logged(name);
  },
  async 'sla.breach'(name) {
    await urgentTicketAfter(16);
    return logged(name);
  },
  'service.provisioned': async (name) => logged(name, (await ordering()).tenant),
  'service.status_changed': async (name) => logged(name, (await ordering()).tenant),
  async 'service.modified'(name) {
    const { tenant, accountId } = await tenantWithAccount();
    const { id } = await serviceThatIs('operational', tenant, accountId);
    await tenant.rest('PUT', `/services/${id}`, { body: { bandwidth: '2gbps' } });
    return logged(name, tenant);
  },
  async 'service.maintenance_scheduled'(name) {
    const { tenant, accountId } = await tenantWithAccount();
    const { id } = await serviceThatIs('operational', tenant, accountId);
    const start = new Date((await rig()).clock.now().getTime() + 3_600_000).toISOString();
    const body = { scaling_action: 'scale_up', new_bandwidth: '2gbps', maintenance_window: { start, duration: '1_hour' } };
    await tenant.rest('PUT', `/services/${id}/scaling`, { body });
    return logged(name, tenant);
  },
  'maintenance.scheduled': async (name) => logged(name, await maintenanceThat()),
  'maintenance.updated': async (name) =>
    logged(name, await maintenanceThat((path, by) => by.rest('PUT', path, { body: { end: inHours(3) } }))),
  'maintenance.cancelled': async (name) => logged(name, await maintenanceThat((path, by) => by.rest('DELETE', path))),
  'maintenance.started': async (name) => logged(name, await maintenanceThat(() => platform.advance(61 * 60_000))),
  'maintenance.completed': async (name) => logged(name, await maintenanceThat(() => platform.advance(121 * 60_000))),
  'service.down': async (name) => logged(name, await faultyTenant('SIM-DOWN', 3)),
  'service.performance_alert': async (name) => logged(name, await faultyTenant('SIM-BUSY', 3)),
  async 'service.restored'(name) {
    const { tenant, id } = await faulty('SIM-DOWN', 3);
    await tenant.rest('PUT', `/services/${id}`, { body: { name: 'Mended' } });
    await minutesPass(3, tenant, id);
    return logged(name, tenant);
  },
  async 'service.decommissioned'(name) {
    const { tenant, accountId } = await tenantWithAccount();
    const { id } = await serviceThatIs('operational', tenant, accountId);
    await tenant.rest('DELETE', `/services/${id}`);
    return logged(name, tenant);
  },
  async 'alert.firing'(name) {
    const { id } = await createAlert(tenant);
    await measured(tenant, id, 11);
    return logged(name);
  },
  async 'alert.resolved'(name) {
    const { id } = await createAlert(tenant);
    await measured(tenant, id, 11);
    await measured(tenant, id, 1);
    return logged(name);
  },
  async 'alert.updated'(name) {
    const { id } = await createAlert(tenant);
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`);
    return logged(name);
  },
  'incident.opened': async (name) => logged(name, await faultyTenant('SIM-DOWN', 3)),
  async 'incident.updated'(name) {
    const { id } = await openIncident(tenant);
    await tenant.rest('PUT', `/monitoring/incidents/${id}`, { body: { status: 'identified', message: 'An excavator cut the fiber.' } });
    return logged(name);
  },
  async 'incident.resolved'(name) {
    const { id } = await openIncident(tenant);
    await tenant.rest('PUT', `/monitoring/incidents/${id}`, { body: { status: 'resolved' } });
    return logged(name);
  },
  'bulk.progressed': async (name) => logged(name, await bulkTenant()),
  'bulk.finished': async (name) => logged(name, await bulkTenant()),
  'invoice.generated': async (name) => logged(name, (await ordering()).tenant),
  async 'invoice.created'(name) {
    await createInvoice(await ordering());
    return logged(name, (await ordering()).tenant);
  },
  async 'invoice.updated'(name) {
    const billed = await ordering();
    const { id } = await createInvoice(billed);
    await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: { notes: 'Changed' } });
    return logged(name, billed.tenant);
  },
  async 'invoice.overdue'(name) {
    const billed = await ordering();
    await createInvoice(billed, {}, { due_date: platform.clock.now().toISOString() });
    await platform.advance(24 * 3600 * 1000);
    return logged(name, billed.tenant);
  },
  async 'billing_account.updated'(name) {
    const { tenant, accountId } = await ordering();
    await tenant.rest('PUT', `/billing/accounts/${accountId}/preferences`, {
      body: { billing_day: 1 + (platform.clock.now().getTime() % 28) },
    });
    return logged(name, tenant);
  },
  async 'account.dunning_changed'(name) {
    const billed = await ordering();
    await createInvoice(billed, {}, { due_date: platform.clock.now().toISOString() });
    await platform.advance(24 * 3600 * 1000);
    return logged(name, billed.tenant);
  },
  'invoice.paid': (name) => paid(name, 'tok_visa'),
  async 'subscription.created'(name) {
    return logged(name, (await subscribed()).tenant);
  },
  async 'subscription.updated'(name) {
    const { tenant: by, id } = await subscribed();
    await by.rest('PUT', `/billing/subscriptions/${id}`, { body: { auto_renew: false } });
    return logged(name, by);
  },
  async 'subscription.cancelled'(name) {
    const { tenant: by, id } = await subscribed();
    await by.rest('DELETE', `/billing/subscriptions/${id}`);
    return logged(name, by);
  },
  'payment.received': (name) => paid(name, 'tok_visa'),
  'payment.successful': (name) => paid(name, 'tok_visa'),
  'payment.failed': (name) => paid(name, 'tok_chargeDeclined'),
  async 'credit.issued'(name) {
    const of = await ordering();
    const { id } = await createInvoice(of);
    const query = 'mutation ($input: CreditNoteInput!) { createCreditNote(input: $input) { id } }';
    await of.tenant.graphql(query, { input: { invoiceId: id } });
    return logged(name, of.tenant);
  },
  async 'payment.refunded'(name) {
    const { tenant: payer } = await ordering();
    const { data } = await paid('payment.successful', 'tok_visa');
    await payer.rest('POST', `/billing/payments/${data.payment.payment_id}/refund`);
    return logged(name, payer);
  },
  async 'payment.refund_failed'(name) {
    const of = await ordering();
    const { id, amount } = await createInvoice(of);
    const body = { invoice_id: id, amount, payment_method: { card_token: 'tok_refund_fails' } };
    const { payment_id } = (await of.tenant.rest('POST', '/billing/payments', { body })).body.data;
    await of.tenant.rest('POST', `/billing/payments/${payment_id}/refund`);
    return logged(name, of.tenant);
  },
  async 'invoice.delivery_failed'(name) {
    const of = await ordering();
    const { id: invoiceId } = await createInvoice(of);
    const to = freshEmail();
    platform.mailFailures.set(to, [new MailRejected('550 No such mailbox')]);
    await of.tenant.graphql('mutation ($id: ID!, $to: String!) { sendInvoice(id: $id, input: { to: $to }) { id } }', { id: invoiceId, to });
    return logged(name, of.tenant);
  },
  async 'payment.disputed'(name) {
    await disputed('tok_createDispute', 'open');
    return logged(name, (await ordering()).tenant);
  },
  async 'payment.dispute_closed'(name) {
    await disputed('tok_dispute_won', 'open', 'won');
    return logged(name, (await ordering()).tenant);
  },
  async 'ledger.difference_found'(name) {
    const { tenant: owner, accountId } = await billedTenant();
    const change = (by: number) =>
      rows().then((all) =>
        all.query('update "billing"."account_balance" set "receivable" = "receivable" + $1 where "account_id" = $2', [by, accountId]),
      );
    await change(1);
    await platform.advance(2 * 24 * 3600 * 1000);
    const event = await logged(name, owner);
    await change(-1);
    return event;
  },
  async 'usage.threshold'(name) {
    const of = await ordering();
    await of.tenant.rest('POST', '/billing/budgets', { body: { name: 'Reached at once', amount: 0.01, service_id: of.serviceId } });
    return logged(name, of.tenant);
  },
  async 'organization.under_review'(name) {
    const hasty = await platform.organization({ plan: 'developer' });
    for (let count = 0; count < 3; count++) {
      await hasty.graphql(HALF);
      await hasty.graphql(HALF);
      await platform.assembly.domains.identity.core.review.settled();
      await platform.advance(300_001);
    }
    return logged(name, hasty);
  },
  async 'usage.overage'(name) {
    const busy = await platform.organization({ plan: 'developer' });
    const { core } = platform.assembly.domains.identity;
    core.usage.count(busy.organizationId, { requests: 50_007, weight: 0 }, platform.clock.now());
    await core.usage.flush();
    await core.overages.report();
    return logged(name, busy);
  },
  async 'integration.disabled'(name) {
    const slack = await slackServer();
    await withSlack(tenant, slack);
    slack.next([410, 'channel_is_archived']);
    await ticketThatGets({});
    return logged(name);
  },
  async 'webhook.disabled'(name) {
    const { url } = await receiver(respondWith(410));
    await webhookOf(url);
    await ticketThatGets({});
    return logged(name);
  },
  async 'webhook.quota_exceeded'(name) {
    const small = await platform.organization({ plan: 'developer' });
    await small.rest('POST', '/webhooks', { body: { url: (await receiver()).url, events: ['ticket.created'] } });
    const month = platform.clock.now().toISOString().slice(0, 7);
    await (await rows()).query('insert into "events"."delivery_month_counter" values ($1, $2::date, 100)', [
      small.organizationId,
      `${month}-01`,
    ]);
    await small.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since 9:30.' } });
    return logged(name, small);
  },
  async 'webhook.test'(name) {
    const hook = await receiver();
    const { id } = await webhookOf(hook.url);
    await tenant.rest('POST', `/webhooks/${id}/test`);
    return hook.arrivals.find(({ event }) => event.event === name)?.event;
  },
};

const ajv = newAjv();
/** Differences between a body and its schema. A signature is added because bodies in the log have none. */
const deviations = (name: string, body: Json): string[] =>
  deviationsFrom(ajv, eventTypes.get(name)?.schema, { signature: `sha256=${'0'.repeat(64)}`, ...body });

test.each(Object.entries(scenarios))('%s is emitted with a body that matches the schema of its event type', async (name, scenario) => {
  const body = await scenario(name);
  expect(body).toMatchObject({ event: name });
  expect(deviations(name, body)).toEqual([]);
});

describe('event types', () => {
  test('every event of the specification is in the list of event types', () => {
    expect(SPECIFIED.filter((name) => !eventTypes.has(name))).toEqual([]);
  });

  test('the example of every event type matches its schema, and the schema rejects unknown fields', () => {
    expect([...eventTypes.values()].flatMap(({ name, example }) => deviations(name, example))).toEqual([]);
    const lax = [...eventTypes.values()].filter(
      ({ name, example }) => deviations(name, { ...example, data: { ...example.data, more: 1 } }).length !== 1,
    );
    expect(lax.map(({ name }) => name)).toEqual([]);
  });

  test('every event type is emitted and has a test scenario', () => {
    expect([...eventTypes.values()].filter(({ emitted }) => !emitted)).toEqual([]);
    expect([...eventTypes.keys()].toSorted()).toEqual(Object.keys(scenarios).toSorted());
  });
});

test('every event in the outboxes and the event log has an event type that is marked as emitted', async () => {
  await scenarios['ticket.created']?.('ticket.created');
  const outboxes = Object.keys(platform.assembly.domains).map((domain) => `select "event" from "${domain}"."outbox"`);
  const emitted = await (await rows()).query<{ event: string }>(
    `select distinct "event" from (select "event" from "events"."event_log" union all ${outboxes.join(' union all ')}) e`,
    [],
  );
  expect(emitted.length).toBeGreaterThan(0);
  const names = emitted.map(({ event }) => event).filter((name) => !INTERNAL.includes(name));
  expect(names.filter((name) => !eventTypes.has(name))).toEqual([]);
});

test('an internal event is stored in the event log, but is in no list, query, subscription or webhook', async () => {
  const hook = await receiver();
  const { tenant: by, accountId } = await tenantWithAccount();
  await by.rest('POST', '/webhooks', { body: { url: hook.url, events: ['*'] } });
  const { id } = await serviceThatIs('operational', by, accountId);
  await minutesPass(2, by, id);
  await platform.advance(3_600_000);
  const internal = await eventually(async () => {
    const sql = `select "id" from "events"."event_log" where "organization_id" = $1 and "event" = 'usage.recorded'`;
    return (await (await rows()).query<{ id: string }>(sql, [by.organizationId]))[0];
  });
  // a later event of the same service has arrived, so the internal one would have arrived before it
  await by.rest('DELETE', `/services/${id}`);
  await eventually(() => hook.arrivals.some(({ event }) => event.event === 'service.decommissioned'));
  expect(hook.arrivals.filter(({ event }) => INTERNAL.includes(event.event))).toEqual([]);
  const { data } = await by.graphql(
    'query ($id: ID!) { event(id: $id) { id } events(page: { perPage: 100 }) { nodes { event } } }',
    internal,
  );
  expect(data.event).toBeNull();
  expect(data.events.nodes.filter(({ event }: Json) => INTERNAL.includes(event))).toEqual([]);
  expect(INTERNAL.filter((name) => eventTypes.has(name))).toEqual([]);
  const subscribed = await by.rest('POST', '/webhooks', { body: { url: hook.url, events: INTERNAL } });
  expect([subscribed.status, subscribed.body.error.details.errors]).toMatchObject([
    400,
    INTERNAL.map((_, index) => ({ field: `events.${index}` })),
  ]);
});
