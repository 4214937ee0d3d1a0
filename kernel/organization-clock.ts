import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

interface OrganizationTime {
  organizationId: string;
  now: Date;
  isAdvancing: boolean;
  /** Number of the last change of the clock. */
  revision: number;
  /** The clock of the platform, which is the same for all organizations. */
  system: Clock;
}

const times = new AsyncLocalStorage<OrganizationTime | undefined>();

/** A change that a caller requested. Its work uses the time that the clock had at `revision`. */
export interface TimedChange {
  organizationId: string;
  /** Null if the organization had no clock of its own. */
  revision: number | null;
}

const changes = new AsyncLocalStorage<TimedChange | undefined>();

/** Returns the platform's time while the current work uses the clock of an organization. Otherwise undefined. */
export const platformTime = (): Date | undefined => times.getStore()?.system.now();

/**
 * Reads the time and the revision of an organization's own clock, and whether this clock is advancing. Undefined if the organization uses the
 * platform's clock.
 */
export type ReadTime = (organizationId: string) => Promise<{ now: Date; isAdvancing: boolean; revision: number } | undefined>;

/**
 * A clock that returns the time of the organization for which the current request, job or sweep works. The time is read once, when the work
 * begins, and does not change during the work. Work outside of `inTimeOf` and `at` uses the platform's clock.
 */
export class OrganizationClock implements Clock {
  constructor(
    private readonly system: Clock,
    private readonly read: ReadTime,
  ) {}

  now(): Date {
    return times.getStore()?.now ?? this.system.now();
  }

  onMoved(listener: () => void): () => void {
    return this.system.onMoved?.(listener) ?? (() => undefined);
  }

  /** True if the clock of the current organization is advancing. */
  get isAdvancing(): boolean {
    return times.getStore()?.isAdvancing ?? false;
  }

  /** The change that the current work makes. Undefined for work that no caller waits for, such as jobs. */
  get change(): TimedChange | undefined {
    return changes.getStore();
  }

  /** Runs a change of an organization that a caller requested, within `inTimeOf`. */
  changing<T>(organizationId: string, act: () => T): T {
    return changes.run({ organizationId, revision: times.getStore()?.revision ?? null }, act);
  }

  /** Runs `act` with the current time of an organization's clock. */
  async inTimeOf<T>(organizationId: string, act: () => T | Promise<T>): Promise<T> {
    const present = times.getStore();
    // work that a change starts, such as a job, is not a part of it
    const alone = (): T | Promise<T> => changes.run(undefined, act);
    // within an advance, the time is the one that the advance has reached
    if (present?.isAdvancing && present.organizationId === organizationId) return alone();
    const time = await this.read(organizationId);
    return times.run(time && { ...time, organizationId, system: this.system }, alone);
  }

  /** Runs `act` at a time that the advancing clock of an organization has reached. */
  at<T>(organizationId: string, { now, revision }: { now: Date; revision: number }, act: () => Promise<T>): Promise<T> {
    return times.run({ organizationId, now, revision, isAdvancing: true, system: this.system }, () => changes.run(undefined, act));
  }
}
