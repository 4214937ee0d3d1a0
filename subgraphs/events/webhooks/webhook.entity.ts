import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ArrayMaxSize, IsOptional, Matches } from 'class-validator';
import { Directive, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { WebhookActive } from './webhook.errors.ts';

/** Event families of specification section 6 that have their own path for webhooks. */
export enum WebhookFamily {
  SERVICE = 'service',
  BILLING = 'billing',
  SUPPORT = 'support',
}
registerEnumType(WebhookFamily, { name: 'WebhookFamily', description: 'A webhook of a family gets the events of that family only.' });

export enum WebhookPriority {
  LOW = 'low',
  MEDIUM = 'medium',
  HIGH = 'high',
  CRITICAL = 'critical',
}
registerEnumType(WebhookPriority, { name: 'WebhookPriority', description: 'Of a ticket.' });

const MAX_CUSTOMERS = 1000;

/** Filters for events of tickets (specification 2.8). A missing filter does not restrict; events of other families always pass. */
@ObjectType('WebhookFilters', {
  description: 'Narrows the events of the support family: to tickets of these customers, and of these priorities. Other events pass.',
})
@InputType('WebhookFiltersInput')
export class WebhookFilters {
  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(MAX_CUSTOMERS, { message: `may have at most ${MAX_CUSTOMERS} ids` })
  @Matches(/^cust_\w+$/, { each: true, message: 'must be customer ids (cust_…)' })
  customerIds?: string[] | null;

  @Field(() => [WebhookPriority], { nullable: true })
  priorities?: WebhookPriority[] | null;
}

/** A receiver's subscription to events (specification 2.8). */
@ObjectType({ description: 'A receiver that events are delivered to, signed, over HTTP.' })
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

  @Field(() => String, { description: 'Where events are posted to.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => [String], { description: 'Names and patterns: `ticket.created`, `service.*`, `billing.invoice.*`, `*`.' })
  @Property({ type: 'json' })
  events!: string[];

  @Field(() => String, {
    nullable: true,
    description: 'Signs what is delivered. Shown in the answer that creates the webhook, null ever after.',
  })
  secret?: string | null;

  @Property({ type: 'text' })
  sealedSecret!: string;

  @Property({ type: 'text', nullable: true })
  previousSealedSecret: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Until then the secret before the last rotation signs too; null where none did.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  previousSecretUntil: Date | null = null;

  @Field(() => Boolean, {
    description:
      'While false, nothing is delivered. New events are recorded as `SKIPPED` where the platform disabled it, and not at all where you did.',
  })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => WebhookFamily, { nullable: true, description: 'Null for one that was created at /webhooks: it may mix families.' })
  @Property({ type: 'text', nullable: true })
  family: WebhookFamily | null = null;

  @Field(() => WebhookFilters, { nullable: true })
  @Property({ type: 'json', nullable: true })
  filters: WebhookFilters | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When the platform, and not you, made it inactive; null otherwise.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Why: `gone`, since the receiver answered 410; `failing`, since every attempt of five days failed.',
  })
  @Property({ type: 'text', nullable: true })
  disabledReason: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Since when every attempt has failed; null while the receiver answers.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  /** When the next delivery is due; null if nothing is pending. See dispatch/delivery.store.ts. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /** Time until which one process holds the lease. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  laneUntil: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Replaces the secret. The previous secrets no longer sign. */
  replaceSecret(sealed: string): void {
    this.sealedSecret = sealed;
    this.previousSealedSecret = null;
    this.previousSecretUntil = null;
  }

  /** Sets a new secret. The previous one also signs until `previousUntil`; older ones no longer sign. */
  rotateSecret(sealed: string, previousUntil: Date): void {
    this.previousSealedSecret = this.sealedSecret;
    this.previousSecretUntil = previousUntil;
    this.sealedSecret = sealed;
  }

  /** Switches the webhook on or off on behalf of its owner, and clears the platform's reasons for disabling it. */
  setActive(active: boolean): void {
    this.active = active;
    this.disabledAt = null;
    this.disabledReason = null;
    this.failingSince = null;
  }

  /** @throws WebhookActive */
  resume(): void {
    if (this.active) throw new WebhookActive(this.id);
    this.setActive(true);
  }
}
