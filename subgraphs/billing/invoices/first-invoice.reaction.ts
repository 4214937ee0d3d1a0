import { z } from 'zod';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { claimOnce, record } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { requestOf } from '../../../kernel/request.ts';
import { BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { type Billable, findBillable } from './billable-services.ts';
import { periodText } from './billing-period.ts';
import { invoiceGenerated } from './invoice.events.ts';
import { defaultDueDate, type InvoiceDraft, issueInvoice, payIfNothingIsDue } from './invoice-issue.ts';

/** The fields of the event `service.provisioned` that billing uses. The event may have more fields. */
const provisioned = z.object({
  data: z.object({
    service: z.object({
      id: z.string(),
      account_id: z.string(),
      name: z.string(),
      billing_cycle: z.enum(BillingCycle),
      price: z.object({ amount: z.number().nonnegative(), currency: z.string(), unit: z.literal('month') }),
      provisioned_at: timestamp,
    }),
  }),
});
type ProvisionedService = z.infer<typeof provisioned>['data']['service'];

const NAME = 'billing.first-invoice';

type FirstInvoicePorts = Pick<Ports, 'orm' | 'clock' | 'graph' | 'log'>;

/**
 * Returns the reaction to the event `service.provisioned`. It creates the invoice for the first billing cycle of the
 * service, in advance. It creates only one invoice, even if the event arrives several times.
 */
export const firstInvoice = ({ orm, clock, graph, log }: FirstInvoicePorts): Reaction => ({
  name: NAME,
  on: 'service.provisioned',
  async handle(event) {
    const { service } = provisioned.parse(JSON.parse(event.payload)).data;
    const { id, account_id: accountId } = service;
    const billable = await findBillable(graph, requestOf(NAME, event.organizationId, log), { accountId, serviceIds: [id] });
    await organizationEm(orm, event.organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, event.id, NAME))) return;

      const now = clock.now();
      const issued = await issueInvoice(tx, draftOf(service, event, billable, now), now);
      await record(tx, invoiceGenerated(issued));
      await payIfNothingIsDue(tx, issued, now);
    });
  },
});

function draftOf(service: ProvisionedService, event: LoggedEvent, { customer, services }: Billable, now: Date): InvoiceDraft {
  const { id, name, billing_cycle: cycle, price, provisioned_at: provisionedAt } = service;
  return {
    organizationId: event.organizationId,
    customer,
    currency: price.currency,
    dueDate: defaultDueDate(now),
    notes: null,
    source: event.id,
    lines: [
      {
        serviceId: id,
        description: `${name}, ${periodText(new Date(provisionedAt), cycle)}`,
        category: orNotFound(services.get(id), 'service', id).catalogService.category,
        quantity: monthsOf(cycle),
        unitPrice: new Decimal(price.amount),
      },
    ],
  };
}
