import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { analyticsId } from '../../kernel/analytics/analytics-scope.ts';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS, dateOf } from '../../kernel/values/days.ts';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import { challengeOf, enrolled, withSms } from '../security/mfa.setup.ts';
import { userOf } from '../users.setup.ts';
import { issue } from './certificates.ts';
import type { Records } from './records.ts';

/**
 * Functions with which a test creates a record of one kind, and the path to read it. A path parameter or body field can refer to the
 * record.
 */
export interface RecordKind {
  make(own: Records): Promise<string>;
  /**
   * The path to read the record, with `{}` instead of the id. Undefined if no path reads a single record of this kind.
   */
  readAt?: string;
  /**
   * GraphQL fields without a REST route whose argument `id` is the id of a record of this kind. For a field with a REST
   * route, the path parameter shows the kind.
   */
  withoutRoute?: readonly string[];
}

/** Kinds of records by the name of the path parameter or body field. A new kind of record needs only one entry here. */
export const recordKinds: Readonly<Record<string, RecordKind>> = {
  organization_id: {
    make: async ({ label }) => {
      const administrator = { name: label, email: freshEmail() };
      const { body } = await (await operator()).rest('POST', '/operator/organizations', {
        body: { name: label, plan: 'developer', administrator },
      });
      if (!body.data) throw new Error(JSON.stringify(body));
      return body.data.id;
    },
  },
  account_id: {
    make: async ({ tenant, label }) => (await createAccount(tenant, label)).id,
    readAt: '/accounts/{}',
  },
  user_id: {
    make: async (own) =>
      own.create(`/accounts/${await own.id('account_id')}/users`, { name: own.label, email: freshEmail(), role: 'billing' }),
    withoutRoute: ['user'],
  },
  client_id: { make: (own) => own.create('/auth/api-keys', { name: own.label, permissions: ['services:read'] }) },
  session_id: {
    // the session of another user; callers with credentials:write can revoke it
    make: async (own) => (await userOf(own.tenant)).tokens.session_id,
  },
  challenge_id: { make: async (own) => challengeOf((await withSms(own.tenant)).user) },
  method_id: {
    async make(own) {
      const { user } = await enrolled(own.tenant);
      return (await user.rest('GET', '/auth/mfa/methods')).body.data[0].id;
    },
  },
  customer_id: {
    async make(own) {
      const { body } = await own.tenant.rest('GET', `/accounts/${await own.id('account_id')}`);
      return body.data.customer_id;
    },
  },
  service_id: {
    async make(own) {
      const order = { name: own.label, location: { ...LOCATION, address: own.label } };
      const { service } = await orderService(own.tenant, await own.id('account_id'), order);
      // wait until the service is provisioned, because it changes automatically until then
      await eventually(async () => (await own.tenant.rest('GET', `/services/${service.id}`)).body.data.status === 'operational');
      return service.id;
    },
    readAt: '/services/{}',
    withoutRoute: ['changePreview'],
  },
  change_id: {
    // waits for its date, so that it does not change automatically
    async make(own) {
      const path = `/services/${await own.id('service_id')}`;
      // a service has only one open decommission
      for (const { id, status } of (await own.tenant.rest('GET', `${path}/changes`)).body.data)
        if (status === 'acknowledged') await own.tenant.rest('DELETE', `${path}/changes/${id}`);
      const decommission_date = new Date((await rig()).clock.now().getTime() + 300 * DAY_MS);
      return own.create(`${path}/decommission`, { decommission_date, reason: own.label });
    },
  },
  metric_name: {
    async make(own) {
      const metric = `load.${newId('event')}`;
      await own.tenant.rest('POST', '/monitoring/samples', {
        body: { samples: [{ metric, service_id: await own.id('service_id'), labels: { name: own.label }, value: 1 }] },
      });
      return metric;
    },
  },
  network_id: {
    async make(own) {
      const id = await own.create('/connectivity/networks', {
        network_type: 'mpls',
        topology: 'full_mesh',
        locations: ['One', 'Two'].map((address) => ({ id: address.toLowerCase(), address: `${address} Main Street` })),
        bandwidth: '100mbps',
        account_id: await own.id('account_id'),
        name: own.label,
      });
      // wait until the network is provisioned, because it changes automatically until then
      await eventually(async () => (await own.tenant.rest('GET', `/services/${id}`)).body.data.status === 'operational');
      return id;
    },
    readAt: '/connectivity/networks/{}',
  },
  sip_trunk_id: {
    make: (own) => own.create('/services', { catalog_id: 'sip_trunking', configuration: { channels: 2 }, name: own.label }),
    withoutRoute: ['sipTrunk'],
  },
  quote_id: {
    async make(own) {
      const { body } = await own.tenant.rest('POST', '/services/quotes', {
        body: { account_id: await own.id('account_id'), services: [{ type: 'fiber', bandwidth: '500mbps' }] },
      });
      return body.data.id;
    },
    readAt: '/services/quotes/{}',
    withoutRoute: ['rejectQuote'],
  },
  bulk_id: {
    // the services already have these terms, so the bulk does not change automatically
    make: async (own) => own.create('/services/bulk/modify', { service_ids: [await own.id('service_id')], billing_cycle: 'monthly' }),
    withoutRoute: ['bulk', 'cancelBulk'],
  },
  destination: { make: (own) => own.id('service_id') },
  request_id: {
    // without a location the request is pending and does not change automatically
    make: (own) =>
      own.create('/services/provision', {
        service_template: 'business_fiber',
        customizations: { bandwidth: '500mbps' },
        name: own.label,
      }),
    readAt: '/services/provision/{}/status',
  },
  service_affected: { make: (own) => own.id('service_id') },
  billing_subscription_id: { make: (own) => own.id('subscription_id') },
  subscription_id: {
    async make(own) {
      // starts later, so that it does not change automatically
      const start_date = new Date((await rig()).clock.now().getTime() + 300 * DAY_MS);
      const services = [{ service_id: await own.id('service_id'), billing_cycle: 'monthly', auto_renew: true }];
      const body = { account_id: await own.id('account_id'), services, start_date };
      const { body: response } = await own.tenant.rest('POST', '/billing/recurring', { body });
      if (response.data) return response.data.subscription_id;
      // the service has such a subscription already
      const { body: list } = await own.tenant.rest('GET', `/billing/subscriptions?account_id=${body.account_id}`);
      return list.data.find(({ kind }: { kind: string }) => kind === 'agreed').subscription_id;
    },
    withoutRoute: ['subscription', 'subscriptionChangePreview'],
  },
  payment_id: {
    async make(own) {
      const { tenant } = own;
      const services = [{ service_id: await own.id('service_id'), quantity: 1, unit_price: 149.95 }];
      const invoice = (await tenant.rest('POST', '/billing/invoices', { body: { account_id: await own.id('account_id'), services } })).body
        .data;
      const body = { invoice_id: invoice.id, amount: invoice.amount, payment_method: { card_token: 'tok_visa' } };
      return (await tenant.rest('POST', '/billing/payments', { body })).body.data.payment_id;
    },
    readAt: '/billing/payments/{}',
  },
  refund_id: {
    make: async (own) => {
      const { body } = await own.tenant.rest('POST', `/billing/payments/${await own.id('payment_id')}/refund`, {
        body: { amount: 1.25, reason: own.label },
      });
      return body.data.refund_id;
    },
  },
  // its id is the id of its account
  billing_account_id: { make: (own) => own.id('account_id') },
  payment_method_id: {
    async make(own) {
      const path = `/billing/accounts/${await own.id('account_id')}/payment-methods`;
      return (await own.tenant.rest('POST', path, { body: { card_token: 'tok_visa' } })).body.data.payment_method_id;
    },
  },
  budget_id: {
    make: (own) => own.create('/billing/budgets', { name: own.label, amount: 1_000_000 }),
    readAt: '/billing/budgets/{}',
  },
  usage_price_id: {
    async make({ tenant }) {
      const { data, errors } = await tenant.graphql(
        'mutation($input: UsagePriceInput!) { setUsagePrice(input: $input) { id } }',
        // each price applies to its own type, so that it does not replace another one
        { input: { serviceType: newId('service'), metric: 'DATA_GB', currency: 'USD', model: 'PER_UNIT', unitPrice: 1 } },
      );
      if (!data) throw new Error(JSON.stringify(errors));
      return data.setUsagePrice.id;
    },
    withoutRoute: ['endUsagePrice'],
  },
  invoice_id: {
    async make(own) {
      const line = { service_id: await own.id('service_id'), quantity: 1, unit_price: 149.95 };
      return own.create('/billing/invoices', { account_id: await own.id('account_id'), services: [line], notes: own.label });
    },
    readAt: '/billing/invoices/{}',
    withoutRoute: ['sendInvoice', 'writeOffInvoice'],
  },
  credit_note_id: {
    async make(own) {
      const query = 'mutation ($of: ID!, $input: CreditInput!) { grantCredit(accountId: $of, input: $input) { id } }';
      const variables = { of: await own.id('account_id'), input: { amount: 1, currency: 'USD', reason: own.label } };
      return (await own.tenant.graphql(query, variables)).data.grantCredit.id;
    },
    withoutRoute: ['creditNote'],
  },
  tax_rate_id: {
    // for a country without customers, so that no invoice changes
    async make(own) {
      const query = 'mutation ($input: TaxRateInput!) { createTaxRate(input: $input) { id } }';
      const variables = { input: { name: own.label, percent: 20, country: 'AQ', validFrom: '2020-01-01' } };
      return (await own.tenant.graphql(query, variables)).data.createTaxRate.id;
    },
    withoutRoute: ['updateTaxRate'],
  },
  maintenance_window_id: {
    async make(own) {
      const start = (await rig()).clock.now().getTime() + 200 * DAY_MS;
      const [from, to] = [start, start + DAY_MS].map((at) => new Date(at).toISOString());
      return own.create('/monitoring/maintenance', {
        service_id: await own.id('service_id'),
        start: from,
        end: to,
        description: own.label,
      });
    },
  },
  alert_id: {
    async make(own) {
      const given = { name: own.label, metric: 'load', condition: 'above', threshold: 10, aggregation: 'last', no_data: 'ok' };
      const id = await own.create('/monitoring/alerts', { ...given, service_id: await own.id('service_id') });
      // wait until it is evaluated, because the first evaluation changes it
      await eventually(async () => (await own.tenant.rest('GET', `/monitoring/alerts/${id}`)).body.data.evaluated_at);
      return id;
    },
    withoutRoute: ['testAlert'],
  },
  incident_id: {
    make: async (own) => own.create('/monitoring/incidents', { title: own.label, service_ids: [await own.id('service_id')] }),
    readAt: '/monitoring/incidents/{}',
  },
  ticket_id: {
    async make(own) {
      const [customer, service] = [await own.id('customer_id'), await own.id('service_id')];
      return own.create('/support/tickets', {
        title: own.label,
        description: own.label,
        customer_id: customer,
        service_affected: service,
      });
    },
    readAt: '/support/tickets/{}',
  },
  article_id: {
    make: (own) => own.create('/support/kb', { title: own.label, body: own.label, category: 'general', status: 'published' }),
    readAt: '/support/kb/{}',
  },
  assigned_to: {
    async make(own) {
      const { body } = await own.tenant.rest('GET', `/support/tickets/${await own.id('ticket_id')}`);
      return body.ticket.assigned_to.agent_id;
    },
  },
  comment_id: {
    make: async (own) => own.create(`/support/tickets/${await own.id('ticket_id')}/comments`, { content: own.label }),
    withoutRoute: ['comment'],
  },
  agent_id: {
    make: (own) => own.create('/support/agents', { name: own.label, email: freshEmail(), specialization: 'voice' }),
    readAt: '/support/agents/{}',
  },
  sla_policy_id: {
    make: (own) =>
      own.create('/support/sla-policies', {
        name: `${own.label} ${newId('slaPolicy')}`,
        targets: ['low', 'medium', 'high', 'critical'].map((priority) => ({
          priority,
          response_time: '1 hour',
          resolution_time: '8 hours',
        })),
      }),
    readAt: '/support/sla-policies/{}',
  },
  assign_to: { make: (own) => own.id('assigned_to') },
  rule_id: {
    make: (own) => own.create('/support/routing-rules', { rule_name: own.label, actions: { notify: ['noc@example.com'] }, active: false }),
    readAt: '/support/routing-rules/{}',
  },
  oauth_client_id: {
    make: (own) =>
      own.create('/auth/oauth-clients', {
        name: own.label,
        redirect_uris: ['https://app.example.com/callback'],
        grant_types: ['authorization_code'],
        scopes: ['services.read'],
      }),
    readAt: '/auth/oauth-clients/{}',
  },
  webhook_id: {
    // no test creates this event, so the webhook is not changed by deliveries
    make: (own) => own.create('/webhooks', { url: own.receiver, events: ['invoice.overdue'], description: own.label }),
    readAt: '/webhooks/{}',
  },
  slack_integration_id: {
    // nothing listens on this port, and no test creates this event, so the integration does not change
    make: (own) =>
      own.create('/support/integrations/slack', {
        webhook_url: `${NOWHERE}/${newId('integration')}`,
        channel: '#support',
        events: ['sla.breach'],
        message_format: { template: own.label },
      }),
    readAt: '/support/integrations/slack/{}',
  },
  jira_integration_id: {
    make: (own) =>
      own.create('/support/integrations/jira', {
        jira_url: NOWHERE,
        username: own.label,
        api_token: 'token-of-nobody',
        project_key: newId('integration').toUpperCase().replace('_', ''),
        sync_settings: { create_jira_issues: false },
      }),
    readAt: '/support/integrations/jira/{}',
  },
  delivery_id: {
    // a delivered event, because the delivery then does not change any more
    async make(own) {
      const webhook = `/webhooks/${await own.id('webhook_id')}`;
      const { body } = await own.tenant.rest('GET', webhook);
      const { url, events } = body.data;
      await own.tenant.rest('PUT', webhook, { body: { url: await receiverUrl(), events: ['ticket.created'] } });
      await own.create('/support/tickets', { title: own.label, description: own.label });
      const id = await eventually(async () => {
        const [delivery] = (await own.tenant.rest('GET', `${webhook}/deliveries?status=delivered&event=ticket.created`)).body.data;
        return delivery?.id as string;
      });
      await own.tenant.rest('PUT', webhook, { body: { url, events } });
      return id;
    },
  },
  report_id: {
    async make(own) {
      const id = await own.create('/support/reports/generate', { report_type: 'usage' });
      await eventually(async () => (await own.tenant.rest('GET', `/support/reports/${id}`)).body.report.status === 'ready');
      return id;
    },
  },
  analytics_report_id: {
    async make(own) {
      const end = (await rig()).clock.now().getTime();
      const date_range = { start: new Date(end - 7 * DAY_MS), end: new Date(end) };
      const id = await own.create('/analytics/reports', { report_type: 'incidents', date_range });
      await eventually(async () => (await own.tenant.rest('GET', `/analytics/reports/${id}`)).body.data.status === 'ready');
      return id;
    },
    withoutRoute: ['deleteAnalyticsReport'],
  },
  // not a stored record: the id contains the period, and the figures are those that the caller sees
  analytics_scope_id: {
    async make() {
      const end = (await rig()).clock.now();
      const [first, middle] = [new Date(end.getTime() - 14 * DAY_MS), new Date(end.getTime() - 7 * DAY_MS)];
      const days = (start: Date, last: Date) => ({ start, end: last, firstDay: dateOf(start), lastDay: dateOf(last) });
      const asked = { from: dateOf(middle), to: dateOf(end) };
      const range = { asked, period: days(middle, end), before: days(first, middle), lastWholeDay: dateOf(end), timezone: 'UTC' };
      return analyticsId({ ...range, accountId: null, serviceIds: null, type: null });
    },
  },
  key_id: {
    // has the permission that is needed to change it, so that callers with this permission can change it
    make: (own) => own.create('/auth/api-keys', { name: own.label, permissions: ['credentials:write'] }),
    readAt: '/auth/api-keys/{}',
  },
  issuer_id: {
    make: (own) =>
      own.create('/auth/trusted-issuers', {
        name: own.label,
        issuer: freshIssuer(),
        audience: 'https://api.example.com',
        jwks_uri: 'https://tokens.example.com/jwks.json',
        permissions: ['credentials:admin'],
      }),
    readAt: '/auth/trusted-issuers/{}',
  },
  certificate_id: {
    async make(own) {
      const { pem } = await issue();
      return own.create('/auth/certificates', { certificate: pem, name: own.label, permissions: ['credentials:write'] });
    },
    readAt: '/auth/certificates/{}',
  },
  connection_id: {
    // created by a key with only the permission to change it, so that callers with this permission can change it
    async make(own) {
      const registrar = await own.tenant.limitedTo('credentials:write');
      const body = { name: own.label, email_domains: [newDomain()], idp_entity_id: 'https://idp.example.com' };
      return (await registrar.rest('POST', '/auth/saml-connections', { body })).body.data.id;
    },
    readAt: '/auth/saml-connections/{}',
    withoutRoute: ['verifySamlDomains'],
  },
  event_id: {
    async make(own) {
      const subject = await own.id('ticket_id');
      const query = 'query($of: ID!) { events(filter: { subjectId: [$of] }) { nodes { id } } }';
      return eventually(async () => (await own.tenant.graphql(query, { of: subject })).data.events.nodes[0]?.id as string);
    },
    withoutRoute: ['event'],
  },
};

/**
 * Calls that prepare the existing records for an operation that would otherwise fail, by operationId. For example, only a
 * suspended organization can be resumed.
 */
export const arranged: Readonly<Record<string, (own: Records) => Promise<unknown>>> = {
  resumeOrganization: async (own) => (await operator()).rest('POST', `/operator/organizations/${await own.id('organization_id')}/suspend`),
  getOrganizationExport: async (own) =>
    (await operator()).rest('POST', `/operator/organizations/${await own.id('organization_id')}/export`),
  resumeWebhook: async (own) => own.tenant.rest('PUT', `/webhooks/${await own.id('webhook_id')}`, { body: { active: false } }),
};

/** The required query string of a path, by path. */
export const requiredQueries: Readonly<Record<string, string>> = {
  '/connectivity/fiber/availability': 'zip=10118',
  '/services/availability': 'zip=10118',
};

/** Body fields that are replaced by the id of a record, by the name of the id. A request must not have both. */
export const alternatives: Readonly<Record<string, string>> = { payment_method_id: 'payment_method' };

/** Names of parameters and fields that look like ids of records but are not, with the reason. */
export const noRecords: Readonly<Record<string, string>> = {
  domain: 'an email domain; withdrawing an unclaimed domain succeeds too',
  category: 'a category of the catalog or of support, which is the same for all organizations',
  tax_id: 'the tax number of a customer; it is stored as sent',
  site_id: 'a name that the customer gives to a site; it is stored as sent',
  customer_ids:
    'a filter of a webhook; it is applied to events of the same organization, so that the id of another organization matches nothing',
  service_ids:
    'services of a bulk, where an unknown id is an item with an error (tenancy.test.ts), or a filter of log entries, where it matches nothing',
  idp_entity_id: 'the entity id of an identity provider, which is not a record of the platform',
  catalog_id: 'a product of the catalog, which is the same for all organizations',
  trace_id: 'a filter of log entries; it is not a record of the platform',
};

/**
 * Creates an unused email address. It replaces EXAMPLE_EMAIL of the examples, because a user's address must be unique.
 */
export const freshEmail = (): string => `${newId('user').toLowerCase()}@example.com`;
export const EXAMPLE_EMAIL = 'grace@acme.example.com';

/** A webhook URL on a port where nothing listens, for events that are not delivered. */
export const NOWHERE = 'http://127.0.0.1:9/hook';

let receiving: Promise<string> | undefined;
/** The URL of a server that responds to every request with 200 and does not keep the process running. */
const receiverUrl = (): Promise<string> => {
  receiving ??= new Promise((resolve) => {
    const server = createServer((_, response) => void response.end()).unref();
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`));
  });
  return receiving;
};

export const newDomain = (): string => `${newId('request').replace('_', '-').toLowerCase()}.example.com`;

export const freshIssuer = (): string => `https://${newId('trustedIssuer').toLowerCase()}.example.com`;
