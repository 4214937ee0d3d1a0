import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Integration } from './integration.entity.ts';

const integrationPayload = z.strictObject({
  id: z.string(),
  kind: z.enum(['slack', 'jira']),
  target: z.string().describe('Slack channel, or Jira project and site.'),
  disabled_at: timestamp,
  disabled_reason: z.string(),
  last_error: z.string().nullable(),
});

const SUBJECTS = { slack: 'SlackIntegration', jira: 'JiraIntegration' } as const;

export const integrationDisabled = defineEvent(
  {
    name: 'integration.disabled',
    family: 'integration',
    description: 'The platform disabled an integration. `disabled_reason` contains the reason.',
    data: z.strictObject({ integration: integrationPayload }),
    example: {
      integration: {
        id: 'intg_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        kind: 'slack',
        target: '#support',
        disabled_at: '2026-01-31T09:30:00.000Z',
        disabled_reason: 'channel_is_archived',
        last_error: 'Slack answered 410: channel_is_archived',
      },
    },
  },
  (integration: Integration, kind: 'slack' | 'jira', occurredAt: Date) => {
    const { id, organizationId, target, disabledAt, disabledReason, lastError } = integration;
    return {
      organizationId,
      occurredAt,
      subject: { type: SUBJECTS[kind], id },
      data: {
        integration: {
          id,
          kind,
          target,
          disabled_at: (disabledAt ?? occurredAt).toISOString(),
          disabled_reason: disabledReason ?? '',
          last_error: lastError,
        },
      },
    };
  },
);
