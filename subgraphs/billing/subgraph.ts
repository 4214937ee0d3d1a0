import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingContext } from './context.ts';
import { type BillingPorts, createCore } from './core.ts';
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
import { serviceReactions } from './subscriptions/service-events.reaction.ts';
import { BillingSubscription } from './subscriptions/subscription.entity.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import {
  AccountSubscriptionsResolver,
  InvoiceSubscriptionResolver,
  ServiceSubscriptionResolver,
  SubscriptionItemResolver,
  SubscriptionResolver,
} from './subscriptions/subscription.resolver.ts';
import { SubscriptionCharge } from './subscriptions/subscription-charge.entity.ts';
import { SubscriptionItem } from './subscriptions/subscription-item.entity.ts';
import { usageThreshold } from './usage/usage.events.ts';

/** The billing domain: invoices, payments and refunds (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities: [
    Invoice,
    InvoiceLine,
    AccountBalance,
    PaymentMethod,
    Payment,
    Refund,
    BillingSubscription,
    SubscriptionItem,
    SubscriptionCharge,
  ],
  tablesWithoutEntity: ['ledger_transfer', 'test_processor_charge', 'test_processor_refund', 'early_service_event'],
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
    {
      field: 'subscriptionUpdated',
      subject: 'BillingSubscription',
      eventField: 'billingSubscription',
      events: ['subscription.*'],
      requires: 'billing:read',
      description: 'Follow the events of subscriptions.',
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
          SubscriptionResolver,
          SubscriptionItemResolver,
          AccountSubscriptionsResolver,
          ServiceSubscriptionResolver,
          InvoiceSubscriptionResolver,
        ],
        orphanedTypes: [Account, Service],
        references: {
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
          BillingSubscription: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.subscriptions.load(id) },
          Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: serviceReactions(ports, core.seams),
      start: async () => {
        core.counters.start();
        core.adoption.start();
        for (const sweeper of core.sweepers) sweeper.start();
      },
      stop: async () =>
        void (await Promise.all([core.counters.stop(), core.adoption.stop(), ...core.sweepers.map((sweeper) => sweeper.stop())])),
    };
  },
};
