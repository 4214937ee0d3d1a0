import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../rest-bridge/route.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { isOperators, operationOf, resolved, routes, withField } from '../support/operations.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

const withBody = routes.filter((route) => route.method !== 'GET' && operationOf(route).requestBody?.content['application/json']);
const pathOf = ({ path }: Route): string => path.replace(/\{\w+\}/g, 'none_01JQ8Z6V4T9M3N2B1C0D9E8F7G');

async function problemsOf(route: Route, body: Json): Promise<{ field: string; reason: string }[]> {
  const caller = isOperators(route) ? await operator() : tenant;
  const { status, body: refused } = await caller.rest(route.method, pathOf(route), { body });
  return status === 400 ? (refused.error.details.errors ?? []) : [];
}

/** Values by field type that are too short, too long, too small or too large for many fields. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', 'x'.repeat(5_001)],
  integer: [-1, 100_000_000],
  number: [-1, 1e15],
  array: [[], Array(500).fill('x')],
};

/** Fields with rules that need the database. These rules are checked only if all other fields are valid. */
const LOOKED_UP = ['service_template', 'services.0.sla', 'sla'];

const lineOf = ({ field, reason }: { field: string; reason: string }): string => `${field}: ${reason}`;

interface Leaf {
  path: string[];
  type: string;
}

/** The fields of a body schema that contain no other fields, at any depth. Fields with an enum or a format are left out. */
function leavesOf(node: Json, path: string[] = []): Leaf[] {
  const { type, properties, items, enum: values, format, allOf = [] } = resolved(node);
  if (allOf.length > 0) return allOf.flatMap((part: Json) => leavesOf(part, path));
  if (properties) return Object.entries(properties).flatMap(([name, member]) => leavesOf(member, [...path, name]));
  if (items && resolved(items).properties) return leavesOf(items, [...path, '0']);
  return values || format || resolved(items)?.enum ? [] : [{ path, type: [type].flat()[0] as string }];
}

const isAt = (field: string, path: string): boolean => field === path || field.startsWith(`${path}.`);

/** The position of a field in a body; -1 if the body does not have it. */
function positionOf(body: Json, field: string): number {
  const paths: string[] = [];
  const visit = (value: Json, path: string): void => {
    if (path) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) visit(member, path ? `${path}.${key}` : key);
  };
  visit(body, '');
  return paths.indexOf(field);
}

describe('all invalid body fields in one error', () => {
  test.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s reports all invalid body fields in one error, in the order of the body',
    async (_, route) => {
      const { schema } = operationOf(route).requestBody.content['application/json'];
      const example = JSON.parse(JSON.stringify(route.example ?? {}));
      const alone = async ({ path, type }: Leaf) => {
        for (const value of WRONG[type] ?? []) {
          const problems = await problemsOf(route, withField(example, path, value));
          const found = problems.find(({ field }) => isAt(field, path.join('.')));
          if (found) return [{ path, value, line: lineOf(found) }];
        }
        return [];
      };
      const leaves = leavesOf(schema).filter(({ path }) => !LOOKED_UP.includes(path.join('.')));
      const broken = (await Promise.all(leaves.map(alone))).flat().slice(0, 18);

      let body: Json = { colour: 'of a wrong shape', ...example };
      for (const { path, value } of broken) body = withField(body, path, value);
      const listed = (await problemsOf(route, body)).map(lineOf);
      for (const { line } of broken) expect(listed.join('\n')).toContain(line);
      expect(listed[0]).toMatch(/^colour: is not a known field/);
      const positions = listed.map((line) => positionOf(body, line.slice(0, line.indexOf(':')))).filter((position) => position >= 0);
      expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    },
  );
});

describe('rules that involve several fields', () => {
  const cases: Record<string, { body: Json; fields: string[] }> = {
    submitFeedback: {
      body: { rating: 9, colour: 1, article_id: 'art_1', ticket_id: 'ticket_1' },
      fields: ['rating', 'colour', 'article_id'],
    },
    updateTicketCategory: {
      body: { name: '', description: 7, subcategories: ['a', 'b', 'a', 'b'].map((id) => ({ id, name: 'N' })) },
      fields: ['name', 'description', 'subcategories.2.id', 'subcategories.3.id'],
    },
    createSlaPolicy: {
      body: {
        name: 7,
        timezone: 'Mars/Olympus',
        targets: ['low', 'low', 'high', 'critical'].map((priority) => ({
          priority,
          response_time: 'soon',
          resolution_time: '8 hours',
          escalate_after: ['2 hours', '1 hour'],
        })),
      },
      fields: [
        'name',
        'timezone',
        ...[0, 1, 2, 3].flatMap((index) => [
          ...(index === 1 ? ['targets.1.priority'] : []),
          `targets.${index}.response_time`,
          `targets.${index}.escalate_after`,
        ]),
      ],
    },
    createRoutingRule: { body: { rule_name: '', actions: {}, active: 'yes' }, fields: ['rule_name', 'actions', 'active'] },
    addTicketComment: {
      body: { content: '', type: 'internal_note', visibility: 'customer', author: { type: 'agent' }, metadata: 7 },
      fields: ['content', 'visibility', 'author.id', 'metadata'],
    },
    notifyTicketContacts: {
      body: {
        type: 'email',
        recipients: [{ email: 'none' }, { email: null, phone: '+12125550100' }],
        message: 'M',
        template: 'none',
        subject: 7,
      },
      fields: ['recipients.0.email', 'recipients.1.email', 'recipients.1.phone', 'message', 'template', 'subject'],
    },
    generateSupportReport: {
      body: {
        report_type: 'A B',
        parameters: { timezone: 7, date_range: { start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' } },
      },
      fields: ['report_type', 'parameters.timezone', 'parameters.date_range.end'],
    },
    createJiraIntegration: {
      body: { jira_url: 'https://acme.example.com/?a=1', username: 'a:b', api_token: 7, project_key: 'SUP' },
      fields: ['jira_url', 'username', 'api_token'],
    },
    createSlackIntegration: {
      body: { webhook_url: 7, channel: 'a b', events: ['ticket.created', 'invoice.*', 'nothing'] },
      fields: ['webhook_url', 'channel', 'events.1', 'events.2'],
    },
    createInvoice: {
      body: {
        account_id: 'none',
        services: [
          { service_id: 'none', quantity: 0, unit_price: 0.001 },
          { service_id: 'svc_1', quantity: 'one', unit_price: -1 },
        ],
        due_date: '2020-01-01',
      },
      fields: [
        'account_id',
        'services.0.service_id',
        'services.0.quantity',
        'services.0.unit_price',
        'services.1.quantity',
        'services.1.unit_price',
        'due_date',
      ],
    },
    createBillingWebhook: {
      body: { url: '', events: ['nothing', 'ticket.created', 'invoice.*'], active: 'yes' },
      fields: ['url', 'events.0', 'events.1', 'active'],
    },
    replayWebhook: {
      body: { since: '2020-01-01T00:00:00Z', until: '2019-01-01T00:00:00Z', events: ['nothing'], status: ['pending'], colour: 1 },
      fields: ['since', 'until', 'events.0', 'status.0', 'colour'],
    },
    provisionService: {
      body: {
        service_template: 'business_fiber',
        customizations: { bandwidth: 'much' },
        deployment_schedule: { preferred_date: '2020-01-01T00:00:00Z', flexibility: 'some' },
        location: 7,
      },
      fields: ['customizations.bandwidth', 'deployment_schedule.preferred_date', 'deployment_schedule.flexibility', 'location'],
    },
    orderInternetService: {
      body: { account_id: 7, service_type: 'fiber', bandwidth: 'much' },
      fields: ['account_id', 'bandwidth', 'location'],
    },
    createApiKey: {
      body: { name: '', permissions: 7, restrictions: { expires_at: '2020-01-01T00:00:00Z' } },
      fields: ['name', 'permissions.0', 'restrictions.expires_at'],
    },
    registerCertificate: { body: { certificate: 'none', name: '', permissions: 7 }, fields: ['certificate', 'name', 'permissions.0'] },
    createOAuthClient: {
      body: { name: '', is_confidential: false, grant_types: ['authorization_code', 'client_credentials'], scopes: 7 },
      fields: ['name', 'grant_types', 'scopes.0', 'redirect_uris'],
    },
    createSamlConnection: {
      body: {
        name: '',
        email_domains: 7,
        metadata_url: 'https://idp.example.com',
        metadata_xml: '<a/>',
        sso_url: 'ftp://idp.example.com',
        certificates: ['none'],
        allow_provisioning: true,
      },
      fields: ['name', 'email_domains.0', 'metadata_xml', 'sso_url', 'certificates.0', 'allow_provisioning'],
    },
    addAccountUser: { body: { email: 'none', name: 7, role: 'owner', accounts: ['acc_1'] }, fields: ['email', 'name', 'accounts'] },
  };

  test.each(Object.entries(cases))(
    '%s reports both the violated rules between fields and the violated rules of single fields',
    async (operationId, { body, fields }) => {
      const route = routes.find((one) => one.operationId === operationId) as Route;
      const { status, body: refused } = await tenant.rest(route.method, pathOf(route), { body });
      expect([status, refused.error?.details.errors.map(({ field }: Json) => field)]).toEqual([400, fields]);
      expect(refused.error.details.problems_total).toBe(fields.length);
    },
  );

  test('the error for several invalid query parameters lists all of them', async () => {
    const { status, body } = await tenant.rest(
      'GET',
      '/billing/invoices?page=0&offset=3&limit=many&date_from=2026-02-01&date_to=2026-01-01',
    );
    expect([status, body.error.details.errors.map(({ field }: Json) => field).toSorted()]).toEqual([400, ['date_to', 'limit', 'page']]);
    const dashboard = await tenant.rest('GET', '/support/analytics/dashboard?date_range=soon&timezone=Mars/Olympus');
    expect(dashboard.body.error.details.errors.map(({ field }: Json) => field)).toEqual(['date_range', 'timezone']);
    const deliveries = await tenant.rest('GET', '/webhooks/wh_1/deliveries?event=nothing&limit=many');
    expect(deliveries.body.error.details.errors.map(({ field }: Json) => field).toSorted()).toEqual(['event.0', 'limit']);
  });
});

describe('invalid GraphQL input', () => {
  const CREATE_INVOICE = 'mutation ($input: InvoiceCreateInput!) { createInvoice(input: $input) { id } }';

  test('one GraphQL error lists all type errors of the variables, including errors of custom scalars', async () => {
    const services = [{ serviceId: 'svc_1', quantity: 'one', unitPrice: 'x' }, { unitPrice: 1 }];
    const { errors, data } = await tenant.graphql(CREATE_INVOICE, { input: { dueDate: 'soon', services, colour: 1 } });
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.details.errors.map(({ field, reason }: Json) => `${field} ${reason}`)).toEqual([
      'input.dueDate must be an ISO 8601 timestamp such as 2026-01-31T09:30:00Z',
      'input.services.0.quantity Int cannot represent non-integer value',
      'input.services.0.unitPrice must be a decimal number such as 149.95',
      'input.services.1.serviceId is required',
      'input.services.1.quantity is required',
      'input.colour is not a known field',
      'input.accountId is required',
    ]);
  });

  test("each invalid literal of a custom scalar in a GraphQL document returns INVALID_PARAMETERS with the literal's location", async () => {
    const { errors } = await tenant.graphql(
      'mutation { createInvoice(input: { accountId: "acc_1", dueDate: "soon", services: [{ serviceId: "svc_1", quantity: 1, unitPrice: "x" }] }) { id } }',
    );
    expect(errors?.map(({ extensions, locations }) => [extensions.code, locations.length])).toEqual([
      ['INVALID_PARAMETERS', 1],
      ['INVALID_PARAMETERS', 1],
    ]);
    expect(errors?.map(({ message }) => message).join()).toMatch(/must be an ISO 8601 timestamp.*must be a decimal number/);
  });

  test('one GraphQL error lists all invalid arguments of a field', async () => {
    const { errors } = await tenant.graphql(
      `query ($filter: InvoiceFilter, $page: PageInput) {
      invoices(filter: $filter, page: $page) { pageInfo { total } }
    }`,
      { filter: { dateFrom: '2026-02-01', dateTo: '2026-01-01' }, page: { page: 0, limit: 3, perPage: 4 } },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems_total: 3, errors: [{ field: 'dateTo' }, { field: 'page' }, { field: 'limit' }] },
    });
  });

  test('one GraphQL error lists both the violated rules between fields and the violated rules of single fields', async () => {
    const { errors } = await tenant.graphql('mutation ($input: WebhookCreateInput!) { createWebhook(input: $input) { id } }', {
      input: { url: '', events: ['nothing', 'invoice.created'], family: 'BILLING', filters: { priorities: ['HIGH'] } },
    });
    expect(errors?.[0]?.extensions.details.errors.map(({ field }: Json) => field)).toEqual(['url', 'events.0', 'filters']);
  });
});
