import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { type List, type ListOption, type ListPage, listNames, listsOf } from '../support/lists.ts';
import { recordKinds } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import type { Json, Tenant } from '../tenant.ts';

const PATIENCE_MS = 180_000;
const SUPERGRAPH = readFileSync('schema/supergraph.graphql', 'utf8');
/** Kinds of records that are created more than once, so that the tests can check how their lists are sorted and split into pages. */
const SEVERAL = Object.entries(recordKinds).flatMap(([name, { readAt, withoutRoute }]) => (readAt || withoutRoute ? [name] : []));

let tenant: Tenant;
let lists: Map<string, List>;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  const records = new Records(tenant, 'several {{ticket.number}}');
  await Promise.all(SEVERAL.map((name) => records.id(name)));
  for (const name of SEVERAL) await records.fresh(name);
  lists = new Map((await listsOf(SUPERGRAPH, records)).map((list) => [list.name, list]));
}, PATIENCE_MS);

test('ticket lists with different filters return 200 if one process reads these lists one after another', async () => {
  // more tickets than fit on a page, so that the total is counted
  for (const title of ['one', 'two'])
    expect((await tenant.rest('POST', '/support/tickets', { body: { title, description: title, priority: 'low' } })).status).toBe(201);
  for (const query of [
    'status=open&priority=low',
    'status=open',
    'status=open&priority=low',
    'status=open&category=general&assigned_to=me',
  ])
    expect((await tenant.rest('GET', `/support/tickets?limit=1&${query}`)).status, query).toBe(200);
});

/** Lists that only the operator can read. Other test files can change the records of these lists at the same time. */
const OPERATORS: readonly string[] = ['organizations', 'catalogPriceChanges', 'coverageAreas'];

const HOUR_MS = 3_600_000;

/** Reads a page of a list. If an hourly limit is reached, advances the clock and reads again. */
async function read(list: List, options: readonly ListOption[], page?: Json): Promise<ListPage> {
  try {
    return await list.read(OPERATORS.includes(list.name) ? await operator() : tenant, options, page);
  } catch (error) {
    if (!String(error).includes('RATE_LIMIT_EXCEEDED')) throw error;
    await (await rig()).advance(HOUR_MS);
    return list.read(OPERATORS.includes(list.name) ? await operator() : tenant, options, page);
  }
}

const pairsOf = (options: readonly ListOption[]): ListOption[][] =>
  options.flatMap((one, index) => [[one], ...options.slice(index + 1).map((other) => [one, other])]);

describe('pairs of list options', () => {
  test.each(listNames(SUPERGRAPH))(
    'a list can be read with each filter or sort order, and with each pair of them: %s',
    { timeout: PATIENCE_MS },
    async (name) => {
      const list = lists.get(name) as List;
      for (const pair of [[], ...pairsOf(list.options)]) await read(list, pair, { limit: 1 });
    },
  );
});

describe('list paging', () => {
  test.each(listNames(SUPERGRAPH).filter((name) => !OPERATORS.includes(name)))(
    'page number, offset and cursor return the records in the order of the whole list: %s',
    { timeout: PATIENCE_MS },
    async (name) => {
      const list = lists.get(name) as List;
      for (const option of [[], ...list.options.map((one) => [one])]) {
        const { ids } = await read(list, option);
        const first = await read(list, option, { limit: 1 });
        const title = `${name} ${option.map((one) => one.title).join()}`;
        expect(first.ids, title).toEqual(ids.slice(0, 1));
        expect(first.total, title).toBe(ids.length);
        if (ids.length < 2) continue;
        const second = ids.slice(1, 2);
        for (const page of [
          { page: 2, perPage: 1 },
          { limit: 1, offset: 1 },
          ...(first.nextCursor ? [{ limit: 1, cursor: first.nextCursor }] : []),
        ])
          expect((await read(list, option, page)).ids, `${title} ${JSON.stringify(page)}`).toEqual(second);
      }
    },
  );
});

test('a filter returns the same records in every sort order of a list', { timeout: PATIENCE_MS }, async () => {
  for (const list of lists.values()) {
    // the list of organizations has more records than a page
    if (OPERATORS.includes(list.name)) continue;
    for (const filter of list.filters) {
      const { ids } = await read(list, [filter]);
      for (const sort of list.sorts)
        expect((await read(list, [filter, sort])).ids.toSorted(), `${list.name} ${filter.title}, ${sort.title}`).toEqual(ids.toSorted());
    }
  }
});
