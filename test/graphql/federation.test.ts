import { expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { serviceThatIs } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

const FRONTEND = `query Accounts($n: Int!) {
  accounts(page: { limit: $n }, sort: [{ field: CREATED_AT, order: ASC }]) {
    nodes {
      id name
      services(limit: 5) { id name status monthlyPrice invoices(limit: 5) { id number amount status } tickets(limit: 5) { id } }
      invoices(limit: 5) { id number services { serviceId amount } }
      tickets(limit: 5) { id number title sla { timeRemaining } assignedTo { name } account { id name } service { id name } }
    }
  }
}`;

const SERVED = 4;

/** Creates accounts with two tickets each. The first `SERVED` accounts also have a service with an invoice. */
async function accountsOf(tenant: Tenant, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const account = await createAccount(tenant);
    const service = index < SERVED ? await serviceThatIs('operational', tenant, account.id) : undefined;
    for (const title of ['First', 'Second']) {
      await tenant.rest('POST', '/support/tickets', {
        body: { title, description: title, customer_id: account.customer_id, service_affected: service?.id },
      });
    }
  }
  await eventually(async () => (await tenant.rest('GET', '/billing/invoices')).body.total_count === SERVED);
}

const list = (tenant: Tenant, n: number) => tenant.graphql(FRONTEND, { n });

test('one GraphQL query reads an account with its service, invoices and ticket from four subgraphs', async () => {
  const platform: Rig = await rig();
  const tenant = await platform.organization({ plan: 'custom' });
  const account = await createAccount(tenant);
  const service = await serviceThatIs('operational', tenant, account.id);
  const { ticket } = (
    await tenant.rest('POST', '/support/tickets', {
      body: { title: 'Slow', description: 'Since noon', customer_id: account.customer_id, service_affected: service.id },
    })
  ).body;
  const { data, errors } = await list(tenant, 1);
  expect(errors).toBeUndefined();
  const [found] = data.accounts.nodes;
  expect(found).toMatchObject({
    id: account.id,
    services: [{ id: service.id, status: 'OPERATIONAL', tickets: [{ id: ticket.id }] }],
    tickets: [
      {
        id: ticket.id,
        number: ticket.number,
        account: { id: account.id, name: account.name },
        service: { id: service.id, name: service.name },
      },
    ],
  });
});

test('listing 50 accounts with services, invoices and tickets runs as many SQL statements as listing three accounts', async () => {
  const platform = await rig();
  const tenant = await platform.organization({ plan: 'custom' });
  await accountsOf(tenant, 50);
  const [few, many] = await platform.clock.standingStill(async () => {
    // the first query caches the query plan and the API key
    expect((await list(tenant, 3)).errors).toBeUndefined();
    return [
      await platform.statements(() => list(tenant, 3)),
      await platform.statements(async () => {
        const { data, errors } = await list(tenant, 50);
        expect(errors).toBeUndefined();
        expect(data.accounts.nodes).toHaveLength(50);
        expect(data.accounts.nodes.every(({ tickets }: Json) => tickets.length === 2)).toBe(true);
        expect(data.accounts.nodes.flatMap(({ services }: Json) => services.flatMap(({ invoices }: Json) => invoices))).toHaveLength(
          SERVED,
        );
      }),
    ] as const;
  });
  // a page that is not full needs no count statement
  const counts = few.filter((sql) => sql.includes('count(')).length;
  expect(many.length, many.join('\n')).toBe(few.length - counts);
  expect(many.length).toBeLessThanOrEqual(12);
});

test('selecting fields without the required permission returns INSUFFICIENT_PERMISSIONS', async () => {
  const tenant = await (await rig()).organization();
  const account = await createAccount(tenant);
  const limited = await tenant.limitedTo('accounts:read');
  const { data, errors } = await limited.graphql('{ accounts { nodes { id } } other: accounts { nodes { name } } }');
  expect(errors).toBeUndefined();
  expect(data.accounts.nodes[0].id).toBe(account.id);
  const refused = await limited.graphql(`{ account(id: "${account.id}") { id tickets { id } } }`);
  expect(refused.errors?.[0].extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:read' } });
  const foreign = await (await (await rig()).organization()).limitedTo('support:read');
  expect((await foreign.graphql('{ tickets { nodes { account { name } } } }')).data.tickets.nodes).toEqual([]);
});
