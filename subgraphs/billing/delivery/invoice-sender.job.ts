import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { JobOptions } from '../../../kernel/jobs/jobs.ts';
import type { Mail } from '../../../kernel/messages/mail.ts';
import type { Recipient } from '../../../kernel/messages/mail-document.ts';
import { type Attempt, MessageQueue, type MessageQueueParts } from '../../../kernel/messages/message-queue.ts';
import { MessageRejected } from '../../../kernel/messages/rejected.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { requestOf } from '../../../kernel/request.ts';
import { findCustomers } from '../customers/customer.ts';
import { fileNameOf, type InvoiceDocuments } from '../documents/invoice-documents.ts';
import { invoicePdf } from '../documents/invoice-pdf.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoiceDeliveryFailed } from '../invoices/invoice.events.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { issuedOf } from '../invoices/issued-invoice.ts';
import { InvoiceDelivery, MAX_ATTEMPTS } from './invoice-delivery.entity.ts';
import { invoiceMail } from './invoice-delivery.mails.ts';
import { DeliveryCause, DeliveryStatus } from './invoice-delivery.states.ts';
import { recipientOf } from './invoice-recipient.ts';

export interface InvoiceSenderDeps extends Pick<MessageQueueParts<object>, 'jobs' | 'log' | 'mailer'> {
  orm: Orm;
  clock: Clock;
  graph: Graph;
  documents: InvoiceDocuments;
  /** Public origin of the platform. Its host is part of each Message-ID. */
  origin: string;
  isSuspended?: Ports['isSuspended'];
  isClosed?: Ports['isClosed'];
}

interface DeliveryJob {
  organizationId: string;
  deliveryId: string;
}

const NAME = 'billing.deliver';

/** Thrown if an account has no e-mail address, so that its invoice cannot be sent. */
class NoAddress extends MessageRejected {
  override readonly message = 'The account has no e-mail address.';
}

/** Thrown if the process died in every attempt to send an invoice before it could store the result. */
class TooManyAttempts extends MessageRejected {
  override readonly message = 'No attempt could be completed.';
}

/**
 * Sends invoices by e-mail. Each delivery is a record, and a job sends its mail. If a process dies before it stores the success, the mail
 * may be sent twice. Both mails have the same Message-ID.
 */
export class InvoiceSender {
  readonly #mails: MessageQueue<DeliveryJob>;

  constructor(private readonly deps: InvoiceSenderDeps) {
    const { isSuspended, isClosed } = deps;
    this.#mails = new MessageQueue({
      ...deps,
      name: NAME,
      isSuspended: async (id) => (await isSuspended?.(id)) || (await isClosed?.(id)) || false,
      // the queue allows more retries than MAX_ATTEMPTS, so that the limit in the record applies
      retries: { retryLimit: MAX_ATTEMPTS * 2, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 },
      idOf: ({ deliveryId }) => deliveryId,
      messageOf: (job) => this.#begin(job),
      recordAttempt: (job, attempt) => this.#recordAttempt(job, attempt),
    });
  }

  /** Queues an e-mail with an invoice. Without `recipient`, it goes to the address that the account has at the time of sending. */
  async queue(
    tx: EntityManager,
    { id: invoiceId, organizationId, accountId }: Invoice,
    { cause, recipient = null, ...options }: JobOptions & { cause: DeliveryCause; recipient?: string | null },
  ): Promise<InvoiceDelivery> {
    const created = { id: newId('invoiceDelivery'), createdAt: this.deps.clock.now() };
    const delivery = Object.assign(new InvoiceDelivery(), created, { organizationId, accountId, invoiceId, cause, recipient });
    tx.persist(delivery);
    await this.#mails.enqueue(tx, { organizationId, deliveryId: delivery.id }, options);
    return delivery;
  }

  /** Starts an attempt, and builds the mail. Returns undefined if the mail must not be sent any more. */
  async #begin(job: DeliveryJob): Promise<Mail | undefined> {
    const { orm, documents, log, origin } = this.deps;
    const { organizationId, deliveryId: id } = job;
    const request = requestOf(NAME, organizationId, log);
    const seen = await organizationEm(orm, organizationId).findOne(InvoiceDelivery, { id });
    if (seen?.status !== DeliveryStatus.QUEUED) return undefined;
    const recipient = await this.#recipientFor(seen, request);
    if (seen.attempts >= MAX_ATTEMPTS) throw new TooManyAttempts();
    if (!(await this.#start(job, seen.invoiceId, recipient))) return undefined;
    const document = await documents.find(seen.invoiceId, request);
    if (!document) return undefined;
    const pdf = { filename: fileNameOf(document), content: await invoicePdf(document) };
    return invoiceMail(recipient, document, pdf, `${id}@${new URL(origin).hostname}`);
  }

  async #recipientFor({ recipient, accountId }: InvoiceDelivery, request: ReturnType<typeof requestOf>): Promise<Recipient> {
    const customer = (await findCustomers(this.deps.graph, request, [accountId])).get(accountId);
    const usual = customer ? recipientOf(customer) : null;
    // the name of the customer's contact only for the address of this contact
    if (recipient !== null) return recipient === usual?.email ? usual : { email: recipient, name: null };
    if (!usual) throw new NoAddress();
    return usual;
  }

  /**
   * Stores that the delivery of the invoice has started, before the mail is built. From then on, the lines of the invoice cannot be
   * changed, so that the mail and the invoice always agree. Returns false if the invoice was cancelled before its delivery.
   */
  #start({ organizationId, deliveryId }: DeliveryJob, invoiceId: string, { email }: Recipient): Promise<boolean> {
    const { orm, clock } = this.deps;
    return organizationEm(orm, organizationId).transactional(async (tx) => {
      const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
      const delivery = await tx.findOneOrFail(InvoiceDelivery, { id: deliveryId }, LOCKED);
      if (delivery.status !== DeliveryStatus.QUEUED) return false;
      if (delivery.cause === DeliveryCause.ISSUE && invoice.status === InvoiceStatus.CANCELLED) {
        delivery.status = DeliveryStatus.DROPPED;
        return false;
      }
      delivery.begin(email);
      await tx.execute(START, [clock.now(), organizationId, invoiceId]);
      return true;
    });
  }

  /** Stores the result of an attempt. Returns true if the delivery has failed permanently. */
  #recordAttempt({ organizationId, deliveryId }: DeliveryJob, attempt: Attempt): Promise<boolean> {
    const { orm, clock } = this.deps;
    return organizationEm(orm, organizationId).transactional(async (tx) => {
      const { invoiceId } = await tx.findOneOrFail(InvoiceDelivery, { id: deliveryId });
      const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
      const delivery = await tx.findOneOrFail(InvoiceDelivery, { id: deliveryId }, { ...LOCKED, refresh: true });
      const now = clock.now();
      if (attempt.problem === undefined) {
        delivery.sent(now, attempt.isSimulated);
        await tx.execute(DELIVERED, [now, organizationId, invoiceId]);
        return false;
      }
      delivery.failed(attempt.problem, attempt.isFinal);
      const isLast = delivery.status === DeliveryStatus.FAILED;
      if (!isLast) return false;
      await tx.execute(NOT_DELIVERED, [organizationId, invoiceId, deliveryId]);
      const { recipient, attempts } = delivery;
      await record(tx, invoiceDeliveryFailed(await issuedOf(tx, invoice), { recipient, reason: attempt.problem, attempts }, now));
      return true;
    });
  }
}

// These statements leave the revision of the invoice unchanged: a delivery is no change that an editor must know of.
const START = `update "billing"."invoice" set "delivery_started_at" = coalesce("delivery_started_at", ?) where "organization_id" = ? and "id" = ?`;
const DELIVERED = `update "billing"."invoice" set "delivered_at" = coalesce("delivered_at", ?) where "organization_id" = ? and "id" = ?`;
/** SQL that records that an invoice was not sent: all its e-mails failed, and no other e-mail with it is being sent. */
const NOT_DELIVERED = `update "billing"."invoice" i set "delivery_started_at" = null
  where i."organization_id" = ? and i."id" = ? and i."delivered_at" is null and not exists (
    select from "billing"."invoice_delivery" d where d."organization_id" = i."organization_id" and d."invoice_id" = i."id"
      and d."id" <> ? and d."status" = 'queued' and d."attempts" > 0)`;
