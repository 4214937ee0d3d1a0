import { expect, test } from 'vitest';
import { inWords, resources } from './resource.ts';

test('every resource name in errors is in snake case', () => {
  for (const resource of resources) expect(resource).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('a resource name in an error message has capitals in acronyms and brands, such as "SLA policy"', () => {
  expect((['ticket', 'provisioning_request', 'sla_policy', 'oauth_client', 'api_key', 'slack_integration'] as const).map(inWords)).toEqual([
    'ticket',
    'provisioning request',
    'SLA policy',
    'OAuth client',
    'API key',
    'Slack integration',
  ]);
});
