import { z } from 'zod';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { type RecurringPrice, recordRecurring } from './recurring-revenue.ts';

/** The fields of the events of services that the recurring revenue needs. */
const changed = z.object({
  data: z.object({
    service: z.object({
      id: z.string(),
      account_id: z.string(),
      price: z.object({ amount: z.number().nonnegative(), currency: z.string() }),
      provisioned_at: timestamp.nullable(),
      updated_at: timestamp,
    }),
  }),
});

const EVENTS = { provisioned: 'service.provisioned', modified: 'service.modified', decommissioned: 'service.decommissioned' } as const;

/** Returns the reactions that record the monthly prices of services when they are provisioned, changed or ended. */
export const recurringRevenue = ({ orm }: Pick<Ports, 'orm'>): Reaction[] =>
  Object.entries(EVENTS).map(([name, on]) => {
    const handleTogether = async (events: readonly LoggedEvent[]): Promise<void> => {
      const prices = new Map(events.flatMap((event) => pricesOf(event).map((price) => [price.serviceId, price])));
      const [first] = events;
      if (!first || prices.size === 0) return;
      const { organizationId } = first;
      await organizationEm(orm, organizationId).transactional((tx) => recordRecurring(tx, organizationId, [...prices.values()]));
    };
    return {
      name: `billing.recurring-${name}`,
      on,
      handle: (event) => handleTogether([event]),
      // a service can be modified several times, and each of its prices counts
      ...(on !== EVENTS.modified && { handleTogether }),
    };
  });

/** Returns the monthly price that an event reports. Empty for an order that was changed or cancelled before it was built. */
function pricesOf({ event, payload }: LoggedEvent): RecurringPrice[] {
  const { service } = changed.parse(JSON.parse(payload)).data;
  const { id: serviceId, account_id: accountId, price, provisioned_at: provisionedAt, updated_at: at } = service;
  if (provisionedAt === null) return [];
  const monthly = new Decimal(event === EVENTS.decommissioned ? 0 : price.amount);
  return [{ serviceId, accountId, currency: price.currency, monthly, at: new Date(at) }];
}
