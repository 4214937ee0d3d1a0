import DataLoader from 'dataloader';
import type { Principal } from '../../kernel/access/principal.ts';
import { AnalyticsReads } from '../../kernel/analytics/analytics-reads.ts';
import type { AnalyticsRange } from '../../kernel/analytics/analytics-scope.ts';
import { analyzedPeriods } from '../../kernel/analytics/analyzed-periods.ts';
import type { Clock } from '../../kernel/clock.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { AnalyticsService } from './analytics/analytics.service.ts';
import { CostAnalyticsService } from './analytics-scope/cost-analytics.service.ts';
import { UsageAnalyticsService } from './analytics-scope/usage-analytics.service.ts';
import { auditPart } from './audit/ledger-audit.ts';
import { BudgetService } from './budgets/budget.service.ts';
import type { BillingCore } from './core.ts';
import { CostService } from './costs/cost.service.ts';
import { CreditNoteService } from './credits/credit-note.service.ts';
import { InvoiceDeliveryService } from './delivery/invoice-delivery.service.ts';
import { InvoiceSettingsService } from './invoice-settings/invoice-settings.service.ts';
import { InvoiceService } from './invoices/invoice.service.ts';
import { PaymentService } from './payments/payment.service.ts';
import { PaymentMethodService } from './payments/payment-method.service.ts';
import { accountBalances } from './preferences/account-balances.ts';
import { BillingAccountService } from './preferences/billing-account.service.ts';
import { SandboxClockService } from './sandbox/sandbox-clock.service.ts';
import { SubscriptionService } from './subscriptions/subscription.service.ts';
import { nextDatesOf } from './subscriptions/subscription-outlook.ts';
import { TaxService } from './taxes/tax.service.ts';
import type { UsageReportPeriod } from './usage/usage.states.ts';
import type { UsageTotal } from './usage/usage.types.ts';
import { UsageRecordingService } from './usage/usage-recording.service.ts';
import { UsageReportService } from './usage/usage-report.service.ts';
import { UsagePriceService } from './usage-prices/usage-price.service.ts';

/** Services, loaders and values that the resolvers of one request use. Each of them is created at its first use. */
export class BillingContext {
  readonly principal: Principal;
  readonly clock: Clock;
  /** Public origin of the platform. Links begin with this origin. */
  readonly origin: string;
  readonly #core: BillingCore;
  readonly #request: RequestContext;
  readonly #usage = new Map<UsageReportPeriod, DataLoader<string, UsageTotal[]>>();

  constructor(core: BillingCore, request: RequestContext) {
    this.principal = request.principal;
    this.clock = core.ports.clock;
    this.origin = core.ports.origin;
    this.#core = core;
    this.#request = request;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  @once get invoices(): InvoiceService {
    const { counters, ports } = this.#core;
    const { graph, rows } = ports;
    const { invoices: loader, lines, invoiceTaxes } = this.loaders;
    return new InvoiceService({ ...this.shared, graph, rows, counters, loader, lines, taxes: invoiceTaxes });
  }

  @once get credits(): CreditNoteService {
    return new CreditNoteService({ ...this.shared, graph: this.#core.ports.graph, loader: this.loaders.creditNotes });
  }

  @once get taxes(): TaxService {
    return new TaxService({ ...this.shared, graph: this.#core.ports.graph });
  }

  @once get invoiceSettings(): InvoiceSettingsService {
    return new InvoiceSettingsService(this.shared);
  }

  @once get invoiceDeliveries(): InvoiceDeliveryService {
    const { ports, sender } = this.#core;
    return new InvoiceDeliveryService({ ...this.shared, graph: ports.graph, invoices: this.loaders.invoices, sender });
  }

  @once get payments(): PaymentService {
    const { attempts, paymentCounters: counters, processor } = this.#core;
    const { invoices, payments } = this.loaders;
    return new PaymentService({ ...this.shared, invoices, payments, methods: this.paymentMethods, attempts, processor, counters });
  }

  /** Returns a function that audits a part of the ledger of the caller's organization, beginning after an account. */
  @once get auditLedger() {
    const { rows } = this.#core.ports;
    return (after: string | null) => auditPart(rows, this.principal.organizationId, after);
  }

  @once get billingAccounts(): BillingAccountService {
    const { graph } = this.#core.ports;
    return new BillingAccountService({ ...this.shared, graph, accounts: this.loaders.billingAccounts, methods: this.paymentMethods });
  }

  @once get sandboxClock(): SandboxClockService {
    const { ports, processor, sandbox } = this.#core;
    const isSandbox = sandbox !== undefined && processor.simulated;
    return new SandboxClockService({ ...this.shared, jobs: ports.jobs, rows: ports.rows, isSandbox });
  }

  /** Times at which the next periods of subscriptions begin. */
  @once get nextDates(): ReturnType<typeof nextDatesOf> {
    return nextDatesOf(this.#core.ports.rows, this.principal.organizationId);
  }

  @once get balances(): ReturnType<typeof accountBalances> {
    return accountBalances(this.#core.ports.rows, this.principal.organizationId);
  }

  @once get costs(): CostService {
    const recurringAt: AnalyticsService['recurringAt'] = (scope, at) => this.analytics.recurringAt(scope, at);
    return new CostService({ ...this.reading, recurringAt });
  }

  @once get analytics(): AnalyticsService {
    return new AnalyticsService(this.reading);
  }

  @once get usageAnalytics() {
    const service = new UsageAnalyticsService({ rows: this.#core.ports.rows, principal: this.principal });
    return {
      figures: new AnalyticsReads(async (range) => service.read(await this.#inOwnTime(range))),
      trends: new AnalyticsReads(async (range) => service.trends(await this.#inOwnTime(range))),
    };
  }

  @once get costAnalytics() {
    const { principal, clock, costs } = this;
    const service = new CostAnalyticsService({ rows: this.#core.ports.rows, principal, clock, costs });
    return {
      figures: new AnalyticsReads(async (range) => service.read(await this.#inOwnTime(range))),
      trends: new AnalyticsReads(async (range) => service.trend(await this.#inOwnTime(range))),
    };
  }

  /** In a sandbox, the period of an analysis is relative to the time of the organization in billing. */
  async #inOwnTime(range: AnalyticsRange): Promise<AnalyticsRange> {
    const { ports, sandbox } = this.#core;
    return sandbox ? { ...range, ...(await analyzedPeriods(ports.rows, range.asked, range.timezone, this.clock.now())) } : range;
  }

  @once get budgets(): BudgetService {
    return new BudgetService({ ...this.shared, ...this.reading, loader: this.loaders.budgets });
  }

  private get reading() {
    const { graph, rows } = this.#core.ports;
    return { graph, rows, request: this.#request, clock: this.clock };
  }

  @once get subscriptions(): SubscriptionService {
    const { subscriptions, paymentMethods: methods } = this.loaders;
    return new SubscriptionService({ ...this.shared, graph: this.#core.ports.graph, subscriptions, methods });
  }

  @once get usageRecording(): UsageRecordingService {
    const { ports, usageStore: store, usageAllowance: allowance } = this.#core;
    return new UsageRecordingService({ ...this.shared, graph: ports.graph, store, allowance });
  }

  @once get usageReports(): UsageReportService {
    const { ports, recurringCosts: recurring } = this.#core;
    return new UsageReportService({ ...this.shared, graph: ports.graph, rows: ports.rows, recurring });
  }

  @once get usagePrices(): UsagePriceService {
    return new UsagePriceService({ ...this.shared, graph: this.#core.ports.graph });
  }

  /** Returns the loader of the usage in a period, by service id. */
  usageOf(period: UsageReportPeriod): DataLoader<string, UsageTotal[]> {
    const loader = this.#usage.get(period) ?? new DataLoader((ids: readonly string[]) => this.usageReports.ofServices(ids, period));
    this.#usage.set(period, loader);
    return loader;
  }

  @once private get paymentMethods(): PaymentMethodService {
    const { ports, processor } = this.#core;
    return new PaymentMethodService({ ...this.shared, methods: this.loaders.paymentMethods, processor, jobs: ports.jobs });
  }

  @once private get shared() {
    return { em: organizationEm(this.#core.ports.orm, this.principal), request: this.#request, clock: this.clock };
  }
}
