import { X509Certificate } from 'node:crypto';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { follow } from '../events/live.setup.ts';
import { SseClient } from '../events/sse.client.ts';
import { trustedIssuer } from '../identity/issuer.setup.ts';
import { clientToken, registered } from '../oauth.setup.ts';
import { download, file } from '../rest/attachments.setup.ts';
import { clock, eventually, onRig, type Rig, start } from '../rig.ts';
import { issue } from '../support/certificates.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, tokenMailedTo } from '../users.setup.ts';
import { SamlWorld } from './saml-idp.ts';

/** A text in every record of the other account. No response to a limited caller may contain it. */
const LABEL = 'Only the other account reads this';
const OWN = 'Words of its own account';
const AREAS = ['monitoring', 'analytics', 'accounts', 'services', 'billing', 'support', 'webhooks'];
const SETTINGS = { CLIENT_CERT_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '127.0.0.0/8,::1' };

/** A caller that is limited to some accounts. */
interface Limited {
  caller: Tenant;
  /** Changes the accounts that the caller is limited to. */
  limitTo(accounts: string[]): Promise<unknown>;
}

/** A client whose certificate is forwarded by a trusted proxy. */
class CertificateTenant extends Tenant {
  constructor(
    origin: string,
    organizationId: string,
    private readonly pem: string,
  ) {
    super(origin, organizationId, '');
  }

  override get credentials(): Record<string, string> {
    return { 'x-client-cert': encodeURIComponent(this.pem) };
  }

  override socket(): Client {
    const headers = this.credentials;
    class ProxiedSocket extends WebSocket {
      constructor(url: string, protocol: string) {
        super(url, protocol, { headers });
      }
    }
    return createClient({ url: `${this.origin.replace('http', 'ws')}/graphql`, webSocketImpl: ProxiedSocket, retryAttempts: 0 });
  }
}

let platform: Rig;
/** A second process on the same database, or the first process if the database is embedded. */
let second: Rig;
let mailed: Rig;
let world: SamlWorld;
/** A caller with access to the whole organization. */
let tenant: Tenant;

beforeAll(async () => {
  const settings = { ...SETTINGS, DATABASE_URL: await ownDatabase() };
  platform = await start(settings);
  second = process.env.TEST_DATABASE_URL ? await start({ ...settings, PUBLIC_ORIGIN: platform.origin }) : platform;
  // either process may send a queued email, so the emails of both processes are searched
  mailed = {
    ...platform,
    get mails() {
      return [...platform.mails, ...second.mails];
    },
  };
  world = await onRig(platform, () => SamlWorld.open());
  tenant = world.tenant;
});
afterAll(async () => {
  if (second !== platform) await second?.close();
  await platform?.close();
});

async function created(path: string, body: Json, by = tenant): Promise<Json> {
  const response = await by.rest('POST', path, { body });
  if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
  return response.body.data ?? response.body.api_key ?? response.body.ticket;
}

async function changed(path: string, body: Json): Promise<void> {
  const response = await tenant.rest('PUT', path, { body });
  if (response.status !== 200) throw new Error(`PUT ${path}: ${JSON.stringify(response.body)}`);
}

const callerWith = (token: string): Tenant => new Tenant(tenant.origin, tenant.organizationId, token);
const permissions = AREAS.map((area) => `${area}:read`);
let count = 0;

/** Each kind of caller that can be limited, and how to create and change it. */
const KINDS: Readonly<Record<string, (accounts: string[]) => Promise<Limited>>> = {
  'an API key': async (accounts) => {
    const { id, key } = await created('/auth/api-keys', { name: 'Limited', permissions, accounts });
    return { caller: callerWith(key), limitTo: (wanted) => changed(`/auth/api-keys/${id}`, { accounts: wanted }) };
  },
  'a user': async (accounts) => {
    const users = `/accounts/${accounts[0]}/users`;
    const email = `limited-${++count}@example.com`;
    const { id } = await created(users, { email, name: 'Limited', role: 'member', accounts });
    const token = await onRig(mailed, () => tokenMailedTo(email));
    await callerWith('').rest('POST', '/auth/password', { body: { token, password: PASSWORD } });
    const { body } = await login(callerWith(''), email);
    return { caller: callerWith(body.data.access_token), limitTo: (wanted) => changed(`${users}/${id}`, { accounts: wanted }) };
  },
  'an OAuth client': async (accounts) => {
    const scopes = AREAS.map((area) => `${area}.read`);
    const client = await registered(tenant, { scopes, grant_types: ['client_credentials'], accounts });
    const { body } = await clientToken(tenant.origin, client);
    return {
      caller: callerWith(body.access_token),
      limitTo: (wanted) => changed(`/auth/oauth-clients/${client.id}`, { accounts: wanted }),
    };
  },
  'a client certificate': async (accounts) => {
    const { pem } = await issue();
    const { id } = await created('/auth/certificates', { certificate: pem, name: 'Limited', permissions, accounts });
    // no operation changes the accounts of a certificate, so this test writes them directly to the database
    const limitTo = (wanted: string[]) =>
      platform.assembly.domains.identity.core.ports.rows.query(
        'update "identity"."certificate" set "accounts" = $1::jsonb where "id" = $2 returning "id"',
        [JSON.stringify(wanted), id],
      );
    return { caller: new CertificateTenant(tenant.origin, tenant.organizationId, new X509Certificate(pem).toString()), limitTo };
  },
  'a token of a trusted issuer': async (accounts) => {
    const { id, token } = await trustedIssuer(tenant, { body: { permissions, accounts } });
    return { caller: callerWith(await token()), limitTo: (wanted) => changed(`/auth/trusted-issuers/${id}`, { accounts: wanted }) };
  },
  'a user created by a SAML connection': async (accounts) => {
    await world.update({ accounts });
    const { body } = await world.signIn({ email: world.address(`limited-${++count}`) });
    const limit = 'mutation ($id: ID!, $accounts: [ID!]) { updateUser(id: $id, input: { accounts: $accounts }) { accounts } }';
    return {
      caller: callerWith(body.access_token),
      async limitTo(wanted) {
        const { data, errors } = await tenant.graphql(limit, { id: body.user_id, accounts: wanted });
        expect(errors).toBeUndefined();
        expect(data.updateUser.accounts).toEqual(wanted);
      },
    };
  },
};
const kinds = Object.entries(KINDS);

/** An account with a service, an invoice, and a ticket with an attachment; the label is in every text field. */
async function populated(label: string) {
  const account = await createAccount(tenant, label);
  const order = { name: label, location: { ...LOCATION, address: label } };
  const { service, firstInvoice: invoice } = await orderService(tenant, account.id, order);
  await eventually(async () => (await tenant.rest('GET', `/services/${service.id}`)).body.data.status === 'operational');
  const ticket = await created('/support/tickets', {
    title: label,
    description: label,
    customer_id: account.customer_id,
    service_affected: service.id,
    attachments: [file('words.txt', 'text/plain', label)],
  });
  const ids = [account.id, account.customer_id, service.id, invoice.id, ticket.id, ticket.attachments[0].id] as string[];
  return { account, service, invoice, ticket, attachment: ticket.attachments[0].id as string, ids };
}
type Populated = Awaited<ReturnType<typeof populated>>;

let other: Populated;
let own: Populated;
beforeAll(async () => {
  other = await populated(LABEL);
  own = await populated(OWN);
});

function expectNothingOfOther(response: unknown, { ids } = other): void {
  const text = JSON.stringify(response);
  for (const hidden of [LABEL, ...ids]) expect(text).not.toContain(hidden);
}

describe.each(kinds)('%s limited to an account', (_, limited) => {
  let caller: Tenant;
  let limitTo: Limited['limitTo'];
  beforeAll(async () => {
    ({ caller, limitTo } = await limited([own.account.id]));
  });

  test('a caller limited to an account reads only the records of that account over REST and GraphQL', async () => {
    expect((await caller.rest('GET', '/auth/verify')).body.data).toMatchObject({ accounts: [own.account.id] });
    const lists = { '/accounts': own.account, '/services': own.service, '/billing/invoices': own.invoice, '/support/tickets': own.ticket };
    for (const [path, record] of Object.entries(lists)) {
      const { status, body } = await caller.rest('GET', path);
      expect(status, path).toBe(200);
      const records: Json[] = body.data ?? body.invoices ?? body.tickets;
      expect(records.map(({ id }) => id)).toEqual([record.id]);
      expectNothingOfOther(body);
    }
    const known = [`/services/${other.service.id}`, `/billing/invoices/${other.invoice.id}`, `/support/tickets/${other.ticket.id}`];
    for (const path of known) expect((await caller.rest('GET', path)).status, path).toBe(404);
    const { data, errors } = await caller.graphql(`{
      accounts { nodes { id } } services { nodes { id account { id } } } invoices { nodes { id account { id } } }
      tickets { nodes { id title account { id } service { id } attachments { id } comments { content } } } events { nodes { payload } }
    }`);
    expect(errors).toBeUndefined();
    expect(data.tickets.nodes).toMatchObject([
      { id: own.ticket.id, service: { id: own.service.id }, attachments: [{ id: own.attachment }] },
    ]);
    expect(data.events.nodes.length).toBeGreaterThan(0);
    expectNothingOfOther(data);
  });

  test('an operation on the whole organization returns 403 with the reason account_scope to a caller limited to an account', async () => {
    const { status, body } = await caller.rest('GET', '/webhooks');
    expect([status, body.error.details.reason]).toEqual([403, 'account_scope']);
  });

  test('a caller limited to an account can download attachments of its own tickets and gets 404 for attachments of other accounts', async () => {
    const file = await download(caller, own.attachment);
    expect([file.status, await file.text()]).toEqual([200, OWN]);
    for (const headers of [{}, { range: 'bytes=0-3' }] as Record<string, string>[]) {
      const hidden = await download(caller, other.attachment, headers);
      expect(hidden.status).toBe(404);
      expect(await hidden.text()).not.toContain(LABEL);
    }
  });

  test('a change to the accounts of a caller applies within 5 s in every process and on open sockets', async () => {
    const there = Object.assign(Object.create(Object.getPrototypeOf(caller)), caller, { origin: second.origin }) as Tenant;
    const sockets = [caller, there].map((one) => one.socket());
    const accountsOn = async (socket: Client): Promise<string[]> => {
      const { value } = await socket.iterate<Json>({ query: '{ accounts { nodes { id } } }' }).next();
      return value.data.accounts.nodes.map(({ id }: Json) => id).sort();
    };
    try {
      for (const socket of sockets) expect(await accountsOn(socket)).toEqual([own.account.id]);
      const third = (await createAccount(tenant, 'Third')).id;
      for (const accounts of [[own.account.id, third].sort(), [third], [own.account.id]]) {
        await limitTo(accounts);
        const counts = async () => (await Promise.all(sockets.map(accountsOn))).every((seen) => seen.join() === accounts.join());
        await eventually(counts, 5000);
      }
    } finally {
      for (const socket of sockets) await socket.dispose();
    }
  });
});

test('subscriptions and event streams send no events of other accounts to a caller limited to one account', async () => {
  const fields = Object.keys(platform.assembly.router.schema.getSubscriptionType()?.getFields() ?? {});
  const ofOrganization = ['deliveryUpdated'];
  // these are no events; test/events/live-samples.test.ts and live-logs.test.ts show what limited callers get
  const ofOther = ['metricSamples', 'logTail'];
  const followed = fields.filter((field) => ![...ofOrganization, ...ofOther].includes(field));
  expect(followed.length).toBeGreaterThanOrEqual(4);
  const selection =
    '{ id accountId subjectId payload subject { ... on Ticket { id title account { name } } ... on Service { id label: name } ... on Invoice { id number account { name } } } }';
  const callers = await Promise.all(
    kinds.map(async ([kind, limited]) => {
      const { caller } = await limited([own.account.id]);
      const live = followed.map((field) => [field, follow(caller, `subscription { ${field} ${selection} }`)] as const);
      const narrowed = followed.map((field) =>
        follow(caller, `subscription($of: ID) { ${field}(accountId: $of) ${selection} }`, { of: other.account.id }),
      );
      const refused = ofOrganization.map((field) => follow(caller, `subscription { ${field} { id } }`));
      return { kind, live, narrowed, refused, streams: [await SseClient.open(caller)], caller };
    }),
  );
  await eventually(() => callers.every(({ refused }) => refused.every((one) => one.isDone())));
  for (const { kind, refused } of callers)
    for (const one of refused) expect(one.errors(), kind).toMatchObject([{ extensions: { details: { reason: 'account_scope' } } }]);

  const isThere = (subject: string) => (one: Json) => one.subjectId === subject;
  const happen = async (
    { account, ticket }: Populated,
    label: string,
  ): Promise<Record<'service' | 'invoice' | 'bulk' | 'payment' | 'budget' | 'incident' | 'alert' | 'maintenance', Json>> => {
    const order = { name: label, location: { ...LOCATION, address: label } };
    const { service, firstInvoice: invoice } = await orderService(tenant, account.id, order);
    await eventually(async () => (await tenant.rest('GET', `/services/${service.id}`)).body.data.status === 'operational');
    const item = { template: 'business_fiber', customizations: { bandwidth: '500mbps' }, account_id: account.id, ...order };
    const bulk = (await tenant.rest('POST', '/services/bulk/provision', { body: { services: [item] } })).body.data;
    await tenant.rest('PUT', `/support/tickets/${ticket.id}`, { body: { customer_update: label } });
    const charge = { invoice_id: invoice.id, amount: invoice.amount, payment_method: { card_token: 'tok_visa' } };
    const payment = (await tenant.rest('POST', '/billing/payments', { body: charge })).body.data;
    await tenant.rest('PUT', `/billing/accounts/${account.id}/preferences`, { body: { tax_id: label } });
    const reached = { name: label, amount: 0.01, account_id: account.id };
    const budget = (await tenant.rest('POST', '/billing/budgets', { body: reached })).body.data;
    const disturbed = { title: label, severity: 'minor', service_ids: [service.id] };
    const incident = (await tenant.rest('POST', '/monitoring/incidents', { body: disturbed })).body.data;
    const watched = { name: label, metric: 'load', condition: 'absent', service_id: service.id };
    const alert = (await tenant.rest('POST', '/monitoring/alerts', { body: watched })).body.data;
    await tenant.rest('POST', `/monitoring/alerts/${alert.id}/silence`);
    const inHours = (hours: number): string => new Date(clock.now().getTime() + hours * 3_600_000).toISOString();
    const planned = { service_id: service.id, start: inHours(2), end: inHours(3), impact: 'down', description: label };
    const maintenance = (await tenant.rest('POST', '/monitoring/maintenance', { body: planned })).body.data;
    const subscriptions = (await tenant.rest('GET', `/billing/subscriptions?account_id=${account.id}`)).body.data;
    return {
      service: { ...service, subscription_id: subscriptions[0].subscription_id },
      invoice,
      bulk,
      payment,
      budget,
      incident,
      alert,
      maintenance,
    };
  };
  const hidden = await happen(other, LABEL);
  const { service, invoice, bulk, payment, budget, incident, alert, maintenance } = await happen(own, OWN);

  const subjects: Record<string, string> = {
    serviceStatusChanged: service.id,
    invoiceUpdated: invoice.id,
    paymentUpdated: payment.payment_id,
    billingAccountUpdated: own.account.id,
    subscriptionUpdated: service.subscription_id,
    bulkProgressed: bulk.id,
    budgetReached: budget.id,
    incidentUpdated: incident.id,
    alertUpdated: alert.id,
    maintenanceUpdated: maintenance.id,
  };
  for (const { kind, live, narrowed, streams } of callers) {
    for (const [field, one] of live) {
      await eventually(() => one.of(field).find(isThere(subjects[field] ?? own.ticket.id))).catch(() => expect.fail(`${kind}: ${field}`));
      expect(one.errors(), `${kind}: ${field}`).toEqual([]);
      expect(
        one.of(field).filter(({ accountId }) => accountId !== own.account.id),
        `${kind}: ${field}`,
      ).toEqual([]);
      expectNothingOfOther(one.results, {
        ...other,
        ids: [...other.ids, hidden.service.id, hidden.invoice.id, hidden.bulk.id, hidden.payment.payment_id, hidden.budget.id],
      });
    }
    for (const one of narrowed) expect(one.results, kind).toEqual([]);
    for (const { frames } of streams) {
      await eventually(() => frames.some(({ data }) => data.includes(own.ticket.id)));
      expectNothingOfOther(frames);
    }
  }
});

test('a subscription ends with INSUFFICIENT_PERMISSIONS when its caller loses an account, but the caller can subscribe again', async () => {
  for (const [kind, limited] of kinds) {
    const third = await createAccount(tenant, 'Taken');
    const { caller, limitTo } = await limited([own.account.id, third.id]);
    const query = 'subscription { ticketUpdated { subjectId } }';
    const live = follow(caller, query);
    const stream = await SseClient.open(caller);
    const touch = () => tenant.rest('PUT', `/support/tickets/${own.ticket.id}`, { body: { customer_update: `${Math.random()}` } });
    await eventually(async () => {
      await touch();
      return live.results.length > 0 && stream.frames.length > 0;
    });
    await limitTo([own.account.id]);
    await eventually(async () => {
      await touch();
      return live.isDone() && stream.isClosed;
    }, 10_000).catch(() => expect.fail(kind));
    expect(live.errors(), kind).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
    const anew = follow(caller, query);
    await eventually(async () => {
      await touch();
      return anew.results.length > 0;
    });
    expect(anew.errors()).toEqual([]);
  }
});

/**
 * All kinds of callers except client certificates. No API operation changes the accounts of a certificate, so processes
 * are not notified of a change immediately.
 */
const changeable = kinds.filter(([kind]) => kind !== 'a client certificate');

test.each(changeable)(
  'adding or removing an account of %s applies to the next REST request, GraphQL request and subscription',
  async (_, limited) => {
    const [kept, given] = [await populated('Kept'), await populated('Given and taken')];
    const accounts = [kept.account.id, given.account.id].sort();
    const { caller, limitTo } = await limited([kept.account.id]);
    const reads = async () => {
      const listed = (await caller.rest('GET', '/accounts')).body.data.map(({ id }: Json) => id).sort();
      const verified = (await caller.rest('GET', '/auth/verify')).body.data.accounts.toSorted();
      const { data } = await caller.graphql('query($id: ID!) { ticket(id: $id) { id } services { nodes { id } } }', {
        id: given.ticket.id,
      });
      const { status } = await caller.rest('GET', `/support/tickets/${given.ticket.id}`);
      const services = data?.services.nodes.map(({ id }: Json) => id).sort();
      return { listed, verified, status, ticket: data?.ticket?.id, services, file: (await download(caller, given.attachment)).status };
    };
    const onlyKept = { listed: [kept.account.id], verified: [kept.account.id], status: 404, services: [kept.service.id], file: 404 };
    const both = { listed: accounts, verified: accounts, status: 200, ticket: given.ticket.id, file: 200 };
    expect(await reads()).toMatchObject(onlyKept);

    const query = 'subscription { ticketUpdated { subjectId timestamp ticket { id } } }';
    const touch = ({ ticket }: Populated) =>
      tenant.rest('PUT', `/support/tickets/${ticket.id}`, { body: { customer_update: `${Math.random()}` } });
    const receives = (live: ReturnType<typeof follow>, from: Populated) =>
      eventually(async () => {
        await touch(from);
        return live.of('ticketUpdated').some(({ subjectId }) => subjectId === from.ticket.id);
      });
    const begunBefore = follow(caller, query);
    await receives(begunBefore, kept);

    await limitTo(accounts);
    expect(await reads()).toEqual({ ...both, services: [kept.service.id, given.service.id].sort() });
    const begunAfter = follow(caller, query);
    const stream = await SseClient.open(caller);
    await receives(begunAfter, given);
    await eventually(() => stream.frames.some(({ data }) => data.includes(given.ticket.id)));

    await limitTo([kept.account.id]);
    expect(await reads()).toMatchObject(onlyKept);
    const readAt = platform.clock.now().toJSON();
    const begunLast = follow(caller, query);
    await eventually(async () => {
      await touch(given);
      return begunAfter.isDone() && stream.isClosed;
    }, 10_000);
    expect(begunAfter.errors()).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
    const received = [
      ...begunAfter.of('ticketUpdated').map(({ timestamp }) => timestamp),
      ...stream.frames.map(({ data }) => JSON.parse(data).timestamp),
    ];
    expect(received.length).toBeGreaterThan(1);
    expect(received.filter((timestamp) => timestamp >= readAt)).toEqual([]);
    await receives(begunLast, kept);
    // the first subscription began with the account that the caller still has, so it continues
    const count = begunBefore.results.length;
    await eventually(async () => {
      await touch(kept);
      return begunBefore.results.length > count;
    });
    expect([...begunBefore.errors(), ...begunLast.errors()]).toEqual([]);
    for (const { results } of [begunBefore, begunLast]) expect(JSON.stringify(results)).not.toContain(given.ticket.id);
  },
);

test.each(kinds)(
  'after an account is closed, %s limited to only this account gets 401, but one with a second account keeps access',
  async (_, limited) => {
    const [closing, staying] = [await createAccount(tenant, 'Closing'), await createAccount(tenant, 'Staying')];
    const { caller: ending } = await limited([closing.id]);
    const { caller: lasting } = await limited([closing.id, staying.id]);
    const status = async (caller: Tenant) => (await caller.rest('GET', '/accounts')).status;
    expect(await Promise.all([ending, lasting].map(status))).toEqual([200, 200]);
    await changed(`/accounts/${closing.id}`, { status: 'closed' });
    await eventually(async () => (await status(ending)) === 401, 5000);
    expect(await status(lasting)).toBe(200);
  },
);

test('the accounts of an API key can be replaced or removed, and an unknown account id returns 404', async () => {
  const { id } = await created('/auth/api-keys', { name: 'Changing', permissions, accounts: [own.account.id] });
  const change = async (body: object) => tenant.rest('PUT', `/auth/api-keys/${id}`, { body });
  expect((await change({ name: 'Renamed' })).body.data.accounts).toEqual([own.account.id]);
  expect((await change({ accounts: [other.account.id] })).body.data.accounts).toEqual([other.account.id]);
  expect((await change({ accounts: [] })).body.error.details.field).toBe('accounts');
  expect((await change({ accounts: ['acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G'] })).status).toBe(404);
  expect((await change({ accounts: null })).body.data.accounts).toBeNull();
});
