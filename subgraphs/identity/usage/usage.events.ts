import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

const decimal = z.string().regex(/^\d+(\.\d+)?$/);

export interface Overage {
  organizationId: string;
  periodStart: Date;
  periodEnd: Date;
  quantity: number;
  unitPrice: Decimal;
  currency: string;
  included: number;
  overage: number;
}

export const usageOverage = defineEvent(
  {
    name: 'usage.overage',
    family: 'billing',
    description:
      'The organization made more requests in a month than its plan includes. The additional requests are billed. Sent at most once an hour for each month.',
    data: z.strictObject({
      usage: z.strictObject({
        metric: z.literal('api_requests'),
        period_start: timestamp,
        period_end: timestamp,
        quantity: z.int().positive().describe('Additional requests that no earlier event has reported.'),
        unit_price: decimal.describe('Exact decimal as a string, because the price can be smaller than the smallest unit of the currency.'),
        currency: z.string(),
        included: z.int().describe('Requests in the period that are included in the plan.'),
        overage: z.int().describe('Requests in the period beyond the included requests, including `quantity`.'),
      }),
    }),
    example: {
      usage: {
        metric: 'api_requests',
        period_start: '2026-01-01T00:00:00.000Z',
        period_end: '2026-02-01T00:00:00.000Z',
        quantity: 1200,
        unit_price: '0.0008',
        currency: 'USD',
        included: 500000,
        overage: 3400,
      },
    },
  },
  ({ organizationId, periodStart, periodEnd, unitPrice, ...amounts }: Overage, now: Date) => ({
    organizationId,
    occurredAt: now,
    subject: { type: 'Organization', id: organizationId },
    data: {
      usage: {
        metric: 'api_requests' as const,
        period_start: periodStart.toISOString(),
        period_end: periodEnd.toISOString(),
        unit_price: unitPrice.toFixed(),
        ...amounts,
      },
    },
  }),
);

export const usageEvents = [usageOverage.type];
