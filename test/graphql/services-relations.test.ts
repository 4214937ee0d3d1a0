import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
let services: Json[];
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
  services = [await serviceThatIs('operational', tenant, accountId), await serviceThatIs('operational', tenant, accountId)];
});

describe('service relations', () => {
  test('an account lists its services newest first, and a service has its account', async () => {
    const { data, errors } = await tenant.graphql(
      'query($account: ID!, $service: ID!) { account(id: $account) { services { id } one: services(limit: 1) { id } } service(id: $service) { account { name } } }',
      { account: accountId, service: services[0].id },
    );
    expect(errors).toBeUndefined();
    const ids = services.map(({ id }) => ({ id })).toReversed();
    expect(data).toEqual({ account: { services: ids, one: ids.slice(0, 1) }, service: { account: { name: 'Acme Corporation' } } });
  });

  test('a service lists its status changes, newest first', async () => {
    const { data } = await tenant.graphql(
      'query($id: ID!) { service(id: $id) { createdAt provisionedAt statusHistory { from to at reason } } }',
      { id: services[0].id },
    );
    const { createdAt, provisionedAt, statusHistory } = data.service;
    expect(statusHistory).toEqual([
      { from: 'PROVISIONING', to: 'OPERATIONAL', at: provisionedAt, reason: null },
      { from: 'PENDING', to: 'PROVISIONING', at: expect.any(String), reason: null },
      { from: null, to: 'PENDING', at: createdAt, reason: null },
    ]);
  });

  test('a service has a statusRecord with its uptime and health checks', async () => {
    const { data } = await tenant.graphql(
      'query($id: ID!) { service(id: $id) { statusRecord { uptimePercentage healthChecks { connectivity } } } }',
      { id: services[0].id },
    );
    expect(data.service.statusRecord).toEqual({ uptimePercentage: 100, healthChecks: { connectivity: 'HEALTHY' } });
  });

  test('reading the services of an account without services:read returns INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('accounts:read');
    const { errors } = await limited.graphql('query($id: ID!) { account(id: $id) { services { id } } }', { id: accountId });
    expect(errors?.[0].extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'services:read' } });
  });

  test('service and serviceStatus are null for a service of another organization', async () => {
    const { tenant: stranger } = await tenantWithAccount();
    const { data } = await stranger.graphql('query($id: ID!) { service(id: $id) { id } serviceStatus(id: $id) { status } }', {
      id: services[0].id,
    });
    expect(data).toEqual({ service: null, serviceStatus: null });
  });

  test.each([0, 201])('the services field of an account with a limit of %i returns INVALID_PARAMETERS', async (limit) => {
    const { errors } = await tenant.graphql('query($id: ID!, $limit: Int) { account(id: $id) { services(limit: $limit) { id } } }', {
      id: accountId,
      limit,
    });
    expect(errors?.[0].extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'limit', value: limit } });
  });
});

describe('service list statements', () => {
  test('listing five accounts with services, histories and statuses runs as many SQL statements as listing one', async () => {
    const own = await tenantWithAccount();
    await serviceThatIs('operational', own.tenant, own.accountId);
    await untilInvoiced(own.tenant, 1);
    const forOne = await statementsFor(own.tenant, 1);
    for (let index = 0; index < 4; index += 1) {
      await serviceThatIs('operational', own.tenant, (await createAccount(own.tenant)).id);
      await serviceThatIs('operational', own.tenant, own.accountId);
    }
    await untilInvoiced(own.tenant, 9);
    expect(await statementsFor(own.tenant, 5)).toHaveLength(forOne.length);
  });
});

/** Returns the SQL statements of the second of two equal queries, so that caches are filled. */
async function statementsFor(reader: Tenant, accounts: number): Promise<string[]> {
  const query = '{ accounts { nodes { services { id statusHistory { to } statusRecord { uptimePercentage } account { id } } } } }';
  const read = async (): Promise<void> => expect((await reader.graphql(query)).data.accounts.nodes).toHaveLength(accounts);
  const platform = await rig();
  const statements = await platform.clock.standingStill(async () => {
    await read();
    return platform.statements(read);
  });
  expect(statements).not.toEqual([]);
  return statements;
}

/** Waits until the services are invoiced, because invoicing must not run while statements are counted. */
const untilInvoiced = (owner: Tenant, count: number): Promise<boolean> =>
  eventually(async () => (await owner.rest('GET', '/billing/invoices')).body.total_count === count);
