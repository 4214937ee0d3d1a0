import { z } from 'zod';
import type { Ports } from '../../../kernel/domain.ts';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { recordRecurring } from './recurring-revenue.ts';

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
  Object.entries(EVENTS).map(([name, on]) => ({
    name: `billing.recurring-${name}`,
    on,
    async handle({ organizationId, payload }) {
      const { service } = changed.parse(JSON.parse(payload)).data;
      const { id: serviceId, account_id: accountId, price, provisioned_at: provisionedAt, updated_at: at } = service;
      // an order that was changed or cancelled before it was built costs nothing yet
      if (provisionedAt === null) return;
      const monthly = new Decimal(on === EVENTS.decommissioned ? 0 : price.amount);
      const recurring = { organizationId, serviceId, accountId, currency: price.currency, monthly, at: new Date(at) };
      await organizationEm(orm, organizationId).transactional((tx) => recordRecurring(tx, recurring));
    },
  }));
