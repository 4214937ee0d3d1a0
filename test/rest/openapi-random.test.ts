import { beforeAll, describe, expect, test } from 'vitest';
import { pathParameters, type Route } from '../../rest-bridge/route.ts';
import { receiver } from '../events/receiver.ts';
import { operator } from '../operator.setup.ts';
import { clock, rig } from '../rig.ts';
import { callers } from '../support/callers.ts';
import { issue } from '../support/certificates.ts';
import { isOperators, operationOf, resolved, routes, titled } from '../support/operations.ts';
import { type Chooser, randomValue, seeded } from '../support/random-values.ts';
import { arranged, freshEmail, freshIssuer, newDomain, noRecords, recordKinds } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

/** The maximum number of random valid requests per operation. At least one of them must succeed. */
const TRIES = 20;

/** Operations for which no random request is expected to succeed, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  createSlaPolicy: 'it needs one target for each of the four priorities, each with increasing times',
  createAnalyticsReport: 'its period must begin in the past, and end after its start',
  planMaintenance: 'its start must be in the future, and its end after it',
  notifyTicketContacts: 'the fields of an email and of an SMS differ, in the request and in each recipient',
};

/** Error messages for values that match the OpenAPI schema but break a rule outside it, for example a rule between fields. */
const RULES: readonly RegExp[] = [
  // limits of an alert, which depend on its condition
  /^(is required|must be omitted|must not be (above|below) threshold) for the condition |^must be below threshold$|^repeats the name of a label$/,
  /^must be at least \d+ for a window of |^must be at most \d+ days ahead$/,
  // the length of a range of logs, which depends on its two ends
  /^must be at most \d+ days before the end of the range$/,
  // the period, figures and rows of a report
  /^must not begin (in the future|before )|^must be in the past$|^is (required|only possible) for a custom report$|^must be services of the account$/,
  /^must have at most one of day, week and month$|^must be month, service or type for costs|^must give at most \d+ rows|^must be at most \d+ days after the start$/,
  // between fields: paging parameters of lists, fields of an email and an SMS, parts of a SAML connection
  /^cannot be combined(:| with )|^differs from |^must be within the first \d+ entries/,
  /^is (only allowed|required) for an (SMS|e-mail)/,
  /^give one of |^is required, since |^requires default_role or |^must be null: /,
  /^must (have|hold) at least one address for |^refresh_token requires |^client_credentials requires /,
  /^must be given where |^is required if the host changes$/,
  /^is required, or (services|bulk_id|one of )|^is already in the list$|^must contain the new terms of each service$/,
  /^is only allowed with `|^must be equal to `|^needs the id of the quote that has this line$/,
  /^must be unique$|^must have times that are each later|^must be after |^must not be before /,
  // numbers of a bounding box
  /^is the (west|south|east|north) of the box and must be between |^has a south that is larger than its north/,
  // the size of a service: one field, which fits the service and the action; and the time of its maintenance
  /^is not a size of this service$|^must be (more|less) than \d|^must be within the maintenance window$/,
  // what the catalog sells, and what a network needs
  /^is required: one of \d|^must be one of (\d+mbps|static_ip|traffic_shaping|machine_learning|standard|ticket_created)|^cannot be ordered yet$|^is required$/,
  /^must (have|contain) .* for (a ring|point_to_point|hub_and_spoke)$|^is required for hub_and_spoke$|^is used twice$|^is not a setting of /,
  // rules about stored data, or about facts known only at run time
  /^is not an event of the |^does not match any event|^must match at least one event |^is not a cursor of this list|^cannot be restricted, since /,
  /^must be one of (business_|connectivity, )|which is not the address of an active agent/,
  // what is due of an invoice, or can be refunded, and how the payment method is named
  /^must be at most [\d.]+$|^must have at most \d decimals in |^is required, unless you send |^is not a service of acc_/,
  // rules that JSON Schema cannot state: well-formed XML, existing dates and the present time
  /^must have one root element$|^must respond with status 200 |^must be a number of (hours|days or weeks)|^must not be in the future$/,
];

/** Maps the prefix of an id to the kind of record, as named in `recordKinds`. The pattern of an id field contains the prefix. */
const KIND_OF_PREFIX: Readonly<Record<string, string>> = {
  acc: 'account_id',
  agent: 'agent_id',
  art: 'article_id',
  cust: 'customer_id',
  inv: 'invoice_id',
  sla: 'sla_policy_id',
  sub: 'subscription_id',
  svc: 'service_id',
  ticket: 'ticket_id',
  user: 'user_id',
};

/** Values that exist in the coverage data, in the service catalog or in the test processor. */
const PLACES: Readonly<Record<string, string>> = {
  bandwidth: '500mbps',
  card_token: 'tok_visa',
  catalog_id: 'business_fiber',
  service_template: 'business_fiber',
  sla: 'standard',
  new_bandwidth: '2000mbps',
  service_type: 'fiber',
  state: 'NY',
  zip: '10118',
};
const RSA_CERTIFICATE = routes.flatMap(({ example }) => (example?.certificates as string[] | undefined) ?? [])[0];

let tenant: Tenant;
let records: Records;
let url: string;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  records = new Records(tenant, 'Random');
});

describe('random requests that are valid by the OpenAPI document', () => {
  test.each(titled(routes))('%s accepts one of 20 valid random requests, and refuses the others as documented', async (title, route) => {
    const random = seeded([...title].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7));
    const refusals: string[] = [];
    ({ url } = await receiver());
    let succeeded = false;
    for (let attempt = 0; attempt < TRIES && !succeeded; attempt += 1) {
      const { response, sent } = await tried(route, random);
      succeeded = response.status < 300;
      if (!succeeded) refusals.push(...undocumented(response).map((reason) => `${reason} ${JSON.stringify(sent).slice(0, 400)}`));
    }
    expect([...new Set(refusals)]).toEqual([]);
    if (!EXCEPTIONS[route.operationId]) expect(succeeded, 'no request succeeded').toBe(true);
  });

  test('the random request test excludes fewer than a tenth of all operations', () => {
    expect(Object.keys(EXCEPTIONS).length).toBeLessThan(routes.length / 10);
  });
});

async function tried(route: Route, random: () => number): Promise<{ response: RestResponse; sent: Json }> {
  const own = new Records(tenant, 'Random', url);
  const [last = ''] = pathParameters(route.path).slice(-1);
  const isShared = route.method === 'GET' || arranged[route.operationId] !== undefined;
  const idOf = (name: string) => (isShared ? records.id(name) : name === last ? own.fresh(name) : own.id(name));
  const chooser: Chooser = { random, now: clock.now(), known };
  const operation = operationOf(route);
  const call = await callers[route.operationId]?.(tenant);
  await arranged[route.operationId]?.(records);
  const query: string[] = [];
  for (const parameter of operation.parameters.map(resolved).filter((one: Json) => one.in === 'query')) {
    if (parameter.required || random() < 0.3)
      query.push(...inQuery(parameter, await randomValue(parameter.schema, parameter.name, chooser)));
  }
  const content = operation.requestBody?.content['application/json'];
  const drawn = content && route.method !== 'GET' ? await randomValue(content.schema, 'body', chooser) : undefined;
  const body = drawn || call?.body ? { ...drawn, ...call?.body } : undefined;
  const path = Object.entries(call?.ids ?? {}).reduce((filled, [name, id]) => filled.replace(`{${name}}`, id), route.path);
  const caller = call?.caller ?? (isOperators(route) ? await operator() : tenant);
  const filled = (await own.path(path, idOf)).split('?', 1)[0];
  const target = `${filled}${query.length ? `?${query.join('&')}` : ''}`;
  return { response: await caller.rest(route.method, target, { body }), sent: { target, body } };
}

/** Serializes a query parameter in the style that the OpenAPI document states. */
function inQuery({ name, style }: Json, value: Json): string[] {
  if (style !== 'deepObject') return [`${name}=${encodeURIComponent(Array.isArray(value) ? value.join(',') : value)}`];
  return Object.entries<Json>(value).flatMap(([member, inner]) =>
    Array.isArray(inner)
      ? inner.map((item) => `${name}[${member}][]=${encodeURIComponent(item)}`)
      : [`${name}[${member}]=${encodeURIComponent(inner)}`],
  );
}

/**
 * Returns the value of a field for which random values do not work, such as the id of an existing record. Returns
 * `undefined` if the field can have a random value.
 */
async function known(name: string, { pattern, type, maxLength, enum: values }: Json): Promise<Json> {
  if (type === 'array' || type === 'object') return undefined;
  const kind = KIND_OF_PREFIX[/^\^([a-z]+)_/.exec(pattern ?? '')?.[1] ?? ''];
  if (kind && !(name in noRecords)) return records.id(kind);
  if (name in recordKinds && type === 'string') return records.id(name);
  if (name === 'email') return freshEmail();
  if (name === 'email_domains') return newDomain();
  if (name === 'issuer') return freshIssuer();
  if (name === 'certificate') return (await issue()).pem;
  if (name === 'certificates') return RSA_CERTIFICATE;
  // `state` is a part of an address, or the state of a record
  if (name in PLACES && (!values || values.includes(PLACES[name]))) return PLACES[name];
  // lines of quotes and bulks; the same names have other values in other records
  if (maxLength === 100 && name === 'type') return 'fiber';
  if (maxLength === 100 && name === 'template') return 'business_fiber';
  if (name === 'amount') return 1.25;
  if (name === 'since') return new Date(clock.now().getTime() - 3_600_000).toISOString();
  return name === 'url' ? url : undefined;
}

/** The reasons in an error response that neither the OpenAPI document nor `RULES` covers. */
function undocumented({ status, body }: RestResponse): string[] {
  if ([402, 403, 404, 409].includes(status)) return [];
  const problems: Json[] = body.error?.details?.errors ?? [];
  // the coverage of a location, and the bandwidth that is available there
  if (/^(SERVICE_UNAVAILABLE_AT_LOCATION|LOCATION_NOT_SERVICEABLE|INSUFFICIENT_BANDWIDTH)$/.test(body.error?.code)) return [];
  if (status !== 400) return [`${status} ${body.error?.code}`];
  if (problems.length === 0) return RULES.some((rule) => rule.test(body.error.message)) ? [] : [`${body.error.code} ${body.error.message}`];
  return problems
    .filter(({ reason }) => !RULES.some((rule) => rule.test(reason)))
    .map(({ field, reason }) => `${status} ${field} ${reason}`);
}
