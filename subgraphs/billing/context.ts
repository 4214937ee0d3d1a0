import DataLoader from 'dataloader';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { BillingCore } from './core.ts';
import { InvoiceService } from './invoices/invoice.service.ts';
import { PaymentService } from './payments/payment.service.ts';
import { PaymentMethodService } from './payments/payment-method.service.ts';
import type { UsageReportPeriod } from './usage/usage.states.ts';
import type { UsageTotal } from './usage/usage.types.ts';
import { UsageRecordingService } from './usage/usage-recording.service.ts';
import { UsageReportService } from './usage/usage-report.service.ts';
import { UsagePriceService } from './usage-prices/usage-price.service.ts';

/** Services, loaders and values that the resolvers of one request use. Each is created when it is used first. */
export class BillingContext {
  readonly principal: Principal;
  readonly clock: Clock;
  readonly #core: BillingCore;
  readonly #request: RequestContext;
  readonly #usage = new Map<UsageReportPeriod, DataLoader<string, UsageTotal[]>>();

  constructor(core: BillingCore, request: RequestContext) {
    this.principal = request.principal;
    this.clock = core.ports.clock;
    this.#core = core;
    this.#request = request;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  @once get invoices(): InvoiceService {
    const { counters, ports } = this.#core;
    const { graph, rows } = ports;
    const { invoices: loader, lines } = this.loaders;
    return new InvoiceService({ ...this.shared, graph, rows, counters, loader, lines });
  }

  @once get payments(): PaymentService {
    const { attempts, processor } = this.#core;
    const { invoices, payments } = this.loaders;
    return new PaymentService({ ...this.shared, invoices, payments, methods: this.paymentMethods, attempts, processor });
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

  /** Returns the loader of the usage of services in a period, by service id. */
  usageOf(period: UsageReportPeriod): DataLoader<string, UsageTotal[]> {
    const loader = this.#usage.get(period) ?? new DataLoader((ids: readonly string[]) => this.usageReports.ofServices(ids, period));
    this.#usage.set(period, loader);
    return loader;
  }

  @once private get paymentMethods(): PaymentMethodService {
    return new PaymentMethodService({ ...this.shared, methods: this.loaders.paymentMethods, processor: this.#core.processor });
  }

  @once private get shared() {
    return { em: organizationEm(this.#core.ports.orm, this.principal), request: this.#request, clock: this.clock };
  }
}
