import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

let billed: BilledTenant;
let invoices: Json[];
beforeAll(async () => {
  billed = await billedTenant();
  invoices = [billed.firstInvoice, await createInvoice(billed, { unit_price: 30 }), await createInvoice(billed, { unit_price: 10 })];
});

const newest = () => invoices.map(({ number }) => ({ number })).toReversed();

describe('billing relations', () => {
  test('accounts and services have a field for their invoices, and invoices have fields for their account and services', async () => {
    const { data, errors } = await billed.tenant.graphql(
      `query($account: ID!, $service: ID!, $invoice: ID!) {
         account(id: $account) { name invoices { number } }
         service(id: $service) { invoices(limit: 2) { number } }
         invoice(id: $invoice) { status amount account { name } services { amount service { id status } } }
       }`,
      { account: billed.accountId, service: billed.serviceId, invoice: invoices[1].id },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      account: { name: 'Acme Corporation', invoices: newest() },
      service: { invoices: newest().slice(0, 2) },
      invoice: {
        status: 'PENDING',
        amount: 90,
        account: { name: 'Acme Corporation' },
        services: [{ amount: 90, service: { id: billed.serviceId, status: 'OPERATIONAL' } }],
      },
    });
  });

  test('the invoices of a service contain an invoice only once, even if several of its lines are for this service', async () => {
    const own = await billedTenant();
    const line = { service_id: own.serviceId, quantity: 1, unit_price: 1 };
    await createInvoice(own, {}, { services: [line, line, line] });
    const { data } = await own.tenant.graphql('query($id: ID!) { service(id: $id) { invoices { number } } }', { id: own.serviceId });
    expect(data.service.invoices).toEqual([{ number: 'INV-1002' }, { number: 'INV-1001' }]);
  });

  test('reading the invoices of an account without billing:read returns INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await billed.tenant.limitedTo('accounts:read');
    const { data, errors } = await limited.graphql('query($id: ID!) { account(id: $id) { name invoices { number } } }', {
      id: billed.accountId,
    });
    expect(errors?.[0].extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'billing:read' } });
    expect(data?.account?.invoices).toBeUndefined();
  });

  test.each([0, 201])('the invoices field of an account returns INVALID_PARAMETERS if its limit is %i', async (limit) => {
    const { errors } = await billed.tenant.graphql('query($id: ID!, $limit: Int) { account(id: $id) { invoices(limit: $limit) { id } } }', {
      id: billed.accountId,
      limit,
    });
    expect(errors?.[0].extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'limit', value: limit } });
  });
});

test('the number of SQL statements for invoices and their lines does not grow with the number of accounts', async () => {
  const own = await billedTenant();
  const query = '{ accounts { nodes { invoices { services { amount } } services { invoices { services { amount } } } } } }';
  const count = async () =>
    (await (await rig()).statements(() => own.tenant.graphql(query))).filter((sql) => sql.includes('"billing"')).length;
  await own.tenant.graphql(query);
  const forOne = await count();
  for (const name of ['Second', 'Third']) await orderService(own.tenant, (await createAccount(own.tenant, name)).id);
  // at most one statement each for: invoices of accounts, invoices of services, and lines of both
  expect(forOne).toBeLessThanOrEqual(4);
  expect(await count()).toBe(forOne);
});

describe('invoice list', () => {
  const page = async (variables: object): Promise<Json> => {
    const { data, errors } = await billed.tenant.graphql(
      'query($sort: [InvoiceSort!], $page: PageInput) { invoices(sort: $sort, page: $page) { nodes { number amount } pageInfo { total hasMore nextCursor } } }',
      variables as Record<string, unknown>,
    );
    expect(errors).toBeUndefined();
    return data.invoices;
  };

  test('paging the invoice list by cursor returns each existing invoice once, even if an invoice is added between two pages', async () => {
    const own = await billedTenant();
    for (const unit_price of [30, 10, 20]) await createInvoice(own, { quantity: 1, unit_price });
    const query =
      'query($cursor: String) { invoices(page: { cursor: $cursor, limit: 2 }) { nodes { number } pageInfo { total hasMore nextCursor } } }';
    const first = (await own.tenant.graphql(query)).data.invoices;
    await createInvoice(own);
    const second = (await own.tenant.graphql(query, { cursor: first.pageInfo.nextCursor })).data.invoices;
    expect([...first.nodes, ...second.nodes].map(({ number }: Json) => number)).toEqual(['INV-1004', 'INV-1003', 'INV-1002', 'INV-1001']);
    expect(second.pageInfo).toMatchObject({ hasMore: false, nextCursor: null });
  });

  test('paging the invoice list by cursor, sorted by amount, returns every invoice once', async () => {
    const sort = [{ field: 'AMOUNT', order: 'DESC' }];
    const seen: Json[] = [];
    let cursor: string | null = null;
    do {
      const { nodes, pageInfo } = await page({ sort, page: { limit: 1, cursor } });
      seen.push(...nodes);
      cursor = pageInfo.nextCursor;
    } while (cursor);
    expect(seen.map(({ number }) => number).sort()).toEqual(invoices.map(({ number }) => number).sort());
    expect(seen.map(({ amount }) => amount)).toEqual(invoices.map(({ amount }) => amount).sort((a, b) => b - a));
  });

  test('a cursor of the invoice list that is used with another sort order returns INVALID_PARAMETERS', async () => {
    const { pageInfo } = await page({ page: { limit: 1 } });
    const { errors } = await billed.tenant.graphql(
      'query($c: String) { invoices(sort: [{ field: AMOUNT, order: ASC }], page: { cursor: $c }) { nodes { id } } }',
      {
        c: pageInfo.nextCursor,
      },
    );
    expect(errors?.[0].extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'cursor' } });
  });
});

test('amounts and timestamps can be written into a GraphQL document instead of variables', async () => {
  const { tenant, accountId, serviceId } = billed;
  const create = `mutation { createInvoice(input: { accountId: "${accountId}", currency: "USD", dueDate: "2099-01-31T00:00:00Z",
    services: [{ serviceId: "${serviceId}", quantity: 3, unitPrice: 0.1 }] }) { amount dueDate } }`;
  for (let times = 0; times < 3; times += 1) {
    const { data, errors } = await tenant.graphql(create);
    expect(errors).toBeUndefined();
    expect(data.createInvoice).toEqual({ amount: 0.3, dueDate: '2099-01-31T00:00:00.000Z' });
  }
});
