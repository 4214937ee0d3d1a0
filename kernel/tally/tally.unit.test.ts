import { describe, expect, test } from 'vitest';
import { canCount, cellColumns, type Tally } from './tally.ts';

const OF_ALL: Tally = { schema: 'shop', table: 'order_tally', of: 'order', owners: [], dimensions: ['status', 'kind'] };
const OF_ACCOUNTS: Tally = { ...OF_ALL, table: 'order_account_tally', owners: ['account_id', 'customer_id'] };

describe('a tally counts the rows of a filter', () => {
  const CASES: [what: string, tally: Tally, values: Record<string, string[] | null | undefined>, expected: boolean][] = [
    ['without values', OF_ALL, {}, true],
    ['by its dimensions', OF_ALL, { status: ['open'], kind: ['a', 'b'] }, true],
    ['by a column that the tally does not have, if the column has no values', OF_ALL, { region: null, account_id: undefined }, true],
    ['by a column that the tally does not have', OF_ALL, { status: ['open'], region: ['eu'] }, false],
    ['by an owner, if the tally has no owners', OF_ALL, { account_id: ['acc_1'] }, false],
    ['by one of its owners', OF_ACCOUNTS, { customer_id: ['cust_1'] }, true],
    ['by an owner that has no allowed values', OF_ACCOUNTS, { account_id: [] }, true],
    ['by an owner and a dimension', OF_ACCOUNTS, { account_id: ['acc_1'], status: ['open'] }, true],
    // rows without an owner may be missing in it
    ['without an owner, if the tally has owners', OF_ACCOUNTS, { status: ['open'] }, false],
  ];

  test.each(CASES)('canCount decides whether a tally can count rows %s', (_, tally, values, expected) => {
    expect(canCount(tally, { organizationId: 'org_1', values })).toBe(expected);
  });
});

test('a cell of a tally begins with the organization and the owners, so that the index finds the days of an owner', () => {
  expect(cellColumns(OF_ACCOUNTS)).toEqual(['organization_id', 'account_id', 'customer_id', 'day', 'status', 'kind']);
});
