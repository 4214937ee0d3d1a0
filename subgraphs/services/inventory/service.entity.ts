import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { ServiceStatus, ServiceType, serviceStates } from './service.states.ts';

/** A service of an account, of any type (specification 2.5, 3.4). State transitions are methods here. */
@ObjectType({ description: 'A service that an account ordered, such as an internet line.' })
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

  @Field(() => ID, { description: 'Account that the service belongs to (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ServiceType, { description: 'Kind of service. Each kind has its own fields in `configuration`.' })
  @Enum({ items: () => ServiceType, type: 'text' })
  type!: ServiceType;

  @Field(() => String, { description: 'Subtype within `type`. For an internet service this is the access technology, such as `fiber`.' })
  @Property({ type: 'text' })
  serviceType!: string;

  @Field(() => ID, { description: 'Catalog entry that was ordered, such as `business_fiber`.' })
  @Property({ type: 'text' })
  catalogId!: string;

  @Field(() => String, { description: 'Name shown in lists.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => ServiceStatus, { description: 'Current state in the life cycle of the service.' })
  @Enum({ items: () => ServiceStatus, type: 'text' })
  status: ServiceStatus = ServiceStatus.PENDING;

  @Field(() => String, {
    nullable: true,
    description: 'Reason for the current status, such as why provisioning failed. Null if there is no further information.',
  })
  @Property({ type: 'text', nullable: true })
  statusReason: string | null = null;

  @Property({ type: 'integer', nullable: true })
  bandwidthMbps: number | null = null;

  @Field(() => ServiceLocation, {
    nullable: true,
    description: 'Street address where the service is delivered. Null if the service has no location.',
  })
  @Property({ type: 'json', nullable: true })
  location: ServiceLocation | null = null;

  @Field(() => String, { nullable: true, description: 'Service level from the catalog, such as `enterprise`. Null if none applies.' })
  @Property({ type: 'text', nullable: true })
  sla: string | null = null;

  @Field(() => BillingCycle, { description: 'How often the service is invoiced.' })
  @Enum({ items: () => BillingCycle, type: 'text' })
  billingCycle!: BillingCycle;

  @Field(() => Decimal, { description: 'Price for one month, in `currency`, including the surcharge of the service level.' })
  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of `monthlyPrice`, such as USD.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => JsonObject, { description: 'Settings that are specific to this kind of service, as JSON. Empty if there are none.' })
  @Property({ type: 'json' })
  configuration: Record<string, unknown> = {};

  @Field(() => String, {
    nullable: true,
    description: 'Company that provides the service. `simulated` if no real provider is configured. Null until the service is provisioned.',
  })
  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  /**
   * Id of the service at the connectivity provider. Null if the platform does not know whether the provider has the
   * service.
   */
  @Property({ type: 'text', nullable: true })
  providerReference: string | null = null;

  /** Number of failed attempts to provision the service. */
  @Property({ type: 'integer' })
  provisioningFailures = 0;

  /**
   * When the provider was last asked to build the service. The result of this request to the provider may still be
   * unknown.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  askedAt: Date | null = null;

  /** Number of the newest job that brings the provider to the wanted state. Jobs with lower numbers do nothing. */
  @Property({ type: 'integer' })
  jobNumber = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastIncidentAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the service first became operational. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  provisionedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => String, { nullable: true, description: 'Bandwidth, such as `1000mbps`. Null for kinds of service without a bandwidth.' })
  get bandwidth(): string | null {
    return this.bandwidthMbps === null ? null : formatBandwidth(this.bandwidthMbps);
  }

  /**
   * Moves the service to `status`.
   * @throws InvalidState
   */
  moveTo(status: ServiceStatus, now: Date, reason: string | null): void {
    serviceStates.check(this.status, status);
    // a service that returns from decommissioning to an earlier outage has no new incident
    const isIncident = [ServiceStatus.DOWN, ServiceStatus.DEGRADED].includes(status) && this.status !== ServiceStatus.DECOMMISSIONING;
    this.status = status;
    this.statusReason = reason;
    this.updatedAt = now;
    if (status === ServiceStatus.OPERATIONAL) this.provisionedAt ??= now;
    if (isIncident) this.lastIncidentAt = now;
  }
}
