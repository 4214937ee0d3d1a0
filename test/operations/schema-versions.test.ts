import { beforeEach, describe, expect, test } from 'vitest';
import { start } from '../rig.ts';
import { type KeptDatabase, keptDatabase, refusalOf } from '../support/kept-database.ts';

let kept: KeptDatabase;
beforeEach(async () => {
  kept = await keptDatabase();
});

const refused = (settings: Record<string, string> = {}): Promise<string> => refusalOf(start({ ...kept.settings, ...settings }));

describe('rejected database schemas', () => {
  test('the platform does not start if an applied migration differs from this release, and names the migration', async () => {
    await kept.sql(`update "support"."migration" set checksum = 'of another text' where name = '0003-sla'`);
    expect(await refused()).toMatch(
      /^The step 0003-sla of the schema support differs between this release and .+ start a release that has/,
    );
  });

  test('the platform does not start if a migration is missing although a later migration was applied', async () => {
    await kept.sql(`delete from "support"."migration" where name = '0003-sla'`);
    expect(await refused()).toMatch(/^The step 0003-sla of the schema support is missing in this database, although the later step/);
  });

  test('the platform does not start if a newer release removed something that this release uses', async () => {
    await kept.sql(`insert into "support"."migration" (name, checksum, needs) values ('9999-tags', 'c', '9998-labels')`);
    expect(await refused()).toMatch(
      /^The schema support of this database is newer than this release: its step 9999-tags is unknown here, where 00.+ It needs a release that knows the step 9998-labels\. Start a release that knows the step/,
    );
  });

  test('the platform does not start if the database has an unknown migration that sorts before the latest known one', async () => {
    await kept.sql(`insert into "support"."migration" (name, checksum) values ('0000-elsewhere', 'c')`);
    expect(await refused()).toMatch(/0000-elsewhere is unknown here/);
  });

  test('the platform does not start if the schema of the job queue is newer than this release', async () => {
    await kept.sql('update pgboss.version set version = 999');
    expect(await refused()).toMatch(/^The schema pgboss of this database has the version 999, which is newer than \d+ of this release/);
  });

  test('the platform with MIGRATE=never does not start on an older schema, names both versions and changes nothing', async () => {
    await kept.sql('drop schema "bridge" cascade');
    const message = await refused({ MIGRATE: 'never' });
    expect(message).toMatch(
      /^The database is older than this release, and MIGRATE is never: the schema bridge is at nothing, this release needs 0001-idempotency.* Run npm run migrate\.$/,
    );
    expect(await kept.sql(`select from pg_namespace where nspname = 'bridge'`)).toEqual([]);
  });
});

test('the platform starts on a newer schema if the newer release only added to it', async () => {
  await kept.sql(`insert into "support"."migration" (name, checksum) values ('9999-tags', 'c')`);
  await kept.startedOnce();
});

test('the platform with MIGRATE=never starts if the schema is up to date', async () => {
  await kept.startedOnce({ MIGRATE: 'never' });
});

describe('databases without migration checksums', () => {
  beforeEach(() => kept.sql('alter table "support"."migration" drop column checksum, drop column needs'));

  test('the platform adds missing migration checksums if the tables match the migrations, ignoring what the operator added', async () => {
    await kept.sql(`create index of_operator on "support"."ticket" ("updated_at"); alter table "support"."ticket" add column of_operator text;
      create table "support"."of_operator_too" (id text not null)`);
    await kept.startedOnce();
    const steps = await kept.sql<{ checksum: string }>(`select checksum from "support"."migration" where name = '0001-tickets'`);
    expect(steps).toEqual([{ checksum: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });

  test('without migration checksums, the platform does not start if tables differ from the migrations, and changes nothing', async () => {
    await kept.sql(`alter table "support"."ticket" drop column "sla_due_at";
      alter table "support"."agent" add column "from_before" text not null default '';
      alter table "support"."agent" alter column "from_before" drop default`);
    const message = await refused();
    expect(message).toMatch(/^The schema support of this database differs from the result of its applied steps \(up to \d{4}-.+\): /);
    expect(message).toMatch(/column ticket\.sla_due_at is missing/);
    expect(message).toMatch(/column agent\.from_before is not expected/);
    const columns = `select from information_schema.columns where table_schema = 'support' and table_name = 'migration' and column_name = 'checksum'`;
    expect(await kept.sql(columns)).toEqual([]);
  });

  test('the platform with MIGRATE=never does not start on a database without migration checksums', async () => {
    expect(await refused({ MIGRATE: 'never' })).toMatch(/the schema support is at \d{4}-\S+ without checksums, this release needs/);
  });
});
