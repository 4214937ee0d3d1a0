import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization.filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import type { Agent } from '../agents/agent.entity.ts';
import type { Attachment } from '../attachments/attachment.entity.ts';
import { AuthorType } from '../comment.author.ts';
import type { SlaTerms } from '../sla/sla.terms.ts';
import { MAX_ESCALATION_LEVEL, TicketPriority, TicketStatus, ticketStates, URGENCY } from '../ticket.states.ts';
import { ResolvedTicketWaits } from './ticket.errors.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

/** A request for help (specification 2.7, 3.1). Its state machine lives here; its clocks are kept by `SlaTracker`. */
@ObjectType({ description: 'A request for help with a service or an account.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'ticket' })
@OrganizationFilter({ account: 'accountId' })
// Each is an order or a filter of lists (ticket-search/), or a relation; a number sorts by its digits.
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

  @Field(() => String, { description: 'For people to quote, such as TKT-1042; counts up within an organization.' })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  title!: string;

  @Large(20_000)
  @Field(() => String)
  @Property({ type: 'text' })
  description!: string;

  @Field(() => TicketStatus)
  @Enum({ items: () => TicketStatus, type: 'text' })
  status: TicketStatus = TicketStatus.OPEN;

  @Field(() => TicketPriority)
  @Enum({ items: () => TicketPriority, type: 'text' })
  priority!: TicketPriority;

  /** How urgent the priority is, from 1 (low) to 4: what a list is sorted by. */
  @Property({ type: 'smallint' })
  urgency!: number;

  @Field(() => String, { nullable: true, description: 'Such as `business_impacting`.' })
  @Property({ type: 'text', nullable: true })
  severity: string | null = null;

  @Field(() => String, { description: 'A category id, such as `connectivity`.' })
  @Property({ type: 'text' })
  category!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  subcategory: string | null = null;

  @Field(() => ID, { nullable: true, description: 'The customer number of the account that it belongs to.' })
  @Property({ type: 'text', nullable: true })
  customerId: string | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'What it is about: the id of a service (`svc_…`), which `service` leads to, or a name for what is affected.',
  })
  @Property({ type: 'text', nullable: true })
  serviceAffected: string | null = null;

  /** Of its customer, or else of its service: what its events concern. */
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => TicketContact, { nullable: true })
  @Property({ type: 'json', nullable: true })
  contact: TicketContact | null = null;

  @Field(() => TicketLocation, { nullable: true })
  @Property({ type: 'json', nullable: true })
  location: TicketLocation | null = null;

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: 'Free-form, kept as sent.' })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Property({ type: 'text' })
  agentId!: string;

  /** Read with the ticket by the readers; undefined where the ORM found it. */
  agent?: Agent | null;

  /** Whether files came with it or with a comment, whoever may see them: those of most tickets need not be looked for. */
  @Property({ type: 'boolean' })
  hasAttachments = false;

  /** Of a ticket that was just opened, the newest first: nobody else can have added any. Undefined where they are to be read. */
  attachments?: readonly Attachment[];

  /** The rule that it was routed by when it was opened. It may be deleted since. */
  @Property({ type: 'text', nullable: true })
  routingRuleId: string | null = null;

  @Large(20_000)
  @Field(() => String, { nullable: true, description: 'What the customer was last told.' })
  @Property({ type: 'text', nullable: true })
  customerUpdate: string | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  estimatedResolution: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  responseDue!: Date;

  @Property({ type: 'datetime', length: 3 })
  resolutionDue!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  respondedAt: Date | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  resolvedAt: Date | null = null;

  /** When it was found not to have been answered in time; null where it was, or may still be. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  responseBreachedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  resolutionBreachedAt: Date | null = null;

  /** Since when it waits for its customer, which stops the clock of its resolution. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  waitingSince: Date | null = null;

  @Property({ type: 'json' })
  slaTerms!: SlaTerms;

  /** Milliseconds of working time that its resolution had taken at `resolutionSince`; from then on it runs, unless it is stopped. */
  @Property({ type: 'double' })
  resolutionElapsed = 0;

  @Property({ type: 'datetime', length: 3 })
  resolutionSince!: Date;

  /** When something is next to be done about its service level: at risk, breached, escalated. Null where nothing is to come. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  slaDueAt: Date | null = null;

  @Property({ type: 'integer' })
  escalationLevel = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  escalatedAt: Date | null = null;

  @Property({ type: 'text', nullable: true })
  escalationReason: string | null = null;

  /** By `touch`: what the platform records about the service level is no change that an agent must have seen. */
  @Revision({ byHand: true, description: 'Rises with each change and comment: `expectedRevision` of a change, which If-Match is on REST.' })
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => Boolean, { description: 'While it does, the clock of its resolution stands.' })
  get waitingOnCustomer(): boolean {
    return this.waitingSince !== null;
  }

  /** Somebody has changed what it shows, or said something. Whoever saw it before has seen another ticket. */
  touch(now: Date): void {
    this.updatedAt = now;
    this.revision += 1;
  }

  /** Sets the priority of a new ticket: `prioritize` changes that of others. */
  rank(priority: TicketPriority): void {
    this.priority = priority;
    this.urgency = URGENCY[priority];
  }

  /**
   * Sets the priority; the editor moves the due times. Whoever sets critical is told that the ticket is escalated (specification 3.1):
   * it gets one level more, and where it was critical before, its first one if it has none.
   * @throws InvalidState for a resolved ticket that this would escalate
   */
  prioritize(priority: TicketPriority, now: Date): void {
    const isRaised = priority !== this.priority || this.escalationLevel === 0;
    if (priority === TicketPriority.CRITICAL && isRaised) {
      if (this.resolvedAt) ticketStates.check(this.status, TicketStatus.ESCALATED);
      this.escalate(Math.min(this.escalationLevel + 1, MAX_ESCALATION_LEVEL), 'Priority set to critical', now);
    }
    this.rank(priority);
  }

  /** Moves to a state. Work that begins stops the response clock, resolution the other; reopening starts that one again. */
  moveTo(status: TicketStatus, now: Date): void {
    ticketStates.check(this.status, status);
    this.status = status;
    if (status === TicketStatus.IN_PROGRESS || status === TicketStatus.RESOLVED) this.answered(now);
    if (status === TicketStatus.ESCALATED && this.escalationLevel === 0) this.escalate(1, 'Status set to escalated', now);
    this.resolvedAt = status === TicketStatus.RESOLVED ? now : null;
    if (this.resolvedAt) this.waitingSince = null;
  }

  /** Somebody of the desk has answered: the first time stops the response clock. */
  answered(now: Date): void {
    this.respondedAt ??= now;
  }

  /** Stops the clock of the resolution until the customer has answered. @throws ResolvedTicketWaits */
  waitOnCustomer(now: Date): void {
    if (this.resolvedAt) throw new ResolvedTicketWaits();
    this.waitingSince ??= now;
  }

  /** The customer has answered, or need not: the clock goes on. */
  resume(): void {
    this.waitingSince = null;
  }

  escalate(level: number, reason: string, now: Date): void {
    this.escalationLevel = level;
    this.escalationReason = reason;
    this.escalatedAt = now;
  }

  /** What a comment that both sides see does: the desk's first one answers the ticket, one of the customer ends the waiting for it and reopens what is resolved. */
  heardFrom(author: AuthorType, now: Date): void {
    if (author === AuthorType.AGENT) this.answered(now);
    if (author !== AuthorType.CUSTOMER) return;
    this.resume();
    if (this.status === TicketStatus.RESOLVED) this.moveTo(TicketStatus.OPEN, now);
  }
}
