import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../rest-bridge/route.ts';
import { rig } from '../rig.ts';
import { callers } from '../support/callers.ts';
import { isOperators, operationOf, resolved, routes, titled } from '../support/operations.ts';
import { arranged } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import type { Json, RestResponse } from '../tenant.ts';

/** POST and PUT routes that change data and can be called with the API key of an organization. */
const changes = routes.filter(
  (route) =>
    (route.method === 'POST' || route.method === 'PUT') &&
    route.access !== 'public' &&
    !isOperators(route) &&
    !callers[route.operationId] &&
    route.example &&
    // searches with a body change nothing and have no conflicts
    operationOf(route).responses[409],
);
const updates = changes.filter(({ method }) => method === 'PUT');
/** The last ones end their service. A service that ends at some time during the other tests would change their results. */
const creations = changes
  .filter(({ method }) => method === 'POST')
  .toSorted((one, other) => Number(one.path.endsWith('/decommission')) - Number(other.path.endsWith('/decommission')));

let records: Records;
/** Records of two further organizations, for creations without and with null: an organization can have some records only once. */
let created: Records;
let others: Records;
/** Records of another organization, for updates with null: these must not change the records that the creations use. */
let updated: Records;
beforeAll(async () => {
  const { organization } = await rig();
  const own = async () => new Records(await organization({ plan: 'custom' }), 'Null');
  [records, created, others, updated] = [await own(), await own(), await own(), await own()];
});

const bodySchema = (route: Route): Json => operationOf(route).requestBody.content['application/json'].schema;
const acceptsNull = ({ type, oneOf = [] }: Json): boolean =>
  (Array.isArray(type) && type.includes('null')) || oneOf.some((one: Json) => one.type === 'null');
const fieldsOf = (route: Route): [string, Json][] => Object.entries<Json>(bodySchema(route).properties);
const statesNull = ({ description = '' }: Json): boolean => /\bnull\b/i.test(description);

async function send(route: Route, body: Json, own = records): Promise<RestResponse> {
  return own.tenant.rest(route.method, await own.path(route.path), { body });
}

describe('null in a request body', () => {
  test('the OpenAPI description of every update field that accepts null states what null does', () => {
    const silent = updates.flatMap((route) =>
      fieldsOf(route)
        .filter(([, schema]) => acceptsNull(schema) && !statesNull({ description: schema.description ?? resolved(schema).description }))
        .map(([name]) => `${route.operationId} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  test.each(titled(changes))('%s rejects null with 400 for every field whose OpenAPI schema does not include null', async (_, route) => {
    const body = await records.body(route.example);
    for (const [name, schema] of fieldsOf(route).filter(([, one]) => !acceptsNull(one))) {
      const { status, body: answer } = await send(route, { ...body, [name]: null });
      expect([status, answer.error?.code], `${name}: ${JSON.stringify(schema)}`).toEqual([400, 'INVALID_PARAMETERS']);
      expect(answer.error.details.errors.map(({ field }: Json) => field)).toContain(name);
    }
  });

  test.each(titled(updates))('%s accepts null for every field whose OpenAPI schema includes null', async (_, route) => {
    await arranged[route.operationId]?.(updated);
    for (const [name] of fieldsOf(route).filter(([, schema]) => acceptsNull(schema))) {
      const { status, body } = await send(route, { [name]: null }, updated);
      const refused = (body.error?.details?.errors ?? []).map(({ field }: Json) => field);
      expect(refused, `${name}: ${JSON.stringify(body.error)}`).not.toContain(name);
      expect(status, JSON.stringify(body.error)).toBeLessThan(500);
    }
  });

  test.each(titled(creations))(
    '%s treats null like an omitted field, unless the OpenAPI description of the field states another effect',
    async (_, route) => {
      const { required = [] } = bodySchema(route);
      const nullable = fieldsOf(route).filter(([, schema]) => acceptsNull(schema) && !statesNull(schema));
      const nulls = Object.fromEntries(nullable.map(([name]) => [name, null]));
      const requiredOf = async (own: Records): Promise<Json> =>
        Object.fromEntries(Object.entries<Json>(await own.body(route.example)).filter(([name]) => required.includes(name)));
      const omitted = await send(route, await requiredOf(created), created);
      const withNull = await send(route, { ...(await requiredOf(others)), ...nulls }, others);
      expect(outcomeOf(withNull)).toEqual(outcomeOf(omitted));
    },
  );
});

/** The status and the content of a response, without values that differ between any two requests. */
function outcomeOf({ status, body }: RestResponse): Json {
  const text = JSON.stringify(body, (key, value) => (VARYING.test(key) ? typeof value : value))
    .replace(/\b[a-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}\b/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\b(TKT|INV|INC)-\d+/g, 'number')
    .replace(/[\w.+-]+@[\w.-]+/g, 'email');
  return { status, body: JSON.parse(text) };
}
const VARYING =
  /^(fingerprint|serial_number|subject|key|secret|signing_secret|client_secret|prefix|last4|inbound_secret|inbound_url|issuer|name|position|etag|revision|spent|forecast|.*_hint|email_domains|domains|.*_url|txt_value)$/;
