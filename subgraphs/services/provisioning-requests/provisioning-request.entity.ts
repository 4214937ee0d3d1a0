import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { definedOnly } from '../../../kernel/records/records.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { addDuration, parseDuration } from '../../../kernel/values/durations.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { LOCATION } from '../products/order-needs.ts';
import { ProvisioningHasBegun } from './provisioning-request.errors.ts';
import { ProvisioningRequestStatus, provisioningRequestStates } from './provisioning-request.states.ts';
import {
  DeploymentSchedule,
  ProvisioningContacts,
  ProvisioningRequestChange,
  ProvisioningRequirement,
  ProvisioningStep,
} from './provisioning-request.values.ts';
import { stepsOf } from './provisioning-request-steps.ts';
import { type RequestedTerms, requestedTerms, type StoredTerms, storedTerms } from './provisioning-request-terms.ts';

/** Expected time to build a service. If the provider stays unreachable, the platform stops trying within this time. */
const BUILD_MS = 60 * 60 * 1000;

const { PENDING, ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ProvisioningRequestStatus;

/** The fields that a caller sets when creating a request, and can change while the request is pending. */
export type RequestedFields = Pick<
  ProvisioningRequest,
  'serviceTemplate' | 'terms' | 'deploymentSchedule' | 'contacts' | 'accountId' | 'location' | 'sla' | 'billingCycle' | 'name'
>;

/**
 * A request for a catalog service. The service is ordered when all required data is known and its preferred date is
 * reached (specification 2.5, 3.4).
 */
@ObjectType({ description: 'A request for a new service and its progress until the service works.' })
@Entity({ tableName: 'provisioning_request' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ properties: ['serviceId'] })
export class ProvisioningRequest {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ProvisioningRequestStatus, { description: 'Current state in the life cycle of the request.' })
  @Enum({ items: () => ProvisioningRequestStatus, type: 'text' })
  status!: ProvisioningRequestStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Reason for the current status, such as what is missing or why it failed. Null if there is no further information.',
  })
  @Property({ type: 'text', nullable: true })
  statusReason: string | null = null;

  @Field(() => ID, { description: 'Catalog entry that is requested, such as `business_fiber`.' })
  @Property({ type: 'text' })
  serviceTemplate!: string;

  /** Stored form of the property `terms`. */
  @Property({ type: 'json', fieldName: 'customizations' })
  stored!: StoredTerms;

  @Property({ type: 'datetime', length: 3, nullable: true })
  preferredDate: Date | null = null;

  @Property({ type: 'text', nullable: true })
  flexibility: string | null = null;

  @Field(() => ProvisioningContacts, { nullable: true, description: 'People to contact about the request. Null if there are none.' })
  @Property({ type: 'json', nullable: true })
  contacts: ProvisioningContacts | null = null;

  /**
   * Account of the request. Null only in pending requests of earlier releases without a default account. These requests get an account when
   * they proceed.
   */
  @Field(() => ID, {
    nullable: true,
    description:
      'Account that the service is for (`acc_…`). Null only for a pending request of an earlier release; it gets the default account when it proceeds.',
  })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => ServiceLocation, {
    nullable: true,
    description: 'Street address where the service is to be built. Null until it is supplied, and for services without a location.',
  })
  @Property({ type: 'json', nullable: true })
  location: ServiceLocation | null = null;

  @Field(() => String, { nullable: true, description: 'Requested service level. Null means the first service level of the catalog entry.' })
  @Property({ type: 'text', nullable: true })
  sla: string | null = null;

  @Field(() => BillingCycle, { description: 'How often the service will be invoiced.' })
  @Enum({ items: () => BillingCycle, type: 'text' })
  billingCycle!: BillingCycle;

  @Field(() => String, {
    nullable: true,
    description: 'Name that the service will get. Null means a name made of the catalog entry and the place.',
  })
  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Service that was ordered for the request (`svc_…`). Null until it is ordered.' })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => [ProvisioningRequestChange], { description: 'Changes of the status, oldest first.' })
  @Property({ type: 'json' })
  history: ProvisioningRequestChange[] = [];

  /**
   * Number that increases with each change of the request. If it differs from an earlier value, the request was changed
   * since then.
   */
  @Property({ type: 'integer' })
  revision = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  orderedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  get terms(): RequestedTerms {
    return requestedTerms(this.stored);
  }

  set terms(terms: RequestedTerms) {
    this.stored = storedTerms(terms);
  }

  @Field(() => DeploymentSchedule, { nullable: true, description: 'Preferred date. Null means as soon as nothing is missing.' })
  get deploymentSchedule(): DeploymentSchedule | null {
    const { preferredDate, flexibility } = this;
    return preferredDate && { preferredDate, flexibility };
  }

  set deploymentSchedule(schedule: DeploymentSchedule | null) {
    this.preferredDate = schedule?.preferredDate ?? null;
    this.flexibility = schedule?.flexibility ?? null;
  }

  @Field(() => [ProvisioningRequirement], {
    description: 'Information that you must supply before the service can be ordered. Empty if nothing is missing.',
  })
  get missing(): string[] {
    const { needs, options } = this.terms;
    return needs.filter((name) => (name === LOCATION ? this.location === null : options[name] === undefined));
  }

  @Field(() => [ProvisioningStep], { description: 'Steps of the work and their progress, in order.' })
  get steps(): ProvisioningStep[] {
    const { status, missing, preferredDate, serviceId } = this;
    return stepsOf({ status, isComplete: missing.length === 0, isScheduled: preferredDate !== null, isOrdered: serviceId !== null });
  }

  @Field(() => Date, {
    nullable: true,
    description:
      'Expected time of completion: one hour after the work begins, or the end of the schedule if that is later. After the completion, the actual time. Null if the time is unknown, or if the request failed or was cancelled.',
  })
  get expectedCompletion(): Date | null {
    const { status, missing, preferredDate, flexibility } = this;
    const begins = this.orderedAt ?? preferredDate;
    if (status === COMPLETED) return this.updatedAt;
    if (status === FAILED || status === CANCELLED || missing.length > 0 || !begins) return null;
    const built = new Date(begins.getTime() + BUILD_MS);
    const end = preferredDate && flexibility ? addDuration(preferredDate, parseDuration(flexibility)) : built;
    return end > built ? end : built;
  }

  /** Changes fields of a pending request. Fields that are undefined keep their values. @throws ProvisioningHasBegun */
  change(wanted: Partial<RequestedFields>, now: Date): void {
    if (this.status !== undefined && this.status !== PENDING) throw new ProvisioningHasBegun(this.id, this.status);
    Object.assign(this, definedOnly(wanted));
    this.updatedAt = now;
    this.revision += 1;
  }

  /**
   * Moves the request to `status` and adds the change to its history.
   * @throws InvalidState
   */
  moveTo(status: ProvisioningRequestStatus, now: Date, reason: string | null = null): void {
    const from = this.status ?? null;
    if (from) provisioningRequestStates.check(from, status);
    this.status = status;
    this.statusReason = reason;
    this.history = [...this.history, { from, to: status, at: now.toISOString(), reason }];
    this.updatedAt = now;
    this.revision += 1;
  }

  /** Keeps the request pending, and stores why it waits. Replaces a reason that was stored before. */
  wait(now: Date, reason: string): void {
    if (this.status === PENDING) this.statusReason = reason;
    else this.moveTo(PENDING, now, reason);
  }

  /** Stores the reason for the current status of an acknowledged request or one in progress. Otherwise does nothing. */
  explain(reason: string, now: Date): void {
    if (this.status !== ACKNOWLEDGED && this.status !== IN_PROGRESS) return;
    this.statusReason = reason;
    this.updatedAt = now;
    this.revision += 1;
  }

  /**
   * Stores the id of the ordered service. After that, the request is no longer pending.
   * @throws InvalidState
   */
  begin(serviceId: string, now: Date): void {
    this.moveTo(ACKNOWLEDGED, now);
    this.serviceId = serviceId;
    this.orderedAt = now;
  }
}
