import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingContext } from './context.ts';
import { type BillingPorts, createCore } from './core.ts';
import { firstInvoice } from './invoices/first-invoice.reaction.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { invoiceEvents } from './invoices/invoice.events.ts';
import { AccountInvoicesResolver, InvoiceLineResolver, InvoiceResolver, ServiceInvoicesResolver } from './invoices/invoice.resolver.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { AccountBalance } from './ledger/account-balance.entity.ts';
import { migrations } from './migrations/index.ts';
import { organizationData } from './organization-data.ts';
import { Payment } from './payments/payment.entity.ts';
import { paymentEvents } from './payments/payment.events.ts';
import { InvoicePaymentsResolver, PaymentResolver } from './payments/payment.resolver.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { Account, Service } from './references.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import { usageThreshold } from './usage/usage.events.ts';
import { measuredUsage } from './usage/usage.reaction.ts';
import { ServiceUsageResolver, UsageResolver } from './usage/usage.resolver.ts';
import { UsagePrice } from './usage-prices/usage-price.entity.ts';
import { UsagePriceResolver } from './usage-prices/usage-price.resolver.ts';

/** The billing domain: invoices, payments and refunds (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities: [Invoice, InvoiceLine, AccountBalance, PaymentMethod, Payment, Refund, UsagePrice],
  tablesWithoutEntity: [
    ...['ledger_transfer', 'test_processor_charge', 'test_processor_refund'],
    ...['usage_key', 'usage_event', 'usage_day', 'usage_period'],
  ],
  migrations,
  organizationData,
  events: [...invoiceEvents, ...paymentEvents, ...subscriptionEvents, usageThreshold],
  live: [
    {
      field: 'invoiceUpdated',
      subject: 'Invoice',
      eventField: 'invoice',
      events: ['invoice.*'],
      requires: 'billing:read',
      description: 'Follow the events of invoices.',
    },
    {
      field: 'paymentUpdated',
      subject: 'Payment',
      eventField: 'payment',
      events: ['payment.*'],
      requires: 'billing:read',
      description: 'Follow the events of payments.',
    },
  ],
  start(ports) {
    const core = createCore(ports);
    return {
      subgraph: buildSubgraph<BillingContext>({
        name: 'billing',
        resolvers: [
          InvoiceResolver,
          InvoiceLineResolver,
          AccountInvoicesResolver,
          ServiceInvoicesResolver,
          PaymentResolver,
          InvoicePaymentsResolver,
          UsageResolver,
          ServiceUsageResolver,
          UsagePriceResolver,
        ],
        orphanedTypes: [Account, Service],
        references: {
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
          Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: [firstInvoice(ports), measuredUsage(ports, core.usageStore)],
      retained: core.retained,
      start: async () => {
        core.counters.start();
        for (const sweeper of core.sweepers) sweeper.start();
        core.retention.start();
      },
      stop: async () =>
        void (await Promise.all([core.counters.stop(), core.retention.stop(), ...core.sweepers.map((sweeper) => sweeper.stop())])),
    };
  },
};
