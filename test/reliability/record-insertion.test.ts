import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attached } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import { insertRecord } from '../../kernel/records/row-writer.ts';
import { BillingCycle } from '../../kernel/values/billing-cycle.ts';
import { Decimal } from '../../kernel/values/money.ts';
import { Service } from '../../subgraphs/services/inventory/service.entity.ts';
import { ServiceType } from '../../subgraphs/services/inventory/service.states.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';

let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let attached: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(createLogger({ level: 'error' }));
  const { name: schema, entities, migrations } = services;
  attached = await opened.database.attach({ schema, entities, migrations });
});
afterAll(() => opened.drop());

/**
 * Generates texts that are difficult to quote, and random texts. They contain no NUL and no unpaired surrogate, because PostgreSQL cannot
 * store them.
 */
const text = fc.oneof(
  fc.constantFrom("it's", "'); drop table x; --", '\\', "\\'", '$1 ? ??', 'a\nb', '{"a":1}', '{1,2}', 'null', 'Ωñ🙂'),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const at = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

const record = fc.record({
  accountId: text,
  catalogId: text,
  name: text,
  statusReason: maybe(text),
  bandwidthMbps: maybe(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
  location: maybe(fc.record({ address: text, city: text, state: text, zip: text })),
  monthlyPrice: fc.integer({ min: 0, max: 10 ** 12 }).map((units) => new Decimal(units).dividedBy(10_000)),
  configuration: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text))),
  features: fc.array(text, { maxLength: 3 }),
  provisionedAt: maybe(at),
  createdAt: at,
});

test('a record that is inserted without the unit of work has the same row as a record that the unit of work inserts', async () => {
  await fc.assert(
    fc.asyncProperty(record, async (values) => {
      const of = (id: string): Service =>
        Object.assign(new Service(), values, {
          id,
          organizationId: 'org_1',
          type: ServiceType.INTERNET,
          serviceType: 'fiber',
          billingCycle: BillingCycle.MONTHLY,
          currency: 'USD',
          updatedAt: values.createdAt,
        });
      await organizationEm(attached.orm, 'org_1').transactional(async (tx) => {
        await insertRecord(tx, of('direct'));
        tx.persist(of('managed'));
      });
      const rows = await attached.rows.query<{ id: string }>('delete from "services"."service" returning *', []);
      // the database makes the search text, which has the id in it
      const [direct, managed] = ['direct', 'managed'].map((wanted) => ({
        ...rows.find(({ id }) => id === wanted),
        id: '',
        search_text: '',
      }));
      expect(rows).toHaveLength(2);
      expect(direct).toEqual(managed);
    }),
    { numRuns: 200 },
  );
});
