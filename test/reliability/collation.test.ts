import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { scratchName } from '../../bench/scratch-database.ts';
import { createAccount } from '../billing.setup.ts';
import { start } from '../rig.ts';
import { ownName } from '../support/own-database.ts';
import type { Json, Tenant } from '../tenant.ts';

/** Names that are sorted differently by bytes and by the rules of languages. */
const NAMES = ['Zebra', 'apple', 'Apple', 'äpfel', 'azure', '_under', 'a b', 'a-b', 'ab', 'Ångström', 'zebra', '10', '9'];

async function databaseWith(collation: string): Promise<string> {
  const server = process.env.TEST_DATABASE_URL ?? '';
  const name = scratchName(ownName(server));
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name} template template0 encoding 'UTF8' ${collation}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function walk(tenant: Tenant, path: string): Promise<string[]> {
  const names: string[] = [];
  let cursor = '';
  do {
    const { body } = await tenant.rest('GET', `${path}&limit=2${cursor && `&cursor=${cursor}`}`);
    names.push(...body.data.map(({ name }: Json) => name));
    cursor = body.pagination.next_cursor ?? '';
  } while (cursor);
  return names;
}

test.runIf(process.env.TEST_DATABASE_URL).each([
  ['C', "locale 'C'"],
  ['ICU en-US', "locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'"],
  ['ICU sv-SE', "locale_provider icu icu_locale 'sv-SE' locale 'C.UTF-8'"],
])('paging a list by cursor, sorted by name, returns each record once with the database collation %s', async (_, collation) => {
  const platform = await start({ DATABASE_URL: await databaseWith(collation) });
  onTestFinished(() => platform.close());
  const tenant = await platform.organization({ plan: 'custom' });
  for (const name of NAMES) await createAccount(tenant, name);
  for (const order of ['asc', 'desc']) {
    const { body } = await tenant.rest('GET', `/accounts?sort=name:${order}&limit=100`);
    const whole = body.data.map(({ name }: Json) => name);
    expect(whole.toSorted()).toEqual(NAMES.toSorted());
    expect(await walk(tenant, `/accounts?sort=name:${order}`)).toEqual(whole);
  }
});
