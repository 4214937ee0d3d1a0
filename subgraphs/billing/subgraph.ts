import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingAccount } from './accounts/billing-account.entity.ts';
import { billingAccountEvents } from './accounts/billing-account.events.ts';
import { ledgerDifferenceFound } from './audit/ledger-audit.events.ts';
import { LedgerAuditResolver } from './audit/ledger-audit.resolver.ts';
import { Collection } from './collection/collection.entity.ts';
import { Dunning } from './collection/dunning.entity.ts';
import { collectionEvents } from './collection/dunning.events.ts';
import { BillingContext } from './context.ts';
import { type BillingPorts, createCore } from './core.ts';
import { InvoiceDelivery } from './delivery/invoice-delivery.entity.ts';
import { invoiceDelivery } from './delivery/invoice-delivery.reaction.ts';
import { InvoiceDeliveryResolver } from './delivery/invoice-delivery.resolver.ts';
import { Dispute } from './disputes/dispute.entity.ts';
import { disputeEvents } from './disputes/dispute.events.ts';
import { PaymentDisputesResolver } from './disputes/dispute.resolver.ts';
import { InvoiceDocumentResolver } from './documents/invoice-document.resolver.ts';
import { mountInvoiceDownloads } from './documents/invoice-document.routes.ts';
import { InvoiceSettings } from './invoice-settings/invoice-settings.entity.ts';
import { InvoiceSettingsResolver } from './invoice-settings/invoice-settings.resolver.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import { creditIssued } from './credits/credit-note.events.ts';
import { AccountCreditsResolver, CreditNoteResolver, InvoiceCreditsResolver } from './credits/credit-note.resolver.ts';
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
import { mountJournal } from './journal/journal.routes.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
import { AccountBalance } from './ledger/account-balance.entity.ts';
import { migrations } from './migrations/index.ts';
import { mountProcessorNotices } from './notifications/processor-notices.routes.ts';
import { organizationData } from './organization-data.ts';
import { Payment } from './payments/payment.entity.ts';
import { paymentEvents } from './payments/payment.events.ts';
import { InvoicePaymentsResolver, PaymentResolver } from './payments/payment.resolver.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { AccountBillingResolver, BillingAccountResolver } from './preferences/billing-account.resolver.ts';
import { Account, Service } from './references.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import { AccountTaxResolver, TaxRateResolver } from './taxes/tax.resolver.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';
import { TaxRate } from './taxes/tax-rate.entity.ts';
import { usageThreshold } from './usage/usage.events.ts';

/** The billing domain: invoices, payments and refunds (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities: [
    ...[Invoice, InvoiceLine, InvoiceTax, InvoiceSettings, InvoiceDelivery],
    ...[AccountBalance, BillingAccount, Collection, Dunning, TaxRate, TaxExemption],
    ...[PaymentMethod, Payment, Refund, Dispute, CreditNote, CreditNoteLine],
  ],
  tablesWithoutEntity: ['ledger_transfer', 'ledger_audit', 'waiting_credit', 'test_processor_charge', 'test_processor_refund'],
  migrations,
  organizationData,
  events: [
    ...[...invoiceEvents, creditIssued.type, ...paymentEvents, ...disputeEvents, ledgerDifferenceFound.type],
    ...[...billingAccountEvents, ...collectionEvents, ...subscriptionEvents, usageThreshold],
  ],
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
      field: 'billingAccountUpdated',
      subject: 'BillingAccount',
      eventField: 'billingAccount',
      events: ['billing_account.*', 'account.dunning_changed'],
      requires: 'billing:read',
      description: 'Follow the billing preferences of accounts, and whether they pay in time.',
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
    let stopSampling: (() => void) | undefined;
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
          PaymentDisputesResolver,
          LedgerAuditResolver,
          InvoiceDocumentResolver,
          InvoiceDeliveryResolver,
          InvoiceSettingsResolver,
          BillingAccountResolver,
          AccountBillingResolver,
          CreditNoteResolver,
          InvoiceCreditsResolver,
          AccountCreditsResolver,
          TaxRateResolver,
          AccountTaxResolver,
        ],
        orphanedTypes: [Account, Service],
        references: {
          BillingAccount: {
            requires: 'billing:read',
            load: async ({ id, accountId = id ?? '' }, { billingAccounts, principal }) =>
              principal.accounts === null || principal.accounts.includes(accountId) ? billingAccounts.of(accountId) : null,
          },
          ...[CostResolver, CostTrendsResolver, ServiceCostsResolver, AccountCostsResolver],
          ...[BillingAnalyticsResolver, BudgetResolver],
        ],
        orphanedTypes: [Account, Service],
        references: {
          Budget: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.budgets.load(id) },
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
          CreditNote: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.creditNotes.load(id) },
          Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: [firstInvoice(ports), ...invoiceDelivery({ ...ports, ...core })],
      async mount(app) {
        await mountProcessorNotices(app, core.notices);
        await mountJournal(app, ports.rows, ports.clock);
        await mountInvoiceDownloads(app, { ...ports, ...core.readers, documents: core.documents });
      },
      start: async () => {
        core.counters.start();
        stopSampling = core.sampleAudits();
        for (const sweeper of core.sweepers) sweeper.start();
      },
      stop: async () => {
        stopSampling?.();
        await Promise.all([core.counters.stop(), ...core.sweepers.map((sweeper) => sweeper.stop())]);
      },
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
