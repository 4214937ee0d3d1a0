import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { DeliveryCause, DeliveryStatus } from './invoice-delivery.states.ts';

/**
 * Maximum number of attempts to send an invoice. All attempts together take about a day, because the queue increases the delay after each
 * attempt.
 */
export const MAX_ATTEMPTS = 30;

/** An e-mail with an invoice, and the result of its delivery. */
@ObjectType({ description: 'One e-mail with an invoice, and its result.' })
@Check({ name: 'invoice_delivery_cause_check', expression: `"cause" in ('issue', 'request')` })
@Check({ name: 'invoice_delivery_status_check', expression: `"status" in ('queued', 'sent', 'failed', 'dropped')` })
@Entity({ tableName: 'invoice_delivery' })
@OrganizationFilter({ account: 'accountId' })
// an invoice is delivered once for its issue, whatever asks for it twice
@Unique({ name: 'invoice_delivery_issue_index', properties: ['organizationId', 'invoiceId'], where: `"cause" = 'issue'` })
@Index({ properties: ['organizationId', 'invoiceId', 'createdAt'] })
export class InvoiceDelivery {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @Property({ type: 'text' })
  invoiceId!: string;

  @Field(() => DeliveryCause, { description: 'Why the invoice is delivered.' })
  @Enum({ items: () => DeliveryCause, type: 'text' })
  cause!: DeliveryCause;

  @Field(() => DeliveryStatus, { description: 'Result so far.' })
  @Enum({ items: () => DeliveryStatus, type: 'text', default: DeliveryStatus.QUEUED })
  status: DeliveryStatus = DeliveryStatus.QUEUED;

  @Field(() => String, {
    nullable: true,
    description: 'E-mail address. Null until the first attempt, and if the account had no address.',
  })
  @Property({ type: 'text', nullable: true })
  recipient: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Reason why the last attempt failed. Null if no attempt failed, and after the message was sent.',
  })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  @Property({ type: 'integer', default: 0 })
  attempts = 0;

  @Field(() => Boolean, {
    description: 'True if no mail server is configured. The e-mail was written to the data folder and reached nobody.',
  })
  @Property({ type: 'boolean', default: false })
  simulated = false;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted the e-mail. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  sentAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Starts an attempt to send the invoice to `recipient`, and counts it. */
  begin(recipient: string): void {
    this.recipient = recipient;
    this.attempts += 1;
  }

  sent(now: Date, isSimulated: boolean): void {
    this.status = DeliveryStatus.SENT;
    this.sentAt = now;
    this.simulated = isSimulated;
    this.lastError = null;
  }

  /**
   * Stores the reason why an attempt failed. There is no further attempt if the reason is final, or if the maximum number of attempts is
   * reached.
   */
  failed(reason: string, isFinal: boolean): void {
    this.lastError = reason;
    if (isFinal || this.attempts >= MAX_ATTEMPTS) this.status = DeliveryStatus.FAILED;
  }
}
