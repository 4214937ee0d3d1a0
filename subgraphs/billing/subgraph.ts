import type { Domain, Ports } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import type { BillingContext } from './context.ts';
import { firstInvoice } from './invoices/first-invoice.reaction.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { invoiceEvents } from './invoices/invoice.events.ts';
import { InvoiceRelationReader } from './invoices/invoice.loader.ts';
import { AccountInvoicesResolver, InvoiceLineResolver, InvoiceResolver, ServiceInvoicesResolver } from './invoices/invoice.resolver.ts';
import { InvoiceService } from './invoices/invoice.service.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { migrations } from './migrations/index.ts';
import { paymentEvents } from './payments/payment.events.ts';
import { Account, Service } from './references.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import { usageThreshold } from './usage/usage.events.ts';

/** Billing: invoices (specification 4.5), the first of them when a service is provisioned. */
export const billing: Domain = {
  name: 'billing',
  entities: [Invoice, InvoiceLine],
  migrations,
  events: [...invoiceEvents, ...paymentEvents, ...subscriptionEvents, usageThreshold],
  start: (ports) => ({ subgraph: createSubgraph(ports), reactions: [firstInvoice(ports)] }),
};

function createSubgraph(ports: Ports): Subgraph {
  const { orm, clock, graph } = ports;
  const invoiceReader = new RecordReader(ports, Invoice);
  const relationReader = new InvoiceRelationReader(ports);
  return buildSubgraph<BillingContext>({
    name: 'billing',
    resolvers: [InvoiceResolver, InvoiceLineResolver, AccountInvoicesResolver, ServiceInvoicesResolver],
    orphanedTypes: [Account, Service],
    references: {
      Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
    },
    createContext(request) {
      const { principal } = request;
      const { organizationId } = principal;
      const em = organizationEm(orm, organizationId);
      const loader = invoiceReader.forOrganization(organizationId);
      const relations = relationReader.forOrganization(organizationId);
      return {
        principal,
        loaders: { invoices: loader, relations },
        invoices: new InvoiceService({ em, request, clock, graph, loader, relations }),
      };
    },
  });
}
