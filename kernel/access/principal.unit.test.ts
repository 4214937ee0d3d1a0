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
])('the permissions that a caller requests are reduced to %s', (_, wished, held, both) => {
  expect(narrowed(wished, holding(...held))).toEqual(both);
});
