import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { BillingContext } from './context.ts';
import { createCore } from './core.ts';
import { firstInvoice } from './invoices/first-invoice.reaction.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { invoiceEvents } from './invoices/invoice.events.ts';
import { AccountInvoicesResolver, InvoiceLineResolver, InvoiceResolver, ServiceInvoicesResolver } from './invoices/invoice.resolver.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { migrations } from './migrations/index.ts';
import { organizationData } from './organization-data.ts';
import { paymentEvents } from './payments/payment.events.ts';
import { Account, Service } from './references.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import { usageThreshold } from './usage/usage.events.ts';

/** The billing domain: invoices (specification 4.5). A provisioned service gets its first invoice automatically. */
export const billing: Domain = {
  name: 'billing',
  entities: [Invoice, InvoiceLine],
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
  ],
  start(ports) {
    const core = createCore(ports);
    return {
      subgraph: buildSubgraph<BillingContext>({
        name: 'billing',
        resolvers: [InvoiceResolver, InvoiceLineResolver, AccountInvoicesResolver, ServiceInvoicesResolver],
        orphanedTypes: [Account, Service],
        references: {
          Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
        },
        createContext: (request) => new BillingContext(core, request),
      }),
      reactions: [firstInvoice(ports)],
    };
  },
};
