import { expect, test } from 'vitest';
import { bulkOf, lineAt, lineItem, provisionInBulk } from '../bulk.setup.ts';
import { eventually, rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import type { Json } from '../tenant.ts';

const CANCEL = 'mutation ($id: ID!) { cancelBulk(id: $id) { id } }';

test('bulks that are built, ended, cancelled and rolled back at the same time all end, without a deadlock', async () => {
  const { tenant } = await tenantWithAccount();
  const platform = await rig();
  const first = platform.logged.length;
  const orders = Array.from({ length: 8 }, (_, n) => {
    const items = Array.from({ length: 8 }, (__, index) => (n % 4 === 1 && index === 5 ? lineAt('FAIL-PERMANENT 1') : lineItem()));
    return provisionInBulk(tenant, items, { parallel: n % 2 === 0, rollback_on_failure: n % 3 !== 2 });
  });
  const bulks: Json[] = (await Promise.all(orders)).map(({ body }) => body.data);
  await Promise.all(
    bulks.flatMap(({ id, items }, n): Promise<unknown>[] => [
      ...(n % 4 === 2 ? [tenant.graphql(CANCEL, { id })] : []),
      ...(n % 4 === 3 ? [2, 6].map((index) => tenant.rest('DELETE', `/services/${items[index].service_id}`)) : []),
    ]),
  );
  for (const { id } of bulks) {
    const { bulk, services } = await eventually(async () => {
      // a service that was ended while it was built is released when its order can no longer be on its way
      await platform.advance(1_000);
      const found = await bulkOf(tenant, id);
      return !['in_progress', 'rolling_back'].includes(found.bulk.status) && found;
    });
    const operational = services.filter(({ status }) => status === 'operational').length;
    if (bulk.rollback_on_failure) expect([0, services.length]).toContain(operational);
    expect(bulk.counts.completed).toBe(operational);
  }
  expect(platform.logged.slice(first).filter((line) => /deadlock|lock timeout/i.test(line))).toEqual([]);
});
