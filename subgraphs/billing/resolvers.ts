import { BillingAnalyticsResolver } from './analytics/analytics.resolver.ts';
import { BillingAnalyticsScopeResolver } from './analytics-scope/analytics-scope.resolver.ts';
import { LedgerAuditResolver } from './audit/ledger-audit.resolver.ts';
import { BudgetResolver } from './budgets/budget.resolver.ts';
import { AccountCostsResolver, CostResolver, CostTrendsResolver, ServiceCostsResolver } from './costs/cost.resolver.ts';
import { AccountCreditsResolver, CreditNoteResolver, InvoiceCreditsResolver } from './credits/credit-note.resolver.ts';
import { InvoiceDeliveryResolver } from './delivery/invoice-delivery.resolver.ts';
import { PaymentDisputesResolver } from './disputes/dispute.resolver.ts';
import { InvoiceDocumentResolver } from './documents/invoice-document.resolver.ts';
import { InvoiceSettingsResolver } from './invoice-settings/invoice-settings.resolver.ts';
import { AccountInvoicesResolver, InvoiceLineResolver, InvoiceResolver, ServiceInvoicesResolver } from './invoices/invoice.resolver.ts';
import { InvoicePaymentsResolver, PaymentResolver } from './payments/payment.resolver.ts';
import { AccountBillingResolver, BillingAccountResolver } from './preferences/billing-account.resolver.ts';
import { SandboxClockResolver } from './sandbox/sandbox-clock.resolver.ts';
import {
  AccountSubscriptionsResolver,
  InvoiceSubscriptionResolver,
  ServiceSubscriptionResolver,
  SubscriptionItemResolver,
  SubscriptionResolver,
} from './subscriptions/subscription.resolver.ts';
import { TaxRateResolver } from './taxes/tax.resolver.ts';
import { ServiceUsageResolver, UsageResolver } from './usage/usage.resolver.ts';
import { UsagePriceResolver } from './usage-prices/usage-price.resolver.ts';

export const resolvers = [
  ...[InvoiceResolver, InvoiceLineResolver, AccountInvoicesResolver, ServiceInvoicesResolver],
  ...[InvoiceDocumentResolver, InvoiceDeliveryResolver, InvoiceSettingsResolver],
  ...[PaymentResolver, InvoicePaymentsResolver, PaymentDisputesResolver],
  ...[CreditNoteResolver, InvoiceCreditsResolver, AccountCreditsResolver, TaxRateResolver],
  ...[BillingAccountResolver, AccountBillingResolver],
  ...[SubscriptionResolver, SubscriptionItemResolver, AccountSubscriptionsResolver],
  ...[ServiceSubscriptionResolver, InvoiceSubscriptionResolver],
  ...[UsageResolver, ServiceUsageResolver, UsagePriceResolver],
  ...[CostResolver, CostTrendsResolver, ServiceCostsResolver, AccountCostsResolver, BillingAnalyticsResolver, BudgetResolver],
  ...[BillingAnalyticsScopeResolver],
  ...[LedgerAuditResolver, SandboxClockResolver],
] as const;
