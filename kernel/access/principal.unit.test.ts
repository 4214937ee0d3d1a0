import { expect, test } from 'vitest';
import { type Grant, narrowed, Principal } from './principal.ts';

const holding = (...grants: Grant[]) => new Principal({ kind: 'user', id: 'user_1', organizationId: 'org_1', plan: 'developer', grants });

test.each<[string, Grant[], Grant[], Grant[]]>([
  ['the requested permissions that the caller has', ['services:read', 'billing:read'], ['services:read'], ['services:read']],
  ['the requested permissions that a wildcard of the caller covers', ['services:write'], ['services:*'], ['services:write']],
  ["the caller's permissions within a requested wildcard", ['*:*'], ['billing:*', 'services:read'], ['billing:*', 'services:read']],
  ["the caller's permissions within the wildcard of an area", ['services:*'], ['billing:*', 'services:read'], ['services:read']],
  ['create if write is requested and the caller has create', ['support:write'], ['support:create', 'support:read'], ['support:create']],
  ['an empty list if the caller has none of the requested permissions', ['services:write'], ['services:read'], []],
  ['a list that contains each permission once', ['*:*', 'services:read'], ['services:read'], ['services:read']],
])('narrowing requested permissions to those of the caller returns %s', (_, wished, held, both) => {
  expect(narrowed(wished, holding(...held))).toEqual(both);
});

test.each<[string, string[] | null, string | null]>([
  ['null for a caller who sees the whole organization', null, null],
  ['the only account of a caller who is limited to one', ['acc_1'], 'acc_1'],
  ['the only account of a caller whose list repeats it', ['acc_1', 'acc_1'], 'acc_1'],
])('if a new record names no account, its default account is %s', (_, accounts, account) => {
  expect(new Principal({ ...holding().toJSON(), accounts }).defaultAccount('accountId')).toBe(account);
});

test.each([
  ['several accounts', ['acc_1', 'acc_2'], 'access to several'],
  ['no account', [], 'access to no account'],
])('a caller who is limited to %s must name the account of a new record', (_, accounts, reason) => {
  const problem = { field: 'accountId', reason: expect.stringContaining(reason) };
  expect(() => new Principal({ ...holding().toJSON(), accounts }).defaultAccount('accountId')).toThrow(
    expect.objectContaining({ details: expect.objectContaining(problem) }),
  );
});
