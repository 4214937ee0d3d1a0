import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingContext } from './context.ts';
import { type BillingPorts, createCore } from './core.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import { creditIssued } from './credits/credit-note.events.ts';
import { AccountCreditsResolver, CreditNoteResolver, InvoiceCreditsResolver } from './credits/credit-note.resolver.ts';
import { firstInvoice } from './invoices/first-invoice.reaction.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { invoiceEvents } from './invoices/invoice.events.ts';
import { AccountInvoicesResolver, InvoiceLineResolver, InvoiceResolver, ServiceInvoicesResolver } from './invoices/invoice.resolver.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
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
import { TaxRateResolver } from './taxes/tax.resolver.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';
import { TaxRate } from './taxes/tax-rate.entity.ts';
import { usageThreshold } from './usage/usage.events.ts';

const CREDITS_AND_TAXES = [InvoiceTax, TaxRate, TaxExemption, CreditNote, CreditNoteLine];

/** The billing domain: invoices, payments and refunds (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities: [Invoice, InvoiceLine, AccountBalance, PaymentMethod, Payment, Refund, ...CREDITS_AND_TAXES],
  tablesWithoutEntity: ['ledger_transfer', 'waiting_credit', 'test_processor_charge', 'test_processor_refund'],
  migrations,
  organizationData,
  events: [...invoiceEvents, creditIssued.type, ...paymentEvents, ...subscriptionEvents, usageThreshold],
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
          CreditNoteResolver,
          InvoiceCreditsResolver,
          AccountCreditsResolver,
          TaxRateResolver,
        ],
        orphanedTypes: [Account, Service],
        references: {
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
          CreditNote: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.creditNotes.load(id) },
          Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: [firstInvoice(ports)],
      start: async () => {
        core.counters.start();
        for (const sweeper of core.sweepers) sweeper.start();
      },
      stop: async () => void (await Promise.all([core.counters.stop(), ...core.sweepers.map((sweeper) => sweeper.stop())])),
    };
  },
};
