import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Orm } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import { emptyDatabase } from '../support/empty-database.ts';

let opened: { database: Database; drop(): Promise<void> };
let first: Orm;
let second: Orm;

beforeAll(async () => {
  opened = await emptyDatabase(createLogger({ level: 'silent' }));
  const attach = async (schema: string): Promise<Orm> => (await opened.database.attach({ schema, entities: [], migrations: [] })).orm;
  [first, second] = [await attach('context_first'), await attach('context_second')];
});
afterAll(() => opened.drop());

/**
 * MikroORM stores the open transaction in async local storage. Earlier, if a commit of the services domain woke the relay,
 * the reaction of billing ran with this stored transaction. Its entity manager then wrote to the schema of services.
 */
test('an entity manager that is created inside the transaction of another subgraph uses the schema of its own subgraph', async () => {
  await organizationEm(first, 'org_1').transactional(async () => {
    const em = organizationEm(second, 'org_1');
    expect(em.config.getAll().schema).toBe('context_second');
    expect(em.isInTransaction()).toBe(false);
  });
});
