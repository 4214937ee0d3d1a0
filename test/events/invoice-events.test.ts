import { expect, test } from 'vitest';
import { billedTenant, createInvoice } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const EVENTS = 'query($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { event payload } } }';

const eventsOf = (tenant: Tenant, id: string): Promise<Json[]> =>
  eventually(async () => {
    const { data } = await tenant.graphql(EVENTS, { id });
    return data.events.nodes.length > 0 && data.events.nodes.map(({ event, payload }: Json) => ({ event, data: JSON.parse(payload).data }));
  });

test('creating an invoice emits invoice.created with the fields of the REST response', async () => {
  const billed = await billedTenant();
  const { notes, created_at, updated_at, pdf_url, ...invoice } = await createInvoice(billed, { unit_price: 1.1 });
  expect(await eventsOf(billed.tenant, invoice.id)).toEqual([{ event: 'invoice.created', data: { invoice } }]);
});

test('the automatic first invoice of a service emits invoice.generated', async () => {
  const { tenant, firstInvoice } = await billedTenant();
  const { notes, created_at, updated_at, pdf_url, ...invoice } = firstInvoice;
  expect(await eventsOf(tenant, invoice.id)).toEqual([{ event: 'invoice.generated', data: { invoice } }]);
});
