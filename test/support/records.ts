import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../kernel/ids.ts';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { clock, eventually } from '../rig.ts';
import { challengeOf, enrolled, withSms } from '../security/mfa.setup.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';
import { issue } from './certificates.ts';

/** How the record that a path parameter or a member of a body names is made, and where its owner reads it. */
interface RecordKind {
  make(own: Records): Promise<string>;
  /** With the id as `{}`; absent where nothing reads one such record. */
  readAt?: string;
  /** Fields of Query and Mutation whose argument `id` names it. */
  fields?: readonly string[];
}

/** By the name of the parameter or member, in the API's spelling. A new kind of record needs one entry here, and nothing else. */
export const recordKinds: Readonly<Record<string, RecordKind>> = {
  account_id: {
    make: async ({ tenant, label }) => (await createAccount(tenant, label)).id,
    readAt: '/accounts/{}',
    fields: ['account', 'updateAccount', 'deleteAccount'],
  },
  user_id: {
    make: async (own) =>
      own.create(`/accounts/${await own.id('account_id')}/users`, { name: own.label, email: freshEmail(), role: 'billing' }),
    fields: ['user', 'updateUser', 'removeUser', 'resetUserMfa'],
  },
  client_id: { make: (own) => own.create('/auth/api-keys', { name: own.label, permissions: ['services:read'] }) },
  session_id: {
    // of a user in the organization: whoever may administer credentials may end it
    make: async (own) => (await userOf(own.tenant)).tokens.session_id,
    fields: ['endSession'],
  },
  challenge_id: { make: async (own) => challengeOf((await withSms(own.tenant)).user) },
  method_id: {
    async make(own) {
      const { user } = await enrolled(own.tenant);
      return (await user.rest('GET', '/auth/mfa/methods')).body.data[0].id;
    },
    fields: ['deleteMfaMethod'],
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
      // until it is built it changes by itself
      await eventually(async () => (await own.tenant.rest('GET', `/services/${service.id}`)).body.data.status === 'operational');
      return service.id;
    },
    readAt: '/services/{}',
    fields: ['service', 'serviceStatus'],
  },
  request_id: {
    // without an account it waits, and changes no more by itself
    make: (own) =>
      own.create('/services/provision', {
        service_template: 'business_fiber',
        customizations: { bandwidth: '500mbps' },
        name: own.label,
      }),
    readAt: '/services/provision/{}/status',
    fields: ['provisioningRequest', 'updateProvisioningRequest', 'cancelProvisioningRequest'],
  },
  service_affected: { make: (own) => own.id('service_id') },
  invoice_id: {
    async make(own) {
      const line = { service_id: await own.id('service_id'), quantity: 1, unit_price: 149.95 };
      return own.create('/billing/invoices', { account_id: await own.id('account_id'), services: [line], notes: own.label });
    },
    readAt: '/billing/invoices/{}',
    fields: ['invoice'],
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
    fields: ['ticket', 'updateTicket'],
  },
  assigned_to: {
    async make(own) {
      const { body } = await own.tenant.rest('GET', `/support/tickets/${await own.id('ticket_id')}`);
      return body.ticket.assigned_to.agent_id;
    },
  },
  assign_to: { make: (own) => own.id('assigned_to') },
  rule_id: {
    make: (own) => own.create('/support/routing-rules', { rule_name: own.label, actions: { notify: ['noc@example.com'] }, active: false }),
    readAt: '/support/routing-rules/{}',
    fields: ['routingRule', 'updateRoutingRule', 'deleteRoutingRule'],
  },
  comment_id: {
    make: async (own) => own.create(`/support/tickets/${await own.id('ticket_id')}/comments`, { content: own.label }),
    fields: ['comment'],
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
    fields: ['oauthClient', 'updateOAuthClient', 'rotateOAuthClientSecret', 'deleteOAuthClient'],
  },
  webhook_id: {
    // a pattern that nothing here matches, so that the record stays as it is
    make: (own) => own.create('/webhooks', { url: own.receiver, events: ['invoice.overdue'], description: own.label }),
    readAt: '/webhooks/{}',
    fields: ['webhook', 'updateWebhook', 'deleteWebhook', 'testWebhook', 'rotateWebhookSecret', 'resumeWebhook', 'replayWebhook'],
  },
  delivery_id: {
    // of an event, and delivered: it changes no more by itself
    async make(own) {
      const webhook = `/webhooks/${await own.id('webhook_id')}`;
      const { body } = await own.tenant.rest('GET', webhook);
      const { url, events } = body.data;
      await own.tenant.rest('PUT', webhook, { body: { url: await everReceiving(), events: ['ticket.created'] } });
      await own.create('/support/tickets', { title: own.label, description: own.label });
      const id = await eventually(async () => {
        const [delivery] = (await own.tenant.rest('GET', `${webhook}/deliveries?status=delivered&event=ticket.created`)).body.data;
        return delivery?.id as string;
      });
      await own.tenant.rest('PUT', webhook, { body: { url, events } });
      return id;
    },
    fields: ['webhookDelivery'],
  },
  key_id: {
    // holds the permission that changing it needs, so that whoever has that may
    make: (own) => own.create('/auth/api-keys', { name: own.label, permissions: ['credentials:write'] }),
    readAt: '/auth/api-keys/{}',
    fields: ['apiKey', 'updateApiKey', 'rotateApiKey', 'deleteApiKey'],
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
    fields: ['trustedIssuer', 'updateTrustedIssuer', 'deleteTrustedIssuer'],
  },
  certificate_id: {
    async make(own) {
      const { pem } = await issue();
      return own.create('/auth/certificates', { certificate: pem, name: own.label, permissions: ['services:read'] });
    },
    readAt: '/auth/certificates/{}',
    fields: ['certificate', 'revokeCertificate'],
  },
  connection_id: {
    make: (own) =>
      own.create('/auth/saml-connections', { name: own.label, email_domains: [newDomain()], idp_entity_id: 'https://idp.example.com' }),
    readAt: '/auth/saml-connections/{}',
    fields: ['samlConnection', 'updateSamlConnection', 'deleteSamlConnection'],
  },
  event_id: {
    async make(own) {
      const subject = await own.id('ticket_id');
      const query = 'query($of: ID!) { events(filter: { subjectId: [$of] }) { nodes { id } } }';
      return eventually(async () => (await own.tenant.graphql(query, { of: subject })).data.events.nodes[0]?.id as string);
    },
    fields: ['event'],
  },
};

/** What must be so before an operation succeeds with the records that there are, by operationId. */
export const arranged: Readonly<Record<string, (own: Records) => Promise<unknown>>> = {
  resumeWebhook: async (own) => own.tenant.rest('PUT', `/webhooks/${await own.id('webhook_id')}`, { body: { active: false } }),
};

/** Parameters and members that look as if they named a record of an organization and do not, with the reason. */
export const noRecords: Readonly<Record<string, string>> = {
  category: 'a word of the catalog or of the desk, the same for everybody',
  site_id: 'the name that the customer gives to a site, kept as sent',
  customer_ids: "the filter of a webhook: it lets only the organization's own events through, so another's number matches none",
  idp_entity_id: 'the name of an identity provider in its own organization, no record here',
  catalog_id: 'a product of the catalog, the same for everybody',
};

/** Examples share an address, and one address is one user's. */
const freshEmail = (): string => `${newId('user').toLowerCase()}@example.com`;
const EXAMPLE_EMAIL = 'grace@acme.example.com';

/** Where webhooks of these tests point: a port that is never open, for what is not delivered. */
const NOWHERE = 'http://127.0.0.1:9/hook';

let receiving: Promise<string> | undefined;
/** Answers 200 to everything for as long as the tests run, and keeps no process alive. */
const everReceiving = (): Promise<string> => {
  receiving ??= new Promise((resolve) => {
    const server = createServer((_, response) => void response.end()).unref();
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`));
  });
  return receiving;
};

const newDomain = (): string => `${newId('request').replace('_', '-').toLowerCase()}.example.com`;

/** The records of one organization, each made when it is first asked for. */
export class Records {
  readonly #made = new Map<string, Promise<string>>();

  constructor(
    readonly tenant: Tenant,
    /** Stands in every record that has a place for text, so that it can be looked for. */
    readonly label: string,
    readonly receiver = NOWHERE,
  ) {}

  id(name: string): Promise<string> {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const making = kindOf(name).make(this);
    this.#made.set(name, making);
    return making;
  }

  /** A record that nothing else here refers to: for operations that end it. */
  fresh(name: string): Promise<string> {
    return kindOf(name).make(this);
  }

  /** The record as its owner reads it, without the request's own members. */
  async read(name: string): Promise<Json> {
    const { readAt } = kindOf(name);
    if (!readAt) return undefined;
    const { status, body } = await this.tenant.rest('GET', readAt.replace('{}', await this.id(name)));
    if (status !== 200) throw new Error(`The owner cannot read its own ${name}: ${status} ${JSON.stringify(body)}`);
    const { metadata: _, ...record } = body;
    return record;
  }

  /** The route's path with its parameters filled in. */
  async path(template: string, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<string> {
    let path = template;
    for (const [place, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      path = path.replace(place, name in noRecords ? (FILLED[name] ?? name) : await idOf(name));
    }
    return path;
  }

  /** The example of a body with the records that it names replaced by existing ones, addresses by one that answers, and what can be sent once made anew. */
  async body(example: Json, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<Json> {
    if (Array.isArray(example)) return Promise.all(example.map((item) => this.body(item, idOf)));
    if (typeof example !== 'object' || example === null) return example;
    const members = Object.entries(example).map(async ([name, value]) => {
      if (name in recordKinds) return [name, await idOf(name)];
      if (value === EXAMPLE_EMAIL) return [name, freshEmail()];
      if (name === 'issuer') return [name, freshIssuer()];
      // what the log still keeps
      if (name === 'since') return [name, new Date(clock.now().getTime() - 3_600_000).toISOString()];
      if (name === 'certificate') return [name, (await issue()).pem];
      // each belongs to one connection of one organization
      if (name === 'email_domains') return [name, [newDomain()]];
      return [name, name === 'url' ? this.receiver : await this.body(value, idOf)];
    });
    return Object.fromEntries(await Promise.all(members));
  }

  async create(path: string, body: Json): Promise<string> {
    const answer = await this.tenant.rest('POST', path, { body });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    const { metadata: _, ...rest } = answer.body;
    const [record] = Object.values(rest).filter((member) => typeof member === 'object') as Json[];
    return record.id;
  }
}

const freshIssuer = (): string => `https://${newId('trustedIssuer').toLowerCase()}.example.com`;

/** Words that path parameters take which name no record. */
const FILLED: Readonly<Record<string, string>> = { category: 'connectivity' };

export function kindOf(name: string): RecordKind {
  const kind = recordKinds[name];
  if (!kind)
    throw new Error(
      `Nothing here knows what record ${name} names. Add how one is made to recordKinds in test/support/records.ts, or to noRecords why it names none.`,
    );
  return kind;
}

/** Whether a parameter or member names a record. @throws for a name that looks so and is in neither table. */
export function namesRecord(name: string): boolean {
  if (name in recordKinds) return true;
  if (name in noRecords || !/_ids?$/.test(name)) return false;
  return Boolean(kindOf(name));
}
