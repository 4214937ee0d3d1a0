import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/organization.filter.ts';
import type { Agent } from '../agents/agent.entity.ts';
import { AuthorType } from '../comments/comment.values.ts';
import type { SlaTerms } from '../sla/sla.terms.ts';
import { ResolvedTicketWaits } from './ticket.errors.ts';
import { MAX_ESCALATION_LEVEL, TicketPriority, TicketStatus, ticketStates, URGENCY } from './ticket.states.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

/** A request for help (specification 2.7, 3.1). Its state machine lives here; its clocks are kept by `SlaClocks`. */
@ObjectType({ description: 'A request for help with a service or an account.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'ticket' })
@OrganizationFilter()
// Each is an order or a filter of lists (ticket-search/), or a relation; a number sorts by its digits.
@Index({
  name: 'ticket_number_unique',
  expression: 'create unique index "ticket_number_unique" on "support"."ticket" ("organization_id", (length("number")), "number")',
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

  @Field(() => ID, { nullable: true, description: 'The id of the service that it is about.' })
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

  @Field(() => JsonObject, { description: 'Free-form, kept as sent.' })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Property({ type: 'text' })
  agentId!: string;

  /** Read with the ticket by the readers; undefined where the ORM found it. */
  agent?: Agent | null;

  /** The rule that it was routed by when it was opened. It may be deleted since. */
  @Property({ type: 'text', nullable: true })
  routingRuleId: string | null = null;

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

  @Field(() => Int, { description: 'Counts its changes: `expectedRevision` of a change, which If-Match is on REST.' })
  @Property({ type: 'integer', version: true })
  revision!: number;

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

  /** Sets the priority. Critical also escalates one level. The editor moves the due times. */
  prioritize(priority: TicketPriority, now: Date): void {
    if (priority === TicketPriority.CRITICAL && this.priority !== undefined && this.priority !== priority) {
      this.escalate(Math.min(this.escalationLevel + 1, MAX_ESCALATION_LEVEL), 'Priority raised to critical', now);
    }
    this.priority = priority;
    this.urgency = URGENCY[priority];
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
