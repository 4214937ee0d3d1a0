import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { AnalyticsService } from './analytics/analytics.service.ts';
import { BudgetService } from './budgets/budget.service.ts';
import type { BillingCore } from './core.ts';
import { CostService } from './costs/cost.service.ts';
import { InvoiceService } from './invoices/invoice.service.ts';
import { PaymentService } from './payments/payment.service.ts';
import { PaymentMethodService } from './payments/payment-method.service.ts';

/** Services, loaders and values that the resolvers of one request use. Each is created when it is used first. */
export class BillingContext {
  readonly principal: Principal;
  readonly clock: Clock;
  readonly #core: BillingCore;
  readonly #request: RequestContext;

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

  @once get costs(): CostService {
    const recurringAt: AnalyticsService['recurringAt'] = (scope, at) => this.analytics.recurringAt(scope, at);
    return new CostService({ ...this.reading, recurringAt });
  }

  @once get analytics(): AnalyticsService {
    return new AnalyticsService(this.reading);
  }

  @once get budgets(): BudgetService {
    return new BudgetService({ ...this.shared, ...this.reading, loader: this.loaders.budgets });
  }

  private get reading() {
    const { graph, rows } = this.#core.ports;
    return { graph, rows, request: this.#request, clock: this.clock };
  }

  @once private get paymentMethods(): PaymentMethodService {
    return new PaymentMethodService({ ...this.shared, methods: this.loaders.paymentMethods, processor: this.#core.processor });
  }

  @once private get shared() {
    return { em: organizationEm(this.#core.ports.orm, this.principal), request: this.#request, clock: this.clock };
  }
}
