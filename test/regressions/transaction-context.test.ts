import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database, type Orm } from '../../kernel/database.ts';
import { createLogger } from '../../kernel/log.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';

let database: Database;
let first: Orm;
let second: Orm;

beforeAll(async () => {
  const url = process.env.TEST_DATABASE_URL;
  database = await Database.open(url ? { url } : {}, createLogger({ level: 'silent' }));
  const attach = async (schema: string): Promise<Orm> => (await database.attach({ schema, entities: [], migrations: [] })).orm;
  [first, second] = [await attach('context_first'), await attach('context_second')];
});
afterAll(() => database.close());

/**
 * MikroORM keeps the open transaction in async local storage. A relay that a commit woke once ran the reaction of billing in
 * the storage of services: the entity manager it made was one of services, and wrote there.
 */
test("what is started inside a subgraph's transaction gets the entity manager of its own subgraph", async () => {
  await organizationEm(first, 'org_1').transactional(async () => {
    const em = organizationEm(second, 'org_1');
    expect(em.config.getAll().schema).toBe('context_second');
    expect(em.isInTransaction()).toBe(false);
  });
});
