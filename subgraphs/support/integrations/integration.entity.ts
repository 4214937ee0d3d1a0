import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';

/** Maximum length of a stored error. */
const ERROR_LENGTH = 500;
/** Time after which an integration is disabled if all attempts have failed. Webhooks have the same limit. */
const GIVE_UP_MS = 5 * 24 * 3_600_000;

/**
 * Value of `disabledReason` if an integration failed for too long. All other reasons are error codes of the remote
 * service.
 */
export const FAILING = 'failing';

/**
 * Base class of all integrations, with their settings, state and health. Deliveries are in `integration_delivery`. Only the process that
 * holds the lease of an integration processes its deliveries (integration-queue.ts).
 */
@ObjectType()
export abstract class Integration {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => Boolean, { description: 'False if nothing is sent. Events that happen during this time are not stored for later.' })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Date, { nullable: true, description: 'When the platform disabled the integration. Null unless the platform disabled it.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the platform disabled it: an error code of the remote system, such as `unauthorized`, or `failing` if nothing succeeded for five days. Null unless the platform disabled it.',
  })
  @Property({ type: 'text', nullable: true })
  disabledReason: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Start of the current series of failures. Null while the integration works.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Latest error message of the remote system or the connection. Null if there was none.',
  })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When something was last sent successfully. Null if nothing was sent yet.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastSuccessAt: Date | null = null;

  /** Number of consecutive failures. It determines the delay before the next attempt. */
  @Property({ type: 'integer' })
  failures = 0;

  /** Earliest time of the next attempt. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  /**
   * Time of the next check whether the organization is still suspended. Null if deliveries never had to wait for the
   * end of a suspension. The last value stays after the suspension, so that deliveries that waited do not expire
   * (`#expiryMs` in integration-queue.ts).
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  waitedUntil: Date | null = null;

  /** Time until which a process holds the lease. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  leaseUntil: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Human-readable description of the remote target, such as a channel or project. Contains no secret. */
  abstract get target(): string;

  /**
   * Returns whether the owner switched the integration off, so that incoming webhooks are ignored. False if the platform disabled the
   * integration: a disabled integration sends nothing, but its incoming webhooks are still processed.
   */
  get isSwitchedOff(): boolean {
    return !this.active && this.disabledAt === null;
  }

  succeeded(now: Date): void {
    this.lastSuccessAt = now;
    this.failingSince = null;
    this.failures = 0;
    this.retryAt = null;
  }

  /** Counts a failure. Returns true if the integration has been failing for so long that it must be disabled. */
  failed(error: string, now: Date): boolean {
    this.failures += 1;
    this.failingSince ??= now;
    this.lastError = error.slice(0, ERROR_LENGTH);
    return now.getTime() - this.failingSince.getTime() >= GIVE_UP_MS;
  }

  /** Disables the integration because of an error. Pending deliveries are kept. */
  disable(reason: string, error: string, now: Date): void {
    this.active = false;
    this.disabledAt = now;
    this.disabledReason = reason;
    this.lastError = error.slice(0, ERROR_LENGTH);
    this.failingSince ??= now;
  }

  /** Switches the integration on or off at the request of its owner, and clears its errors. */
  setActive(active: boolean): void {
    this.active = active;
    this.disabledAt = null;
    this.disabledReason = null;
    this.forgetFailures();
  }

  forgetFailures(): void {
    this.failingSince = null;
    this.failures = 0;
    this.retryAt = null;
  }
}
