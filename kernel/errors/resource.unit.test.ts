import { expect, test } from 'vitest';
import { inWords, resources } from './resource.ts';

test('resource names are in snake case', () => {
  for (const resource of resources) expect(resource).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('resource names in messages spell acronyms and brands correctly', () => {
  expect((['ticket', 'provisioning_request', 'sla_policy', 'oauth_client', 'api_key', 'slack_integration'] as const).map(inWords)).toEqual([
    'ticket',
    'provisioning request',
    'SLA policy',
    'OAuth client',
    'API key',
    'Slack integration',
  ]);
});
