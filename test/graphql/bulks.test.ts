import { beforeAll, describe, expect, test } from 'vitest';
import { bulkThatIs, lineAt, lineItem, provisionInBulk } from '../bulk.setup.ts';
import { eventually } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  ({ tenant } = await tenantWithAccount());
});

const CANCEL = 'mutation ($id: ID!) { cancelBulk(id: $id) { status counts { skipped } } }';
const cancel = (id: string) => tenant.graphql(CANCEL, { id });
const provisioned = async (items: Json[], orchestration?: object): Promise<string> =>
  (await provisionInBulk(tenant, items, orchestration)).body.data.id;

describe('bulks in GraphQL', () => {
  test('a bulk in GraphQL has its counts, its items and their services, and can be filtered by status and kind', async () => {
    const id = await provisioned([lineItem(), lineAt('FAIL-PERMANENT 1')]);
    await bulkThatIs('partial', tenant, id);
    const query = `query ($id: ID!) {
      bulk(id: $id) { id kind counts { total completed failed } failed: items(status: [FAILED]) { position error { code } } items(limit: 1) { service { id status } change { id } } }
      bulks(filter: { status: [PARTIAL], kind: [PROVISION] }) { nodes { id } }
    }`;
    const { data } = await tenant.graphql(query, { id });
    expect(data).toMatchObject({
      bulk: {
        id,
        kind: 'PROVISION',
        counts: { total: 2, completed: 1, failed: 1 },
        failed: [{ position: 1, error: { code: 'PROVISIONING_FAILED' } }],
        items: [{ service: { status: 'OPERATIONAL' }, change: null }],
      },
      bulks: { nodes: expect.arrayContaining([{ id }]) },
    });
  });

  test('the subscription bulkProgressed streams the progress of a bulk, up to the event bulk.finished with the result', async () => {
    const socket = tenant.socket();
    const seen: Json[] = [];
    try {
      const id = await provisioned([lineItem(), lineItem()], { parallel: false });
      const query = 'subscription ($id: ID!) { bulkProgressed(id: $id) { event payload bulk { id status } } }';
      for await (const result of socket.iterate<Json>({ query, variables: { id } })) {
        const event = result.data?.bulkProgressed;
        seen.push(event);
        if (event.event === 'bulk.finished') break;
      }
      expect(seen.at(-1)).toMatchObject({ bulk: { id, status: 'COMPLETED' } });
      expect(seen.some(({ event }) => event === 'bulk.progressed')).toBe(true);
    } finally {
      await socket.dispose();
    }
  });
});

describe('cancelBulk', () => {
  test('cancelBulk skips the items that have not started, and the items in progress continue', async () => {
    const id = await provisioned([lineItem(), lineItem(), lineItem()], { parallel: false });
    expect((await cancel(id)).data.cancelBulk).toMatchObject({ counts: { skipped: 2 } });
    const { services } = await bulkThatIs('cancelled', tenant, id);
    expect(services.map(({ item_status }) => item_status).slice(1)).toEqual(['skipped', 'skipped']);
    expect(['completed', 'skipped']).toContain(services[0]?.item_status);
    expect((await cancel(id)).errors?.[0].extensions.code).toBe('INVALID_STATE');
  });

  test('cancelBulk rolls back a bulk with rollback_on_failure', async () => {
    const id = await provisioned([lineItem(), lineAt('FAIL-ALWAYS 1')], { rollback_on_failure: true });
    await eventually(async () => {
      const { data } = await tenant.graphql('query ($id: ID!) { bulk(id: $id) { counts { built } } }', { id });
      return data.bulk.counts.built === 1;
    });
    expect((await cancel(id)).data.cancelBulk).toMatchObject({ status: 'ROLLING_BACK' });
    await eventually(async () => {
      const { data } = await tenant.graphql('query ($id: ID!) { bulk(id: $id) { items { status service { status } } } }', { id });
      return data.bulk.items[0].status === 'RELEASED' && data.bulk.items[0].service.status === 'FAILED';
    });
  });
});
