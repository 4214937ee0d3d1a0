import { z } from 'zod';
import { changes, defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { Service } from './service.entity.ts';
import { ServiceStatus, ServiceType } from './service.states.ts';

const { PROVISIONING, OPERATIONAL, DECOMMISSIONING, DECOMMISSIONED } = ServiceStatus;

/**
 * One item of a price. The amount of an item is its quantity times its unit price. The price is the sum of these
 * amounts.
 */
const priceLine = z.strictObject({ catalog_id: z.string(), unit: z.string(), quantity: z.number(), unit_price: z.number() });

export const servicePayload = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  type: z.enum(ServiceType),
  service_type: z.string(),
  name: z.string(),
  status: z.enum(ServiceStatus),
  bandwidth: z.string().nullable(),
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
  sla: 'enterprise',
  billing_cycle: BillingCycle.MONTHLY,
  price: {
    amount: 403.65,
    currency: 'USD',
    unit: 'month',
    lines: [{ catalog_id: 'business_fiber', unit: 'month', quantity: 1, unit_price: 403.65 }],
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

export const serviceModified = defineEvent({
  name: 'service.modified',
  family,
  description: 'The configuration, size or features of a service changed. `changes` contains the old and new values.',
  data: z.strictObject({ service: servicePayload, changes }),
  example: { service: serviceExample, changes: { bandwidth: { from: '500mbps', to: '1000mbps' } } },
});

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

export const serviceEvents = [serviceProvisioned.type, serviceStatusChanged.type, serviceModified, serviceDecommissioned.type];

const about = ({ organizationId, updatedAt, id, accountId }: Service) => ({
  organizationId,
  occurredAt: updatedAt,
  subject: { type: 'Service', id },
  accountId,
});

/**
 * Returns the price of a service, for the payloads of its events. The price has one item: the catalog service with its
 * monthly price.
 */
const priceOf = ({ monthlyPrice, currency, catalogId }: Service): z.infer<typeof servicePayload>['price'] => {
  const amount = monthlyPrice.toNumber();
  return { amount, currency, unit: 'month', lines: [{ catalog_id: catalogId, unit: 'month', quantity: 1, unit_price: amount }] };
};

const payloadOf = (service: Service): z.infer<typeof servicePayload> => ({
  id: service.id,
  account_id: service.accountId,
  type: service.type,
  service_type: service.serviceType,
  name: service.name,
  status: service.status,
  bandwidth: service.bandwidth,
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
