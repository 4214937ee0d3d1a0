import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createAccount, orderService } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

/**
 * A random log entry. The tests compare the search of log entries with a model that checks every entry. The entries, the queries, the
 * ranges and the page sizes are random. While pages are read, further entries are sent.
 */

interface Entry {
  message: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  age: number;
  attributes: Record<string, unknown>;
  isAboutService: boolean;
}
type Term = ({ words: string[] } | { field: string; value: string }) & { isNegated: boolean };
interface Search {
  terms: Term[];
  levels: Entry['level'][];
  /** Start and end of the searched range, as ages in seconds. The start is older than the end. */
  range: [number, number];
  limit: number;
  ofService: boolean;
}

const HOUR_S = 3600;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const WORDS = ['link', 'Lost', 'PORT', 'déjà', 'straße', 'svc_1', '42', 'a', '日本'];
const word = fc.constantFrom(...WORDS);
const separator = fc.constantFrom(' ', ', ', '-', ': ', '/', '  ', '"', "'", '\\', ' & ', ' | ');
const value = fc.constantFrom('x', 'X y', "it's", 'a\\b', 404, 503, true, null);
const attributes = fc.record(
  { status: value, 'net.path': value, tags: fc.array(value, { maxLength: 2 }), http: fc.record({ code: value }) },
  { requiredKeys: [] },
);
const message = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 8 }).map((parts) => parts.flat().join(''));
const entry: fc.Arbitrary<Entry> = fc.record({
  message,
  level: fc.constantFrom(...LEVELS),
  // few different times, so that many entries have the same
  age: fc.oneof(fc.integer({ min: 0, max: 23 * HOUR_S }), fc.constantFrom(HOUR_S, 2 * HOUR_S, 7 * HOUR_S)),
  attributes,
  isAboutService: fc.boolean(),
});
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ words: fc.array(word, { minLength: 1, maxLength: 3 }), isNegated: fc.boolean() }),
  fc.record({
    field: fc.constantFrom('status', 'net.path', 'tags', 'http.code', 'source', 'STATUS'),
    value: fc.constantFrom('x', 'x Y', "it's", 'a\\b', '404', 'true', 'null', 'ingest'),
    isNegated: fc.boolean(),
  }),
);
const search: fc.Arbitrary<Search> = fc.record({
  terms: fc.array(term, { maxLength: 3 }),
  levels: fc.uniqueArray(fc.constantFrom(...LEVELS), { maxLength: 3 }),
  range: fc.tuple(fc.integer({ min: 0, max: 24 * HOUR_S }), fc.integer({ min: 1, max: 24 * HOUR_S })),
  limit: fc.integer({ min: 1, max: 20 }),
  ofService: fc.boolean(),
});

const textOf = (term_: Term): string => {
  const minus = term_.isNegated ? '-' : '';
  if ('field' in term_) return `${minus}${term_.field}:"${term_.value}"`;
  const [only, ...others] = term_.words;
  return others.length > 0 ? `${minus}"${term_.words.join(' ')}"` : `${minus}${only}`;
};

/** Model of the word search, which uses no code of the platform. */
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((one) => one !== '');
function fieldsIn(object: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, inner]) => {
    if (Array.isArray(inner)) return inner.map((one) => `${prefix}${name}=${one}`.toLowerCase());
    if (typeof inner === 'object' && inner !== null) return fieldsIn(inner as Record<string, unknown>, `${prefix}${name}.`);
    return [`${prefix}${name}=${inner}`.toLowerCase()];
  });
}
function fulfils(found: Json, { terms, levels, ofService }: Search, serviceId: string): boolean {
  const words = ` ${wordsIn(found.message).join(' ')} `;
  const fields = fieldsIn({ ...found.attributes, source: found.source });
  const holds = (one: Term): boolean =>
    'field' in one
      ? fields.includes(`${one.field}=${one.value}`.toLowerCase())
      : words.includes(` ${one.words.map((each) => wordsIn(each).join(' ')).join(' ')} `);
  return (
    terms.every((one) => holds(one) !== one.isNegated) &&
    (levels.length === 0 || levels.includes(found.level)) &&
    (!ofService || found.service_id === serviceId)
  );
}

let platform: Rig;
let tenant: Tenant;
let serviceId: string;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
  serviceId = (await orderService(tenant, (await createAccount(tenant)).id)).service.id;
});

const send = async (now: number, entries: readonly Entry[]): Promise<void> => {
  const sent = entries.map(({ age, isAboutService, ...rest }) => ({
    ...rest,
    at: new Date(now - age * 1000).toISOString(),
    ...(isAboutService && { service_id: serviceId }),
  }));
  const { status, body } = await tenant.rest('POST', '/monitoring/logs', { body: { entries: sent } });
  expect([status, body.data?.accepted], JSON.stringify(body)).toEqual([200, entries.length]);
};

/** Reads all pages of a search. `between` runs after each page. */
async function pages(body: object, between: () => Promise<void> = async () => undefined): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page += 1) {
    const { status, body: answer }: Json = await tenant.rest('POST', '/monitoring/logs/search', {
      body: { ...body, ...(cursor && { cursor }) },
    });
    expect(status, JSON.stringify(answer)).toBe(200);
    found.push(...answer.data);
    cursor = answer.pagination.next_cursor;
    expect(answer.pagination.has_more).toBe(cursor !== null);
    expect(page).toBeLessThan(2_000);
    await between();
  }
  return found;
}

test('log searches return the same entries as a model that checks every entry, in pages without gaps or repetitions while entries are added', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 60 }),
      fc.array(search, { minLength: 4, maxLength: 8 }),
      fc.array(entry, { minLength: 1, maxLength: 5 }),
      async (entries, searches, later) => {
        const now = platform.clock.now().getTime();
        await send(now, entries);
        for (const wanted of searches) {
          const [older, newer] = wanted.range.toSorted((one, other) => other - one) as [number, number];
          const range = { from: new Date(now - older * 1000 - 1).toISOString(), to: new Date(now - newer * 1000).toISOString() };
          const whole = await pages({ ...range, limit: 200, query: 'source:ingest' });
          expect(whole.map(({ at }) => at)).toEqual(
            whole
              .map(({ at }) => at)
              .toSorted()
              .toReversed(),
          );
          const expected = whole.filter((one) => fulfils(one, wanted, serviceId)).map(({ id }) => id);
          const query = [...wanted.terms.map(textOf), 'source:ingest'].join(' ');
          const body = {
            ...range,
            query,
            levels: wanted.levels,
            limit: wanted.limit,
            ...(wanted.ofService && { service_ids: [serviceId] }),
          };
          const added = [...later];
          const found = await pages(body, async () => {
            const next = added.pop();
            if (next) await send(now, [next]);
          });
          const ids = found.map(({ id }) => id);
          expect(new Set(ids).size, query).toBe(ids.length);
          expect(
            found.every((one) => fulfils(one, wanted, serviceId)),
            query,
          ).toBe(true);
          const known = new Set(whole.map(({ id }) => id));
          // entries that were added meanwhile may be found or not; all others must be found, in their order
          expect(
            ids.filter((id) => known.has(id)),
            query,
          ).toEqual(expected);
        }
      },
    ),
    { numRuns: Number(process.env.LOG_SEARCH_RUNS ?? 12), endOnFailure: true },
  );
}, 300_000);
