import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/organization.filter.ts';
import type { Agent } from '../agents/agent.entity.ts';
import { AuthorType } from '../comments/comment.values.ts';
import { slaTarget } from './ticket.sla.ts';
import { TicketPriority, TicketStatus, ticketStates, URGENCY } from './ticket.states.ts';
import { TicketContact, TicketLocation } from './ticket.values.ts';

const MINUTE_MS = 60_000;

/** A request for help (specification 2.7, 3.1). Its state machine and service level clocks live here. */
@ObjectType({ description: 'A request for help with a service or an account.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'ticket' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'number'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['agentId', 'status'] })
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

  @Property({ type: 'integer' })
  escalationLevel = 0;

  @Property({ type: 'text', nullable: true })
  escalationReason: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Sets the priority and, from the ticket's beginning, the due times that come with it. Critical also escalates one level. */
  prioritize(priority: TicketPriority): void {
    if (priority === TicketPriority.CRITICAL && this.priority !== undefined && this.priority !== priority) {
      this.escalationLevel += 1;
      this.escalationReason = 'Priority raised to critical';
    }
    this.priority = priority;
    this.urgency = URGENCY[priority];
    const { responseMinutes, resolutionMinutes } = slaTarget(priority);
    this.responseDue = new Date(this.createdAt.getTime() + responseMinutes * MINUTE_MS);
    this.resolutionDue = new Date(this.createdAt.getTime() + resolutionMinutes * MINUTE_MS);
  }

  /** Moves to a state. Work that begins stops the response clock, resolution the other; reopening starts that one again. */
  moveTo(status: TicketStatus, now: Date): void {
    ticketStates.check(this.status, status);
    this.status = status;
    if (status !== TicketStatus.OPEN) this.respondedAt ??= now;
    this.resolvedAt = status === TicketStatus.RESOLVED ? now : null;
  }

  /** What a comment that both sides see does: the desk's first one answers the ticket, one of the customer reopens a resolved ticket. */
  heardFrom(author: AuthorType, now: Date): void {
    if (author === AuthorType.AGENT) this.respondedAt ??= now;
    if (author === AuthorType.CUSTOMER && this.status === TicketStatus.RESOLVED) this.moveTo(TicketStatus.OPEN, now);
  }
}
