import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { claimEach } from '../../../kernel/events/outbox.ts';
import { platformTime } from '../../../kernel/organization-clock.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { billingAccountsOf } from '../accounts/billing-account-lock.ts';
import type { Customer } from '../customers/customer.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccounts } from './account-lock.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { type Billed, findBilled } from './billed-services.ts';
import { billProvisioned, ServiceBilling, type ServiceReport } from './service-billing.ts';

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

const PROVISIONED = 'service.provisioned';

/**
 * The events of services, and the names of their reactions. The first reaction has the same name as in earlier releases, so that events
 * that they have handled are not billed again.
 */
const REACTIONS = {
  [PROVISIONED]: 'billing.first-invoice',
  'service.modified': 'billing.service-modified',
  'service.decommissioned': 'billing.service-decommissioned',
} as const;

type ServicePorts = Pick<Ports, 'orm' | 'clock' | 'graph' | 'log'>;

/**
 * Returns the reactions to events of services. A service is added to the subscription of its account when it is provisioned, its price
 * changes when it is modified, and it is billed for the last time when it is decommissioned. Each event takes effect once, and the events
 * of a service can arrive in any order. Services that were provisioned at about the same time are billed together, each with its own invoice.
 */
export const serviceReactions = (ports: ServicePorts): Reaction[] =>
  Object.entries(REACTIONS).map(([on, name]) => {
    const handleTogether = (events: readonly LoggedEvent[]): Promise<void> => handle(ports, name, events);
    return { name, on, handle: (event) => handleTogether([event]), ...(on === PROVISIONED && { handleTogether }) };
  });

type ReportedService = z.infer<typeof aboutService>['data']['service'];

/** Handles events of one organization. Several events must be about provisioned services. */
async function handle({ orm, clock, graph, log }: ServicePorts, name: string, events: readonly LoggedEvent[]): Promise<void> {
  const { organizationId } = events[0] as LoggedEvent;
  const reported = events
    .map((event) => ({ event, service: aboutService.parse(JSON.parse(event.payload)).data.service }))
    // the event of its provisioning will have these values
    .filter(({ service }) => service.provisioned_at !== null);
  if (reported.length === 0) return;
  const billed = await findBilled(graph, requestOf(name, organizationId, log), {
    accountIds: reported.map(({ service }) => service.account_id),
    serviceIds: reported.map(({ service }) => service.id),
  });
  const known = reported.filter(({ event, service: { id: service, account_id: account } }) => {
    if (billed.customers.has(account)) return true;
    log.warn({ event: event.id, service, account }, 'a service is not billed, because its account no longer exists');
    return false;
  });
  const accountIds = [...new Set(known.map(({ service }) => service.account_id))];
  if (accountIds.length === 0) return;
  await organizationEm(orm, organizationId).transactional(async (tx: EntityManager) => {
    const ids = known.map(({ event }) => event.id);
    await lockAccounts(tx, organizationId, accountIds);
    // its result arrives when the locks are acquired, so `now` is not earlier than the changes that held them
    const claimed = await claimEach(tx, ids, name);
    if (claimed.size === 0) return;
    const now = clock.now();
    const accounts = await billingAccountsOf(tx, organizationId, accountIds, now);
    const services = accounts.map(({ accountId, billingDay }) => {
      const customer = billed.customers.get(accountId) as Customer;
      return new ServiceBilling(new AccountSubscriptions(new AccountBilling(tx, { organizationId, customer, billingDay }, now)));
    });
    const reports = known
      .filter(({ event }) => claimed.has(event.id))
      .map(({ event, service }) => reportOf(event, service, { billed, now: platformTime() && now }));
    const [event] = events;
    if (event?.event === PROVISIONED) await billProvisioned(services, reports);
    else for (const report of reports) await services[0]?.changed(report);
  });
}

/** Converts an event to a report. `now`: the organization's own time in billing; the times of other domains mean nothing in it. */
const reportOf = (
  { id: eventId, event }: LoggedEvent,
  service: ReportedService,
  { billed, now }: { billed: Billed; now: Date | undefined },
): ServiceReport => ({
  eventId,
  isEnd: event === 'service.decommissioned',
  serviceId: service.id,
  accountId: service.account_id,
  name: service.name,
  category: billed.categoryOf(service.id),
  cycle: service.billing_cycle,
  price: service.price.amount,
  currency: service.price.currency,
  fee: service.one_time_fee,
  provisionedAt: now?.toISOString() ?? (service.provisioned_at as string),
  at: now?.toISOString() ?? service.updated_at,
});
