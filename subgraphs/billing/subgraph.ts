import type { Domain, LiveField } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { billingAccountEvents } from './accounts/billing-account.events.ts';
import { recurringRevenue } from './analytics/recurring-revenue.reaction.ts';
import { ledgerDifferenceFound } from './audit/ledger-audit.events.ts';
import { collectionEvents } from './collection/dunning.events.ts';
import { BillingContext } from './context.ts';
import { type BillingCore, type BillingPorts, createCore } from './core.ts';
import { creditIssued } from './credits/credit-note.events.ts';
import { invoiceDelivery } from './delivery/invoice-delivery.reaction.ts';
import { disputeEvents } from './disputes/dispute.events.ts';
import { mountInvoiceDownloads } from './documents/invoice-document.routes.ts';
import { entities, tablesWithoutEntity } from './entities.ts';
import { invoiceEvents } from './invoices/invoice.events.ts';
import { mountJournal } from './journal/journal.routes.ts';
import { migrations } from './migrations/index.ts';
import { mountProcessorNotices } from './notifications/processor-notices.routes.ts';
import { organizationData } from './organization-data.ts';
import { paymentEvents } from './payments/payment.events.ts';
import { Account, AnalyticsScope, Service } from './references.ts';
import { resolvers } from './resolvers.ts';
import { chargedOverage } from './subscriptions/overage.reaction.ts';
import { serviceReactions } from './subscriptions/service-events.reaction.ts';
import { subscriptionEvents } from './subscriptions/subscription.events.ts';
import { usageThreshold } from './usage/usage.events.ts';
import { measuredUsage } from './usage/usage.reaction.ts';

const live = (field: string, subject: string, events: string[], description: string): LiveField => ({
  ...{ field, subject, eventField: subject.charAt(0).toLowerCase() + subject.slice(1), events, requires: 'billing:read', description },
});

/**
 * The billing domain (specification 4.5): subscriptions and usage become invoices, which payments and credits settle. All money
 * is posted to a ledger.
 */
export const billing: Domain<BillingPorts> = {
  name: 'billing',
  entities,
  tablesWithoutEntity,
  migrations,
  organizationData,
  events: [
    ...[...invoiceEvents, creditIssued.type, ...paymentEvents, ...disputeEvents, ledgerDifferenceFound.type],
    ...[...billingAccountEvents, ...collectionEvents, ...subscriptionEvents, usageThreshold.type],
  ],
  live: [
    live('invoiceUpdated', 'Invoice', ['invoice.*'], 'Follow the events of invoices.'),
    live('paymentUpdated', 'Payment', ['payment.*'], 'Follow the events of payments.'),
    live('subscriptionUpdated', 'BillingSubscription', ['subscription.*'], 'Follow the events of subscriptions.'),
    live(
      'billingAccountUpdated',
      'BillingAccount',
      ['billing_account.*', 'account.dunning_changed'],
      'Follow the billing preferences of accounts, and whether they pay in time.',
    ),
    live('budgetReached', 'Budget', ['usage.threshold'], 'Follow the alerts of budgets.'),
  ],
  start(given) {
    const core = createCore(given);
    const { ports, sandbox } = core;
    const subgraph = subgraphOf(core);
    const reactions = [
      ...serviceReactions(ports),
      // without a mail server no account gets its invoices by e-mail
      ...(ports.mailsInvoices ? invoiceDelivery({ ...ports, ...core }) : []),
      ...recurringRevenue(ports),
      measuredUsage(ports, core.usageStore),
      chargedOverage(ports, core.usageStore),
    ];
    return {
      subgraph: sandbox ? sandbox.subgraphIn(subgraph) : subgraph,
      reactions: sandbox ? reactions.map((one) => sandbox.reactionIn(one)) : reactions,
      retained: core.retained,
      async mount(app) {
        await mountProcessorNotices(app, core.notices);
        await mountJournal(app, ports.rows, ports.clock);
        await mountInvoiceDownloads(app, { ...ports, ...core.readers, documents: core.documents });
      },
      ...workOf(core),
    };
  },
};

const subgraphOf = (core: BillingCore) =>
  buildSubgraph<BillingContext>({
    name: 'billing',
    resolvers: [...resolvers],
    orphanedTypes: [Account, AnalyticsScope, Service],
    references: {
      BillingAccount: {
        requires: 'billing:read',
        load: async ({ id, accountId = id ?? '' }, { billingAccounts, principal }) =>
          principal.accounts === null || principal.accounts.includes(accountId) ? billingAccounts.of(accountId) : null,
      },
      BillingSubscription: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.subscriptions.load(id) },
      Budget: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.budgets.load(id) },
      CreditNote: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.creditNotes.load(id) },
      Invoice: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.invoices.load(id) },
      Payment: { requires: 'billing:read', load: ({ id = '' }, { loaders }) => loaders.payments.load(id) },
    },
    createContext: (request) => new BillingContext(core, request),
  });

/** Starts and stops the background work of the domain. */
function workOf({ counters, paymentCounters, sums, adoption, retention, sweepers, sampleAudits }: BillingCore) {
  const work = [counters, paymentCounters, sums, adoption, retention, ...sweepers];
  let stopSampling: (() => void) | undefined;
  return {
    start: async () => {
      stopSampling = sampleAudits();
      for (const one of work) one.start();
    },
    stop: async () => {
      stopSampling?.();
      await Promise.all(work.map((one) => one.stop()));
    },
  };
}
