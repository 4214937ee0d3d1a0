import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';

/** An error of a remote is shown so far. */
const ERROR_LENGTH = 500;
/** Who has failed for so long is given up, as a webhook is. */
const GIVE_UP_MS = 5 * 24 * 3_600_000;

/** Why the platform stopped using an integration, besides what its remote says in words of its own. */
export const FAILING = 'failing';

/**
 * What all integrations have in common: whether they are used, and how they fare. Its queue stands in `integration_delivery`;
 * one process at a time works on it, as long as `leaseUntil` says (integration-queue.ts).
 */
@ObjectType()
export abstract class Integration {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => Boolean, { description: 'While false nothing is sent, and what happens is not kept for it.' })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Date, { nullable: true, description: 'When the platform, and not you, made it inactive; null otherwise.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  disabledAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      "Why: the remote's own word (`channel_is_archived`, `unauthorized`), or `failing`, since nothing got through for five days.",
  })
  @Property({ type: 'text', nullable: true })
  disabledReason: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Since when nothing got through; null while it works.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  @Field(() => String, { nullable: true, description: 'What went wrong last, in words of the remote or of the connection.' })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastSuccessAt: Date | null = null;

  /** Failures in a row, by which the next pause is reckoned. */
  @Property({ type: 'integer' })
  failures = 0;

  /** Nothing is sent before. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  /** Until then it waited when its organization was last found to be suspended. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  waitedUntil: Date | null = null;

  /** Until then one process works on its queue. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  leaseUntil: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** What it leads to, for people: no secret. */
  abstract get target(): string;

  /** By its owner. One that the platform disabled is still wanted: what it need not send for goes on. */
  get isSwitchedOff(): boolean {
    return !this.active && this.disabledAt === null;
  }

  succeeded(now: Date): void {
    this.lastSuccessAt = now;
    this.failingSince = null;
    this.failures = 0;
    this.retryAt = null;
  }

  /** Counts a failure. Whether it has been failing for so long that it is given up. */
  failed(error: string, now: Date): boolean {
    this.failures += 1;
    this.failingSince ??= now;
    this.lastError = error.slice(0, ERROR_LENGTH);
    return now.getTime() - this.failingSince.getTime() >= GIVE_UP_MS;
  }

  /** By the platform. What waits is kept. */
  disable(reason: string, error: string, now: Date): void {
    this.active = false;
    this.disabledAt = now;
    this.disabledReason = reason;
    this.lastError = error.slice(0, ERROR_LENGTH);
    this.failingSince ??= now;
  }

  /** By its owner, who thereby says that what was wrong no longer is. */
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
