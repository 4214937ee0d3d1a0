import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { ServiceStatus, ServiceType, serviceStates } from './service.states.ts';

/** A service of an account, of whatever kind (specification 2.5, 3.4). Its state machine lives here. */
@ObjectType({ description: 'A service that an account has ordered.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'service' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
export class Service {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ServiceType)
  @Enum({ items: () => ServiceType, type: 'text' })
  type!: ServiceType;

  @Field(() => String, { description: 'What it is within its kind: for an internet service the access technology, such as `fiber`.' })
  @Property({ type: 'text' })
  serviceType!: string;

  @Field(() => ID, { description: 'What it was ordered as: the id of a service of the catalog.' })
  @Property({ type: 'text' })
  catalogId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  @Field(() => ServiceStatus)
  @Enum({ items: () => ServiceStatus, type: 'text' })
  status: ServiceStatus = ServiceStatus.PENDING;

  @Field(() => String, {
    nullable: true,
    description: 'Why it has that status, where there is something to say, such as why provisioning failed.',
  })
  @Property({ type: 'text', nullable: true })
  statusReason: string | null = null;

  @Property({ type: 'integer', nullable: true })
  bandwidthMbps: number | null = null;

  @Field(() => ServiceLocation, { nullable: true })
  @Property({ type: 'json', nullable: true })
  location: ServiceLocation | null = null;

  @Field(() => String, { nullable: true, description: 'A service level of the catalog, such as `enterprise`.' })
  @Property({ type: 'text', nullable: true })
  sla: string | null = null;

  @Field(() => BillingCycle)
  @Enum({ items: () => BillingCycle, type: 'text' })
  billingCycle!: BillingCycle;

  @Field(() => Decimal)
  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;

  @Field(() => String)
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => JsonObject, { description: 'What a kind of service adds to these fields.' })
  @Property({ type: 'json' })
  configuration: Record<string, unknown> = {};

  @Field(() => String, {
    nullable: true,
    description: 'Who provides it; `simulated` where nothing real stands behind it. Null until it is provisioned.',
  })
  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  /** What the provider calls it. */
  @Property({ type: 'text', nullable: true })
  providerReference: string | null = null;

  /** How often the provider has failed to provision it. */
  @Property({ type: 'integer' })
  provisioningFailures = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastIncidentAt: Date | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  provisionedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => String, { nullable: true, description: 'Such as `1000mbps`; null for kinds that have none.' })
  get bandwidth(): string | null {
    return this.bandwidthMbps === null ? null : formatBandwidth(this.bandwidthMbps);
  }

  /** @throws InvalidState */
  moveTo(status: ServiceStatus, now: Date, reason: string | null): void {
    serviceStates.check(this.status, status);
    this.status = status;
    this.statusReason = reason;
    this.updatedAt = now;
    if (status === ServiceStatus.OPERATIONAL) this.provisionedAt ??= now;
    if (status === ServiceStatus.DOWN || status === ServiceStatus.DEGRADED) this.lastIncidentAt = now;
  }
}
