import { expect, test } from 'vitest';
import { type Grant, narrowed, Principal } from './principal.ts';

const holding = (...grants: Grant[]) => new Principal({ kind: 'user', id: 'user_1', organizationId: 'org_1', plan: 'developer', grants });

test.each<[string, Grant[], Grant[], Grant[]]>([
  ['what both hold', ['services:read', 'billing:read'], ['services:read'], ['services:read']],
  ['what a wildcard of the holder covers', ['services:write'], ['services:*'], ['services:write']],
  ['of a wildcard, what the holder has of it', ['*:*'], ['billing:*', 'services:read'], ['billing:*', 'services:read']],
  ['of the wildcard of an area, what the holder has there', ['services:*'], ['billing:*', 'services:read'], ['services:read']],
  ['of writing, the creating that it includes', ['support:write'], ['support:create', 'support:read'], ['support:create']],
  ['nothing where they share nothing', ['services:write'], ['services:read'], []],
  ['each permission once', ['*:*', 'services:read'], ['services:read'], ['services:read']],
])('a list of wishes is narrowed to %s', (_, wished, held, both) => {
  expect(narrowed(wished, holding(...held))).toEqual(both);
});
