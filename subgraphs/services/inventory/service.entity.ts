import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { lineOfPrice, type PriceLine, priceOf } from './price-line.ts';
import { priorityOf, RestorationPriority } from './restoration-priority.ts';
import { ServiceHold, ServiceStatus, ServiceType, serviceStates } from './service.states.ts';
import { ServiceContacts } from './service-contacts.ts';
import type { Configuration, ServiceTerms } from './service-terms.ts';

/** A service of an account, of any type (specification 2.5, 3.4). State transitions are methods here. */
@ObjectType({ description: 'A service that an account ordered, such as an internet line.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'service' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
@Index({ properties: ['organizationId', 'monthlyPrice', 'id'] })
@Index({
  name: 'service_search_text_index',
  expression: 'create index "service_search_text_index" on "services"."service" using gin ("organization_id", "search_text" gin_trgm_ops)',
})
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
  @Property({ type: 'text' })
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
  configuration: Configuration = {};

  @Field(() => [String], { description: 'Names of the features that are switched on, such as `static_ip`.' })
  @Property({ type: 'json', default: '[]' })
  features: readonly string[] = [];

  @Field(() => ServiceContacts, { nullable: true, description: 'People to contact about the service. Null if none are known.' })
  @Property({ type: 'json', nullable: true })
  contacts: ServiceContacts | null = null;

  /** Lines of the monthly price. Null for a service that was ordered before the platform stored price lines. */
  @Property({ type: 'json', nullable: true, fieldName: 'price_lines' })
  storedPriceLines: PriceLine[] | null = null;

  @Field(() => ID, { nullable: true, description: 'Quote whose prices the order used (`quote_…`). Null if there was none.' })
  @Property({ type: 'text', nullable: true })
  quoteId: string | null = null;

  @Field(() => Int, { nullable: true, description: 'Minimum term in months. Null without a term.' })
  @Property({ type: 'integer', nullable: true })
  termMonths: number | null = null;

  /** Discount for the term, in percent. The unit prices include it. */
  @Property({ type: MoneyType, default: '0' })
  discountPercent: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Price that is charged once, for the installation.' })
  @Property({ type: MoneyType, default: '0' })
  oneTimeFee: Decimal = new Decimal(0);

  @Revision({ byHand: true })
  revision = 1;

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

  /** Number of failed attempts to provision the service, or to release it if its bulk is rolled back. */
  @Property({ type: 'integer' })
  provisioningFailures = 0;

  /**
   * Time of the last request to the provider to build the service. The result of this request may still be unknown. Null after the provider
   * refused or released the service.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  askedAt: Date | null = null;

  /** Number of the newest job that brings the provider to the wanted state. Jobs with lower numbers do nothing. */
  @Property({ type: 'integer' })
  jobNumber = 0;

  /** Bulk that ordered the service. Null if the service was ordered alone. */
  @Property({ type: 'text', nullable: true })
  bulkId: string | null = null;

  /**
   * Progress of a service in a bulk that is rolled back if a service fails. Null for all other services, and after the
   * bulk has made the service operational or has skipped it.
   */
  @Enum({ items: () => ServiceHold, type: 'text', nullable: true })
  held: ServiceHold | null = null;

  /** Time since which the service is down, also during a decommission or maintenance. Null if it works. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  downSince: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastIncidentAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the service first became operational. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  provisionedAt: Date | null = null;

  /**
   * Text that is searched when a list of services has a search term. A trigger writes the text. Null for a service that is older than the column, until the backfill
   * has written the text.
   */
  @Property({ type: 'text', nullable: true })
  searchText: string | null = null;

  /** True if the service was ordered for a provisioning request. Only `lockService` reads it; otherwise undefined. */
  isRequested?: boolean;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => RestorationPriority, {
    description:
      'How urgently the service is restored after an outage. It follows from `sla`: enterprise high, business medium, others low.',
  })
  get priority(): RestorationPriority {
    return priorityOf(this.sla);
  }

  @Field(() => String, { nullable: true, description: 'Bandwidth, such as `1000mbps`. Null for kinds of service without a bandwidth.' })
  get bandwidth(): string | null {
    return this.bandwidthMbps === null ? null : formatBandwidth(this.bandwidthMbps);
  }

  get priceLines(): readonly PriceLine[] {
    return this.storedPriceLines ?? [lineOfPrice(this, this.monthlyPrice)];
  }

  /** Sets new terms and their price. */
  change(terms: ServiceTerms, priceLines: readonly PriceLine[], now: Date): void {
    Object.assign(this, terms);
    this.storedPriceLines = [...priceLines];
    this.monthlyPrice = priceOf(priceLines, this.currency);
    this.revise(now);
  }

  /** Increments the revision, because fields that callers see have changed. */
  revise(now: Date): void {
    this.revision += 1;
    this.updatedAt = now;
  }

  /** Sets the progress of a held service. Callers see that a built service waits for the other services of its bulk. */
  hold(held: ServiceHold, now: Date): void {
    this.held = held;
    this.statusReason = held === ServiceHold.BUILT ? `Built. Waits for the other services of ${this.bulkId}.` : null;
    this.revise(now);
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
    this.revise(now);
    if (status === ServiceStatus.OPERATIONAL) this.provisionedAt ??= now;
    if (isIncident) this.lastIncidentAt = now;
    if (status === ServiceStatus.DOWN) this.downSince ??= now;
    else if (![ServiceStatus.MAINTENANCE, ServiceStatus.DECOMMISSIONING].includes(status)) this.downSince = null;
  }
}
