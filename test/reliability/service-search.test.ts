import { expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { ServiceSearch } from '../../subgraphs/services/inventory/service-search.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { silent, storeBefore } from '../support/domain-world.ts';

const until = (condition: () => Promise<boolean>) => expect.poll(condition, { timeout: 30_000, interval: 20 }).toBe(true);

const insert = (rows: Rows, name: string, count: number): Promise<object[]> =>
  rows.query(
    `insert into "services"."service" ("id", "organization_id", "account_id", "type", "service_type", "catalog_id", "name", "location",
       "billing_cycle", "monthly_price", "currency", "configuration", "created_at", "updated_at")
     select $1 || n, 'org_1', 'acc_1', 'internet', 'fiber', 'business_fiber', 'Line ' || n, '{"address": "1 Elm Street", "city": "Austin"}',
       'monthly', 1, 'USD', '{}', now(), now()
     from generate_series(1, $2::int) n`,
    [name, count],
  );

test('the search texts of existing services are written in the background, even if services change at the same time', async () => {
  const { store, migrate } = await storeBefore(services, '0020-service-search');
  const { orm, rows } = store;
  await insert(rows, 'svc_old', 900);
  await migrate();
  const searches = [0, 1].map(() => new ServiceSearch({ orm, log: silent }));
  for (const search of searches) search.start();
  for (let turn = 1; turn <= 20; turn += 1) {
    // a process of the previous release does not know the column; a trigger writes it
    await rows.query(`update "services"."service" set "name" = 'Renamed' where "id" = 'svc_old' || $1::int`, [turn * 30]);
    await insert(rows, `svc_new_${turn}_`, 3);
  }
  await until(async () => (await rows.query(`select from "services"."backfill" where "name" = 'search-text'`, [])).length === 0);
  const texts = await rows.query<{ count: number; right: number; renamed: number }>(
    `select count(*)::int as "count", count(*) filter (where "search_text" = lower("id" || chr(31) || "name" || chr(31) || 'fiber' || chr(31)
       || chr(31) || '1 Elm Street' || chr(31) || 'Austin' || chr(31) || chr(31)))::int as "right",
       count(*) filter (where "search_text" like '%renamed%')::int as "renamed" from "services"."service"`,
    [],
  );
  expect(texts).toEqual([{ count: 960, right: 960, renamed: 20 }]);
  await Promise.all(searches.map((search) => search.stop()));
});
