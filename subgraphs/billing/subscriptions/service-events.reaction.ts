import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { platformTime } from '../../../kernel/organization-clock.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccount } from './account-lock.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { findBilled } from './billed-services.ts';
import { ServiceBilling, type ServiceReport } from './service-billing.ts';

/** The fields of events about services that billing uses. The events may have more fields. */
const aboutService = z.object({
  data: z.object({
    service: z.object({
      id: z.string(),
      account_id: z.string(),
      name: z.string(),
      billing_cycle: z.enum(BillingCycle),
      price: z.object({ amount: z.number().nonnegative(), currency: z.string(), unit: z.literal('month') }),
      one_time_fee: z.number().nonnegative().default(0),
      provisioned_at: timestamp.nullable(),
      updated_at: timestamp,
    }),
  }),
});

/**
 * The events of services, and the names of their reactions. The first reaction has the same name as in earlier releases, so that events
 * that they have handled are not billed again.
 */
const REACTIONS = {
  'service.provisioned': 'billing.first-invoice',
  'service.modified': 'billing.service-modified',
  'service.decommissioned': 'billing.service-decommissioned',
} as const;

type ServicePorts = Pick<Ports, 'orm' | 'clock' | 'graph' | 'log'>;

/**
 * Returns the reactions to events of services. A service is added to the subscription of its account when it is provisioned, its price
 * changes when it is modified, and it is billed for the last time when it is decommissioned. Each event takes effect once, and the events
 * of a service can arrive in any order.
 */
export const serviceReactions = (ports: ServicePorts): Reaction[] =>
  Object.entries(REACTIONS).map(([on, name]) => ({ name, on, handle: (event) => handle(ports, name, event) }));

async function handle({ orm, clock, graph, log }: ServicePorts, name: string, event: LoggedEvent): Promise<void> {
  const { organizationId } = event;
  const { service } = aboutService.parse(JSON.parse(event.payload)).data;
  // the event of its provisioning will have these values
  if (service.provisioned_at === null) return;
  const { id: serviceId, account_id: accountId } = service;
  const billed = await findBilled(graph, requestOf(name, organizationId, log), { accountId, serviceId });
  if (!billed) {
    log.warn({ event: event.id, service: serviceId, account: accountId }, 'a service is not billed, because its account no longer exists');
    return;
  }
  await organizationEm(orm, organizationId).transactional(async (tx: EntityManager) => {
    if (!(await claimOnce(tx, event.id, name))) return;
    await lockAccount(tx, organizationId, accountId);
    const now = clock.now();
    const { billingDay } = await billingAccountOf(tx, organizationId, accountId, now);
    const billing = new AccountBilling(tx, { organizationId, customer: billed.customer, billingDay }, now);
    const services = new ServiceBilling(new AccountSubscriptions(billing));
    // the times of other domains say nothing to an organization with its own time in billing
    const own = platformTime() && now.toISOString();
    const report: ServiceReport = {
      eventId: event.id,
      isEnd: event.event === 'service.decommissioned',
      serviceId,
      name: service.name,
      category: billed.category,
      cycle: service.billing_cycle,
      price: service.price.amount,
      currency: service.price.currency,
      fee: service.one_time_fee,
      provisionedAt: own ?? (service.provisioned_at as string),
      at: own ?? service.updated_at,
    };
    if (event.event === 'service.provisioned') await services.provisioned(report);
    else await services.changed(report);
  });
}
