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
      'The organization made more requests in a month than its plan includes. The additional requests are billed. Sent at most once an hour for each month, and once more when the month has ended.',
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

export interface ChargedOverage {
  /** Organization that made the requests. */
  organizationId: string;
  /** Account that is invoiced for the overage, and the operator's organization, to which the account belongs. */
  account: { id: string; organizationId: string };
  quantity: number;
  unitPrice: Decimal;
  currency: string;
  /** Time of the usage: the time when the requests were counted, limited to their month. */
  usedAt: Date;
  /** Identifies the overage: organization, month, and the number of requests of the month that were charged before. */
  source: string;
}

/**
 * Overage that the billing domain invoices. Unlike `usage.overage`, it is an event of the operator's organization, and
 * each request is counted in exactly one event.
 */
export const overageRecorded = defineEvent(
  {
    name: 'overage.recorded',
    family: 'billing',
    isInternal: true,
    description: "An account of the operator's organization is charged for requests of its organization that the plan does not include.",
    data: z.strictObject({
      account_id: z.string(),
      metric: z.literal('api_calls'),
      quantity: z.int().positive(),
      unit_price: decimal,
      currency: z.string(),
      used_at: timestamp,
      source: z.string().describe('Identifies the overage: organization, month, and the number of requests that were charged before.'),
    }),
    example: {
      account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      metric: 'api_calls',
      quantity: 1200,
      unit_price: '0.0008',
      currency: 'USD',
      used_at: '2026-01-31T14:05:00.000Z',
      source: 'org_01JQ8Z6V4T9M3N2B1C0D9E8F7G/2026-01/2200',
    },
  },
  ({ organizationId, account, quantity, unitPrice, currency, usedAt, source }: ChargedOverage, now: Date) => ({
    organizationId: account.organizationId,
    occurredAt: now,
    subject: { type: 'Organization', id: organizationId },
    accountId: account.id,
    data: {
      ...{ account_id: account.id, metric: 'api_calls' as const, quantity, unit_price: unitPrice.toFixed(), currency },
      ...{ used_at: usedAt.toISOString(), source },
    },
  }),
);

export const usageEvents = [usageOverage.type, overageRecorded.type];
