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
import { SubscriptionService } from './subscriptions/subscription.service.ts';

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

  @once get subscriptions(): SubscriptionService {
    const { ports, seams } = this.#core;
    const { subscriptions, paymentMethods: methods } = this.loaders;
    return new SubscriptionService({ ...this.shared, graph: ports.graph, subscriptions, methods, seams });
  }

  @once private get paymentMethods(): PaymentMethodService {
    return new PaymentMethodService({ ...this.shared, methods: this.loaders.paymentMethods, processor: this.#core.processor });
  }

  @once private get shared() {
    return { em: organizationEm(this.#core.ports.orm, this.principal), request: this.#request, clock: this.clock };
  }
}
