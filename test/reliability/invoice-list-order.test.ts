import { expect, test } from 'vitest';
import { SortOrder } from '../../kernel/graphql/page.ts';
import { pageStatement } from '../../kernel/lists/list-statement.ts';
import { INVOICES } from '../../subgraphs/billing/invoices/invoice-list.ts';
import { BillingWorld } from './billing-world.ts';

const { ASC, DESC } = SortOrder;

test.each([
  ['createdAt', ASC],
  ['createdAt', DESC],
  ['dueDate', ASC],
  ['dueDate', DESC],
] as const)('a list of invoices by %s %s is read from an index without sorting', async (field, order) => {
  const world = await BillingWorld.open();
  const sort = [field, 'id'].map((name) => ({ field: name, order }));
  for (const after of [undefined, [new Date(0), 'inv_1']]) {
    const { text, values } = pageStatement(
      { table: INVOICES, filter: { organizationId: 'org_1', values: {} }, sort },
      { limit: 50, offset: 0, ...(after && { after }) },
    );
    const plan = await world.store.orm.em.fork().transactional(async (tx) => {
      // an empty table would be read and sorted
      await tx.execute('set local enable_sort = off');
      await tx.execute('set local enable_seqscan = off');
      return tx.execute<Record<string, string>[]>(`explain ${text.replaceAll(/\$\d+/g, '?')}`, valuesIn(text, values));
    });
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).not.toMatch(/Sort/);
    expect(lines).toMatch(/Index/);
  }
});

/** Returns the values of a statement, one for each of its placeholders such as `$1`, in the order of the placeholders in the text. */
const valuesIn = (text: string, values: readonly unknown[]): unknown[] =>
  [...text.matchAll(/\$(\d+)/g)].map(([, number]) => values[Number(number) - 1]);
