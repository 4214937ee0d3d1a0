import { expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { SchemaMigrator } from '../../kernel/migrations/migrator.ts';
import { SteppedSchema } from '../../kernel/migrations/stepped-schema.ts';
import { ServiceSearch } from '../../subgraphs/services/inventory/service-search.ts';
import { migrations } from '../../subgraphs/services/migrations/index.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { silent, storeFor } from '../support/domain-world.ts';

const BEFORE = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === '0020-service-search'),
);
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
  const { database, rows } = await storeFor({ name: 'test_probe', entities: [], migrations: [] });
  // the embedded database starts as a copy of a migrated database
  await rows.query('drop schema if exists "services" cascade', []);
  const attached = await database.attach({ ...services, schema: 'services', migrations: BEFORE });
  await insert(rows, 'svc_old', 900);
  const migrator = new SchemaMigrator({ directUrl: database.directUrl, pglite: database.pglite, mode: 'auto', log: silent });
  await migrator.migrate([new SteppedSchema('services', migrations)]);
  const searches = [0, 1].map(() => new ServiceSearch({ orm: attached.orm, log: silent }));
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
