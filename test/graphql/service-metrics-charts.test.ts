import { beforeAll, expect, test } from 'vitest';
import { billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { send } from '../metrics.setup.ts';
import { type Rig, rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const CHARTS = `query($names: [String!]!) {
  services { nodes { id metrics(names: $names, step: "31d", aggregation: SUM, groupBy: ["host"]) { name seriesTotal series { serviceId labels values } } } }
}`;

test('one statement reads the metrics of all services in a list, with the series of each service', async () => {
  const { tenant, serviceId, accountId } = await billedTenant();
  const { service: other } = await orderService(tenant, accountId);
  for (const [service_id, host, value] of [
    [serviceId, 'a', 1],
    [serviceId, 'b', 2],
    [other.id, 'a', 4],
  ] as const)
    await send(tenant, 'load', [[1000, value]], { service_id, labels: { host } });
  await send(tenant, 'heat', [[1000, 8]], { service_id: other.id });
  const read = async (variables: object): Promise<Json> => {
    const { data, errors } = await tenant.graphql(CHARTS, { ...variables });
    expect(errors).toBeUndefined();
    return Object.fromEntries(data.services.nodes.map(({ id, metrics }: Json) => [id, metrics]));
  };
  const sumsOf = (charts: Json): Json =>
    charts.map(({ name, series }: Json) => [
      name,
      ...series.map(({ values }: Json) => values.reduce((sum: number, value: number | null) => sum + (value ?? 0), 0)),
    ]);
  let found: Json;
  const statements = await platform.statements(async () => {
    found = await read({ names: ['heat', 'load'] });
  });
  expect(sumsOf(found[serviceId])).toEqual([['load', 1, 2]]);
  expect(sumsOf(found[other.id])).toEqual([
    ['heat', 8],
    ['load', 4],
  ]);
  expect(found[serviceId][0].series[0]).toMatchObject({ serviceId, labels: { host: 'a' } });
  // metrics, series, completeness, and one for the values of each metric
  expect(statements.filter((sql) => sql.includes('"monitoring"."'))).toHaveLength(5);
});

test('a caller without monitoring:read gets no metrics of a service, and a request for too many metric names is refused', async () => {
  const { tenant } = await billedTenant();
  const reader = await tenant.limitedTo('services:read');
  const { errors } = await reader.graphql(CHARTS, { names: ['load'] });
  expect(errors?.[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
  const refused = await tenant.graphql(CHARTS, { names: ['a', 'b', 'c', 'd', 'e', 'f'] });
  expect(refused.errors?.[0].extensions.details.field).toBe('names');
});

test('a query for many charts of many services exceeds the cost limit of an operation', async () => {
  const tenant = await platform.organization();
  await createAccount(tenant);
  const aliases = Array.from({ length: 5 }, (_, n) => `c${n}: metrics(names: ["a"]) { series { values } }`);
  const { errors } = await tenant.graphql(`{ services(page: { limit: 200 }) { nodes { ${aliases.join(' ')} } } }`);
  expect(errors?.[0].message).toMatch(/cost|objects/i);
});
