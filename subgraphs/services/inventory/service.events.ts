import { z } from 'zod';
import { changes, defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { Service } from './service.entity.ts';
import { ServiceStatus, ServiceType } from './service.states.ts';

const { PROVISIONING, OPERATIONAL, DECOMMISSIONING, DECOMMISSIONED } = ServiceStatus;

/**
 * One item of a price. The amount of an item is its quantity times its unit price, rounded to the currency. The price
 * is the sum of these amounts.
 */
const priceLine = z.strictObject({
  catalog_id: z.string(),
  item: z.string().optional().describe('Item that the part of the price is for: `bandwidth:1000mbps`, `feature:static_ip` or `base`.'),
  unit: z.string(),
  quantity: z.number(),
  unit_price: z.number(),
});

export const servicePayload = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  type: z.enum(ServiceType),
  service_type: z.string(),
  name: z.string(),
  status: z.enum(ServiceStatus),
  bandwidth: z.string().nullable(),
  term_months: z.number().nullable().optional().describe('Minimum term in months. Null without a term.'),
  one_time_fee: z.number().optional().describe('Price that is charged once, in the currency of the price.'),
  features: z.array(z.string()).optional().describe('Features that are switched on.'),
  configuration: z.record(z.string(), z.unknown()).optional().describe('Settings that are specific to the kind of service.'),
  sla: z.string().nullable(),
  billing_cycle: z.enum(BillingCycle),
  price: z.strictObject({ amount: z.number(), currency: z.string(), unit: z.literal('month'), lines: z.array(priceLine) }),
  created_at: timestamp,
  updated_at: timestamp,
  provisioned_at: timestamp.nullable(),
});
export const statusChange = z.strictObject({ status: z.strictObject({ from: z.enum(ServiceStatus), to: z.enum(ServiceStatus) }) });

export const serviceExample: z.input<typeof servicePayload> = {
  id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  type: ServiceType.INTERNET,
  service_type: 'fiber',
  name: 'Business Fiber, 350 Fifth Avenue',
  status: OPERATIONAL,
  bandwidth: '1000mbps',
  term_months: null,
  one_time_fee: 199,
  features: [],
  configuration: { redundancy: true },
  sla: 'enterprise',
  billing_cycle: BillingCycle.MONTHLY,
  price: {
    amount: 403.65,
    currency: 'USD',
    unit: 'month',
    lines: [{ catalog_id: 'business_fiber', item: 'bandwidth:1000mbps', unit: 'month', quantity: 1, unit_price: 403.65 }],
  },
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:02.000Z',
  provisioned_at: '2026-01-31T09:30:02.000Z',
};

const family = 'service';

export const serviceProvisioned = defineEvent(
  {
    name: 'service.provisioned',
    family,
    description: 'A service was built and is operational for the first time. Billing of the service starts.',
    data: z.strictObject({ service: servicePayload }),
    example: { service: serviceExample },
  },
  (service: Service) => ({ ...about(service), data: { service: payloadOf(service) } }),
);

export const serviceStatusChanged = defineEvent(
  {
    name: 'service.status_changed',
    family,
    description: 'The status of a service changed. `reason` contains the reason, or null if there is none.',
    data: z.strictObject({ service: servicePayload, changes: statusChange, reason: z.string().nullable() }),
    example: { service: serviceExample, changes: { status: { from: PROVISIONING, to: OPERATIONAL } }, reason: null },
  },
  statusChangeOf,
);

export const serviceModified = defineEvent(
  {
    name: 'service.modified',
    family,
    description: 'The configuration, size or features of a service changed. `changes` contains the old and new values.',
    data: z.strictObject({ service: servicePayload, changes }),
    example: { service: serviceExample, changes: { bandwidth: { from: '500mbps', to: '1000mbps' } } },
  },
  (service: Service, changed: ChangeSet) => ({ ...about(service), data: { service: payloadOf(service), changes: changed } }),
);

export const serviceDecommissioned = defineEvent(
  {
    name: 'service.decommissioned',
    family,
    description: 'A service was permanently taken down. Billing of the service ends.',
    data: z.strictObject({ service: servicePayload, changes: statusChange, reason: z.string().nullable() }),
    example: {
      service: { ...serviceExample, status: DECOMMISSIONED },
      changes: { status: { from: DECOMMISSIONING, to: DECOMMISSIONED } },
      reason: 'Office closed',
    },
  },
  statusChangeOf,
);

export const serviceEvents = [serviceProvisioned.type, serviceStatusChanged.type, serviceModified.type, serviceDecommissioned.type];

/** Returns all fields of an event about a service except `data`. */
export const about = ({ organizationId, updatedAt, id, accountId }: Service) => ({
  organizationId,
  occurredAt: updatedAt,
  subject: { type: 'Service', id },
  accountId,
});

const priceOf = ({ monthlyPrice, currency, priceLines }: Service): z.infer<typeof servicePayload>['price'] => ({
  amount: monthlyPrice.toNumber(),
  currency,
  unit: 'month',
  lines: priceLines.map(({ catalogId, item, unit, quantity, unitPrice }) => ({
    catalog_id: catalogId,
    item,
    unit,
    quantity,
    unit_price: Number(unitPrice),
  })),
});

/** Returns a service as events contain it. */
export const payloadOf = (service: Service): z.infer<typeof servicePayload> => ({
  id: service.id,
  account_id: service.accountId,
  type: service.type,
  service_type: service.serviceType,
  name: service.name,
  status: service.status,
  bandwidth: service.bandwidth,
  term_months: service.termMonths,
  one_time_fee: service.oneTimeFee.toNumber(),
  features: [...service.features],
  configuration: service.configuration,
  sla: service.sla,
  billing_cycle: service.billingCycle,
  price: priceOf(service),
  created_at: service.createdAt.toISOString(),
  updated_at: service.updatedAt.toISOString(),
  provisioned_at: service.provisionedAt?.toISOString() ?? null,
});

function statusChangeOf(service: Service, from: ServiceStatus) {
  return {
    ...about(service),
    data: { service: payloadOf(service), changes: { status: { from, to: service.status } }, reason: service.statusReason },
  };
}
