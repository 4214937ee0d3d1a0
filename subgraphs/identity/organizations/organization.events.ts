import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Organization } from './organization.entity.ts';

export const organizationUnderReview = defineEvent(
  {
    name: 'organization.under_review',
    family: 'account',
    description:
      'The organization exceeded the burst limit three times within 24 hours and is now under review. Sent once for each review.',
    data: z.strictObject({
      organization: z.strictObject({ id: z.string(), name: z.string(), plan: z.string(), under_review_since: timestamp }),
    }),
    example: {
      organization: {
        id: 'org_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        name: 'Acme Corporation',
        plan: 'business',
        under_review_since: '2026-01-31T09:30:00.000Z',
      },
    },
  },
  ({ id, name, plan }: Organization, since: Date) => ({
    organizationId: id,
    occurredAt: since,
    subject: { type: 'Organization', id },
    data: { organization: { id, name, plan, under_review_since: since.toISOString() } },
  }),
);

export const organizationEvents = [organizationUnderReview.type];
