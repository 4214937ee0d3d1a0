import { z } from 'zod';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
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
      const prices = events.flatMap(pricesOf);
      if (prices.length > 0) await orm.em.fork().transactional((tx) => recordRecurring(tx, newestOf(prices)));
    };
    return {
      name: `billing.recurring-${name}`,
      on,
      handle: (event) => handleTogether([event]),
      // a service can be modified several times, and each of its prices counts
      ...(on !== EVENTS.modified && { handleTogether, together: 'all' }),
    };
  });

/** Returns the monthly price that an event reports. Empty for an order that was changed or cancelled before it was built. */
function pricesOf({ event, organizationId, payload }: LoggedEvent): RecurringPrice[] {
  const { service } = changed.parse(JSON.parse(payload)).data;
  const { id: serviceId, account_id: accountId, price, provisioned_at: provisionedAt, updated_at: at } = service;
  if (provisionedAt === null) return [];
  const monthly = new Decimal(event === EVENTS.decommissioned ? 0 : price.amount);
  return [{ organizationId, serviceId, accountId, currency: price.currency, monthly, at: new Date(at) }];
}

/** Returns the last price of each service. */
const newestOf = (prices: readonly RecurringPrice[]): RecurringPrice[] => [
  ...new Map(prices.map((price) => [`${price.organizationId} ${price.serviceId}`, price])).values(),
];
