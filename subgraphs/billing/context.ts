import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { BillingCore } from './core.ts';
import { InvoiceService } from './invoices/invoice.service.ts';

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
    const { orm, graph } = this.#core.ports;
    const { invoices: loader, lines } = this.loaders;
    const em = organizationEm(orm, this.principal);
    return new InvoiceService({ em, request: this.#request, clock: this.clock, graph, loader, lines });
  }
}
