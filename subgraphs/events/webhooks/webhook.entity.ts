import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ArrayMaxSize, IsOptional, Matches } from 'class-validator';
import { Directive, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { WebhookActive } from './webhook.errors.ts';

/** Event families whose webhooks have their own path in the REST API (specification section 6). */
export enum WebhookFamily {
  SERVICE = 'service',
  BILLING = 'billing',
  SUPPORT = 'support',
}
registerEnumType(WebhookFamily, {
  name: 'WebhookFamily',
  description: 'Family of events. A webhook of a family gets only events of that family.',
  valuesConfig: {
    SERVICE: { description: 'Services and their provisioning.' },
    BILLING: { description: 'Invoices, payments and usage.' },
    SUPPORT: { description: 'Tickets and their service levels.' },
  },
});

export enum WebhookPriority {
  LOW = 'low',
  MEDIUM = 'medium',
  HIGH = 'high',
  CRITICAL = 'critical',
}
registerEnumType(WebhookPriority, {
  name: 'WebhookPriority',
  description: 'Priority of a ticket.',
  valuesConfig: {
    LOW: { description: 'No urgency.' },
    MEDIUM: { description: 'Normal urgency.' },
    HIGH: { description: 'Urgent.' },
    CRITICAL: { description: 'Most urgent.' },
  },
});

const MAX_CUSTOMERS = 1000;

/**
 * Filters for ticket events (specification 2.8). If a filter is not set, events with any value pass. Events that are
 * not about tickets always pass.
 */
@ObjectType('WebhookFilters', { description: 'Conditions for events of the support family. Other events are not filtered.' })
@InputType('WebhookFiltersInput', { description: 'Conditions for events of the support family. Other events are not filtered.' })
export class WebhookFilters {
  @Field(() => [ID], {
    nullable: true,
    description: `Only tickets of these customers, by customer number (\`cust_…\`). At most ${MAX_CUSTOMERS}. Null or empty means all.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_CUSTOMERS, { message: `may have at most ${MAX_CUSTOMERS} ids` })
  @Matches(/^cust_\w+$/, { each: true, message: 'must be customer ids (cust_…)' })
  customerIds?: string[] | null;

  @Field(() => [WebhookPriority], { nullable: true, description: 'Only tickets with one of these priorities. Null or empty means all.' })
  priorities?: WebhookPriority[] | null;
}

/** A receiver's subscription to events (specification 2.8). */
@ObjectType({ description: 'A receiver to which events are sent as signed HTTP requests.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'webhook' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['dueAt'], where: 'active and due_at is not null', name: 'webhook_due_index' })
@Index({ properties: ['laneUntil'], where: 'lane_until is not null', name: 'webhook_lane_index' })
export class Webhook {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Address that events are posted to.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => [String], {
    description: 'Event names and patterns that are delivered, such as `ticket.created`, `service.*`, `billing.invoice.*` or `*`.',
  })
  @Property({ type: 'json' })
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description: 'Secret that signs deliveries. Shown only in the response that creates or rotates the secret. Null otherwise.',
  })
  secret?: string | null;

  @Property({ type: 'text' })
  sealedSecret!: string;

  @Property({ type: 'text', nullable: true })
  previousSealedSecret: string | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'Until this time after a rotation, the previous secret also signs. Null without a recent rotation.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretUntil: Date | null = null;

  @Field(() => Boolean, {
    description:
      'False if nothing is delivered. If the platform disabled the webhook, new events are recorded as `SKIPPED`. If you disabled it, new events are not recorded.',
  })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => WebhookFamily, {
    nullable: true,
    description: 'Family of events that the webhook is limited to. Null if the webhook is not limited to a family.',
  })
  @Property({ type: 'text', nullable: true })
  family: WebhookFamily | null = null;

  @Field(() => WebhookFilters, { nullable: true, description: 'Conditions that events must meet. Null if there are none.' })
  @Property({ type: 'json', nullable: true })
  filters: WebhookFilters | null = null;

  @Field(() => String, { nullable: true, description: 'Free text. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When the platform disabled the webhook. Null unless the platform disabled it.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the platform disabled it: `gone` if the receiver responded with 410, `failing` if every attempt of five days failed. Null otherwise.',
  })
  @Property({ type: 'text', nullable: true })
  disabledReason: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Start of the current series of failed attempts. Null while the receiver responds.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /**
   * Time at which the next delivery is due; null if no delivery is pending. Acquiring the lease also sets it to null. See
   * dispatch/delivery.store.ts.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /** End of the lease during which one process delivers to this webhook. Null if there is no lease. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  laneUntil: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Replaces the secret. Previous secrets no longer sign deliveries. */
  replaceSecret(sealed: string): void {
    this.sealedSecret = sealed;
    this.previousSealedSecret = null;
    this.previousSecretUntil = null;
  }

  /**
   * Sets a new secret. The previous secret also signs deliveries until `previousUntil`. Older secrets no longer sign
   * deliveries.
   */
  rotateSecret(sealed: string, previousUntil: Date): void {
    this.previousSealedSecret = this.sealedSecret;
    this.previousSecretUntil = previousUntil;
    this.sealedSecret = sealed;
  }

  /**
   * Activates or deactivates the webhook at the request of its owner. Clears the platform's reason for disabling the
   * webhook.
   */
  setActive(active: boolean): void {
    this.active = active;
    this.disabledAt = null;
    this.disabledReason = null;
    this.failingSince = null;
  }

  /** Activates an inactive webhook. @throws WebhookActive */
  resume(): void {
    if (this.active) throw new WebhookActive(this.id);
    this.setActive(true);
  }
}
