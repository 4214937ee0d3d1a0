import { expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { placeOrder } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

/**
 * The limit of service orders per hour (specification 8.4). Failed orders count too, so the tests use an account that
 * does not exist.
 */
const ORDERS_AN_HOUR = 50;
const UNKNOWN = 'acc_00000000000000000000000000';

/** Orders, in turn with `orderInternetService` and with `orderService`, which has no REST route. */
const ordering = (count: number): string => {
  const orders = Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? `o${n}: orderService(input: { internet: $input }) { id }` : `o${n}: orderInternetService(input: $input) { id }`,
  );
  return `mutation ($input: InternetServiceOrderInput!) { ${orders.join(' ')} }`;
};
const input = { accountId: UNKNOWN, serviceType: 'FIBER', bandwidth: '1000mbps', location: LOCATION };

async function order(tenant: Tenant, count: number): Promise<Json[]> {
  const { errors = [] } = await tenant.graphql(ordering(count), { input });
  return errors.map(({ extensions }) => extensions);
}

async function orderBySocket(tenant: Tenant): Promise<Json> {
  const client = tenant.socket();
  const refusal = await client
    .iterate({ query: ordering(1), variables: { input } })
    .next()
    .catch((errors: unknown) => errors);
  await client.dispose();
  return refusal;
}

test('the 51st service order of an organization within an hour, by REST, GraphQL or socket, returns RATE_LIMIT_EXCEEDED', async () => {
  const { organization, advance } = await rig();
  const tenant = await organization();
  const elsewhere = await organization();
  expect((await placeOrder(tenant, UNKNOWN)).status).toBe(404);
  expect(JSON.stringify(await orderBySocket(tenant))).toMatch(/RESOURCE_NOT_FOUND/);
  for (let placed = 2; placed < ORDERS_AN_HOUR; placed += 12) expect((await order(tenant, 12))[0].code).toBe('RESOURCE_NOT_FOUND');

  const full = { code: 'RATE_LIMIT_EXCEEDED', details: { window: 'provisioning', limit: ORDERS_AN_HOUR, current_usage: ORDERS_AN_HOUR } };
  expect(await order(tenant, 1)).toMatchObject([full]);
  expect(await orderBySocket(tenant)).toMatchObject([{ extensions: full }]);
  expect(await placeOrder(tenant, UNKNOWN)).toMatchObject({ status: 429, body: { error: full } });
  expect((await tenant.graphql('{ services(page: { limit: 1 }) { nodes { id } } }')).errors).toBeUndefined();
  expect((await order(elsewhere, 1))[0].code).toBe('RESOURCE_NOT_FOUND');

  await advance(3_600_000);
  expect((await order(tenant, 1))[0].code).toBe('RESOURCE_NOT_FOUND');
});

test('if the service orders of a GraphQL operation exceed the limit, it returns RATE_LIMIT_EXCEEDED and no order is counted', async () => {
  const tenant = await (await rig()).organization();
  expect((await order(tenant, 30))[0].code).toBe('RESOURCE_NOT_FOUND');
  expect(await order(tenant, 21)).toMatchObject([{ code: 'RATE_LIMIT_EXCEEDED', details: { window: 'provisioning' } }]);
  expect((await order(tenant, 20))[0].code).toBe('RESOURCE_NOT_FOUND');
});
