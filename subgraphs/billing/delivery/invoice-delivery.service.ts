import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { findCustomers } from '../customers/customer.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceDelivery } from './invoice-delivery.entity.ts';
import { DeliveryCause, DeliveryStatus } from './invoice-delivery.states.ts';
import { recipientOf } from './invoice-recipient.ts';
import type { InvoiceSender } from './invoice-sender.job.ts';

export interface InvoiceDeliveryServiceDeps {
  em: EntityManager;
  request: RequestContext;
  graph: Graph;
  invoices: RecordLoader<Invoice>;
  sender: InvoiceSender;
}

/** Sends invoices of the caller's organization on request. */
export class InvoiceDeliveryService {
  constructor(private readonly deps: InvoiceDeliveryServiceDeps) {}

  /**
   * Sends an invoice by e-mail. If an e-mail with the invoice to the same address is still waiting, no other e-mail is sent, and the
   * waiting e-mail is returned. So a repeated request does not send the invoice twice.
   * @throws ResourceNotFound
   * @throws InvalidParameters if neither the request nor the account has an address
   */
  async send(id: string, to: string | null): Promise<InvoiceDelivery> {
    const { em, invoices, sender } = this.deps;
    const { accountId } = orNotFound(await invoices.load(id), 'invoice', id);
    const recipient = to ?? (await this.#addressOf(accountId));
    return em.transactional(
      async (tx) => {
        const invoice = orNotFound(await tx.findOne(Invoice, { id }, LOCKED), 'invoice', id);
        const same = { invoiceId: id, recipient, cause: DeliveryCause.REQUEST, status: DeliveryStatus.QUEUED };
        const waiting = await tx.findOne(InvoiceDelivery, same);
        return waiting ?? sender.queue(tx, invoice, { cause: DeliveryCause.REQUEST, recipient });
      },
      { clear: true },
    );
  }

  async #addressOf(accountId: string): Promise<string> {
    const { graph, request } = this.deps;
    const customer = (await findCustomers(graph, request, [accountId])).get(accountId);
    const recipient = customer && recipientOf(customer);
    if (!recipient) throw new InvalidParameters([{ field: 'to', reason: 'is required, because the account has no e-mail address' }]);
    return recipient.email;
  }
}
