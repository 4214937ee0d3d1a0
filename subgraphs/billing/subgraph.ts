import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingAnalyticsResolver } from './analytics/analytics.resolver.ts';
import { recurringRevenue } from './analytics/recurring-revenue.reaction.ts';
import { Budget } from './budgets/budget.entity.ts';
import { BudgetResolver } from './budgets/budget.resolver.ts';
import { BillingContext } from './context.ts';
import { type BillingPorts, createCore } from './core.ts';
import { AccountCostsResolver, CostResolver, CostTrendsResolver, ServiceCostsResolver } from './costs/cost.resolver.ts';
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

/** The billing domain: invoices, payments and refunds (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities: [Invoice, InvoiceLine, AccountBalance, PaymentMethod, Payment, Refund, Budget],
  tablesWithoutEntity: [
    ...['ledger_transfer', 'test_processor_charge', 'test_processor_refund'],
    ...['cost_month', 'cost_credit', 'revenue_day', 'due_day', 'recurring_day', 'recurring_service', 'budget_alert'],
  ],
  migrations,
  organizationData,
  events: [...invoiceEvents, ...paymentEvents, ...subscriptionEvents, usageThreshold.type],
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
      field: 'budgetReached',
      subject: 'Budget',
      eventField: 'budget',
      events: ['usage.threshold'],
      requires: 'billing:read',
      description: 'Follow the alerts of budgets.',
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
          ...[CostResolver, CostTrendsResolver, ServiceCostsResolver, AccountCostsResolver],
          ...[BillingAnalyticsResolver, BudgetResolver],
        ],
        orphanedTypes: [Account, Service],
        references: {
          Budget: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.budgets.load(id) },
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
          Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: [firstInvoice(ports), ...recurringRevenue(ports)],
      start: async () => {
        core.counters.start();
        core.sums.start();
        for (const sweeper of core.sweepers) sweeper.start();
      },
      stop: async () =>
        void (await Promise.all([core.counters.stop(), core.sums.stop(), ...core.sweepers.map((sweeper) => sweeper.stop())])),
    };
  },
};
