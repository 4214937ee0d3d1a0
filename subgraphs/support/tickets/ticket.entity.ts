import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { Agent } from '../agents/agent.entity.ts';
import type { Attachment } from '../attachments/attachment.entity.ts';
import { AuthorType } from '../comment-author.ts';
import type { SlaTerms } from '../sla/sla-terms.ts';
import { MAX_ESCALATION_LEVEL, TicketStatus, ticketStates, URGENCY } from '../ticket.states.ts';
import { ResolvedTicketWaits } from './ticket.errors.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

/** A support request (specification 2.7, 3.1). State transitions are methods here; `SlaTracker` maintains the SLA clocks. */
@ObjectType({ description: 'A support request of a customer, about a service or an account.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'ticket' })
@OrganizationFilter({ account: 'accountId' })
// Each index is for a sort order or a filter of lists (ticket-search/), or for a relation. Ticket numbers are sorted by
// length first, so that TKT-999 comes before TKT-1000.
@Index({
  name: 'ticket_number_unique',
  expression: 'create unique index "ticket_number_unique" on "support"."ticket" ("organization_id", (length("number")), "number")',
})
@Index({
  name: 'ticket_account_of_id_index',
  expression: 'create index "ticket_account_of_id_index" on "support"."ticket" ("organization_id", "id") include ("account_id")',
})
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'updatedAt', 'id'] })
@Index({ properties: ['organizationId', 'resolutionDue', 'id'] })
@Index({ properties: ['organizationId', 'title', 'id'] })
@Index({ name: 'ticket_state_index', properties: ['organizationId', 'status', 'urgency', 'createdAt', 'id'] })
@Index({ name: 'ticket_category_index', properties: ['organizationId', 'category', 'status', 'createdAt', 'id'] })
@Index({ name: 'ticket_agent_index', properties: ['organizationId', 'agentId', 'status', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'agentId'], where: `status <> 'resolved'`, name: 'ticket_unresolved_agent_index' })
@Index({ properties: ['organizationId', 'agentId', 'createdAt'] })
@Index({ properties: ['slaDueAt'], where: 'sla_due_at is not null', name: 'ticket_sla_due_index' })
@Index({ properties: ['organizationId', 'accountId', 'createdAt', 'id'] })
@Index({ name: 'ticket_account_state_index', properties: ['organizationId', 'accountId', 'status', 'urgency', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'customerId', 'createdAt'] })
@Index({ properties: ['organizationId', 'serviceAffected', 'createdAt'] })
export class Ticket {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, {
    description:
      'Ticket number that people use, for example in calls, such as TKT-1042. It increases with each new ticket of the organization.',
  })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => String, { description: 'Short summary shown in lists, 1 to 255 characters.' })
  @Property({ type: 'text' })
  title!: string;

  @Large(20_000)
  @Field(() => String, { description: 'Description of the problem as plain text, 1 to 20000 characters.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => TicketStatus, { description: 'Current state in the life cycle of the ticket.' })
  @Enum({ items: () => TicketStatus, type: 'text' })
  status: TicketStatus = TicketStatus.OPEN;

  @Field(() => TicketPriority, { description: 'Urgency. The targets of the service level depend on it.' })
  @Enum({ items: () => TicketPriority, type: 'text' })
  priority!: TicketPriority;

  /** Priority as a number from 1 (low) to 4 (critical), for sorting. */
  @Property({ type: 'smallint' })
  urgency!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Effect on the customer in your own words, such as `business_impacting`. Null if not stated.',
  })
  @Property({ type: 'text', nullable: true })
  severity: string | null = null;

  @Field(() => String, { description: 'Id of the category, such as `connectivity`.' })
  @Property({ type: 'text' })
  category!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Id of a subcategory, such as `slow_speed`, or your own text. Null if not stated.',
  })
  @Property({ type: 'text', nullable: true })
  subcategory: string | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'Customer number of the account that the ticket belongs to (`cust_…`). Null if it belongs to none.',
  })
  @Property({ type: 'text', nullable: true })
  customerId: string | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'Affected service: its id (`svc_…`), or a name for the affected part. Null if not stated.',
  })
  @Property({ type: 'text', nullable: true })
  serviceAffected: string | null = null;

  /**
   * Account of the ticket's customer. If the ticket has no customer, account of its service. Events of the ticket
   * concern this account.
   */
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => TicketContact, { nullable: true, description: 'Person to contact about the ticket. Null if not stated.' })
  @Property({ type: 'json', nullable: true })
  contact: TicketContact | null = null;

  @Field(() => TicketLocation, { nullable: true, description: 'Site that is affected. Null if not stated.' })
  @Property({ type: 'json', nullable: true })
  location: TicketLocation | null = null;

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: "JSON object of the creator's choice, returned as sent." })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Property({ type: 'text' })
  agentId!: string;

  /**
   * The assigned agent, if a `RecordReader` loaded the ticket or `TicketCreator` created it. Undefined if the ORM loaded
   * the ticket.
   */
  agent?: Agent | null;

  /**
   * Returns whether the ticket or one of its comments has files. Internal comments are included. If it is false, no query for files is
   * sent.
   */
  @Property({ type: 'boolean' })
  hasAttachments = false;

  /**
   * Files of the ticket, newest first, if `TicketCreator` has just created it. Undefined if the ticket was loaded; its
   * files must then be read from the database.
   */
  attachments?: readonly Attachment[];

  /** Id of the routing rule that was applied when the ticket was created. The rule may have been deleted since then. */
  @Property({ type: 'text', nullable: true })
  routingRuleId: string | null = null;

  @Large(20_000)
  @Field(() => String, { nullable: true, description: 'Latest message to the customer. Null if there was none.' })
  @Property({ type: 'text', nullable: true })
  customerUpdate: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When the agent expects to resolve the ticket. Null if not stated.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  estimatedResolution: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  responseDue!: Date;

  @Property({ type: 'datetime', length: 3 })
  resolutionDue!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  respondedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the ticket was resolved. Null unless it is resolved.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  resolvedAt: Date | null = null;

  /**
   * Time at which the breach of the response target was recorded. Null if the response was in time or is not overdue
   * yet.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  responseBreachedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  resolutionBreachedAt: Date | null = null;

  /**
   * Time since which the ticket waits for its customer. Null if it does not wait. The resolution clock is stopped
   * during this time.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  waitingSince: Date | null = null;

  @Property({ type: 'json' })
  slaTerms!: SlaTerms;

  /**
   * Working time in milliseconds that the resolution clock had counted at `resolutionSince`. This is the time at which
   * the clock last started, or, while the clock is stopped, the time at which it stopped.
   */
  @Property({ type: 'double' })
  resolutionElapsed = 0;

  @Property({ type: 'datetime', length: 3 })
  resolutionSince!: Date;

  /** Next time at which an SLA event is due: at risk, breach or escalation. Null if no event is due. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  slaDueAt: Date | null = null;

  @Property({ type: 'integer' })
  escalationLevel = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  escalatedAt: Date | null = null;

  @Property({ type: 'text', nullable: true })
  escalationReason: string | null = null;

  /**
   * Number that only `touch` increments. Changes of the SLA state do not increment it. Otherwise an agent's update could
   * fail with 409 although nothing visible has changed since the agent read the ticket.
   */
  @Revision({
    byHand: true,
    description:
      'Number that increases with each change and comment. To detect changes by others, send it as `expectedRevision`; over REST, send the ETag as `If-Match` instead.',
  })
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description: 'True while the ticket waits for a reply of the customer. During this time, the resolution clock is paused.',
  })
  get waitingOnCustomer(): boolean {
    return this.waitingSince !== null;
  }

  /** Records a visible change or a new comment: updates `updatedAt` and the revision. */
  touch(now: Date): void {
    this.updatedAt = now;
    this.revision += 1;
  }

  /** Sets the priority of a new ticket. `prioritize` changes the priority of an existing ticket. */
  rank(priority: TicketPriority): void {
    this.priority = priority;
    this.urgency = URGENCY[priority];
  }

  /**
   * Changes the priority. The caller must then let `SlaTracker` update the due times. Setting `critical` raises the
   * escalation level by one, up to the maximum (specification 3.1). If the ticket was already critical, its level is
   * raised only from 0 to 1.
   * @throws InvalidState if the change would escalate a resolved ticket
   */
  prioritize(priority: TicketPriority, now: Date): void {
    const isRaised = priority !== this.priority || this.escalationLevel === 0;
    if (priority === TicketPriority.CRITICAL && isRaised) {
      if (this.resolvedAt) ticketStates.check(this.status, TicketStatus.ESCALATED);
      this.escalate(Math.min(this.escalationLevel + 1, MAX_ESCALATION_LEVEL), 'Priority set to critical', now);
    }
    this.rank(priority);
  }

  /**
   * Moves the ticket to `status`. The status `in_progress` stops the response clock. The status `resolved` stops the
   * response and resolution clocks. Reopening a ticket restarts its resolution clock.
   */
  moveTo(status: TicketStatus, now: Date): void {
    ticketStates.check(this.status, status);
    this.status = status;
    if (status === TicketStatus.IN_PROGRESS || status === TicketStatus.RESOLVED) this.recordResponse(now);
    if (status === TicketStatus.ESCALATED && this.escalationLevel === 0) this.escalate(1, 'Status set to escalated', now);
    this.resolvedAt = status === TicketStatus.RESOLVED ? now : null;
    if (this.resolvedAt) this.waitingSince = null;
  }

  /** Records a response of support staff. The first response stops the response clock. */
  recordResponse(now: Date): void {
    this.respondedAt ??= now;
  }

  /**
   * Stops the resolution clock until the customer replies.
   * @throws ResolvedTicketWaits if the ticket is resolved
   */
  waitOnCustomer(now: Date): void {
    if (this.resolvedAt) throw new ResolvedTicketWaits();
    this.waitingSince ??= now;
  }

  /** Ends the wait for the customer, so that the resolution clock continues. */
  resume(): void {
    this.waitingSince = null;
  }

  escalate(level: number, reason: string, now: Date): void {
    this.escalationLevel = level;
    this.escalationReason = reason;
    this.escalatedAt = now;
  }

  /**
   * Applies the effect of a public comment. The first comment of support staff stops the response clock. A customer's
   * comment continues the resolution clock if the ticket waited for the customer, and reopens a resolved ticket.
   */
  applyCommentOf(author: AuthorType, now: Date): void {
    if (author === AuthorType.AGENT) this.recordResponse(now);
    if (author !== AuthorType.CUSTOMER) return;
    this.resume();
    if (this.status === TicketStatus.RESOLVED) this.moveTo(TicketStatus.OPEN, now);
  }
}
