import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { hourStart } from '../../../kernel/values/days.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isBuilt, ServiceStatus } from '../inventory/service.states.ts';
import { lockService } from '../inventory/service-lock.ts';
import { METRICS, type Sample } from '../samples/sample.ts';
import { type OpenAlerts, observedAlerts, observedStatus, reasonOf } from '../status/observed-status.ts';
import { transition } from '../status/service-transition.ts';
import { servicePerformanceAlert } from '../status/status.events.ts';
import { recordUsage } from './usage.ts';

const { MAINTENANCE, SUSPENDED, DECOMMISSIONING } = ServiceStatus;

/** Progress of the measuring of one service: its row in `service_measurement`. */
export interface Measurement {
  serviceId: string;
  organizationId: string;
  /** Time of the newest sample of the service. */
  measuredAt: Date | null;
  /** Value of the provider's byte counter at the time `measuredAt`. */
  counter: number | null;
  /** Start of the first hour whose usage is not recorded yet. Null before the first sample of the service. */
  usageFrom: Date | null;
  alerts: OpenAlerts;
  /** True if the provider has blocked the service, because it is or was suspended. */
  isBlocked: boolean;
}

/** SQL condition for `isBlocked` of a row in `service_measurement`. */
export const IS_BLOCKED = 'exists (select from "services"."service_block" b where b."id" = "service_id" and b."is_blocked")';

export interface SettleDeps {
  orm: Orm;
  clock: Clock;
}

/** Returns true if `settle` has nothing to do for a service. `samples` are its recent samples, newest first. */
export function settled(
  { usageFrom, alerts, isBlocked }: Measurement,
  { status }: Service,
  samples: readonly Sample[],
  now: Date,
): boolean {
  if (!isBuilt(status)) return status === DECOMMISSIONING;
  if (status === SUSPENDED || isBlocked) return usageFrom === null || usageFrom >= hourStart(now);
  const [newest] = samples;
  // the first sample of a service starts the usage in its own hour, so there is no usage of an earlier hour yet
  if (newest && usageFrom !== null && usageFrom < hourStart(newest.at)) return false;
  if (status === MAINTENANCE) return true;
  return observedStatus(status, samples) === status && sameAlerts(alerts, observedAlerts(alerts, samples).open);
}

/**
 * Updates the status and the alerts of a service from its recent samples (newest first), and records its usage in the hours
 * that have ended. During maintenance, and while the service is suspended or blocked, only the usage is recorded. If the
 * service has ended, records its last usage and deletes its row in `service_measurement`.
 */
export async function settle({ orm, clock }: SettleDeps, { id, organizationId }: Service, samples: readonly Sample[]): Promise<void> {
  await organizationEm(orm, organizationId).transactional(async (tx) => {
    const service = await lockService(tx, id);
    const measurement = await lockMeasurement(tx, id);
    // read after the locks, so that it is not earlier than changes that were committed meanwhile
    const now = clock.now();
    if (!service || !measurement || service.status === DECOMMISSIONING) return;
    if (!isBuilt(service.status)) return end(tx, service, measurement, now);
    if (service.status === SUSPENDED || measurement.isBlocked) return pause(tx, service, measurement, now);
    const [newest] = samples;
    if (!newest) return;
    await recordUsage(tx, service, measurement.usageFrom, hourStart(newest.at), now);
    if (service.status === MAINTENANCE) return;
    const status = observedStatus(service.status, samples);
    if (status !== service.status) await transition(tx, service, status, now, reasonOf(newest));
    await alert(tx, service, measurement, samples, now);
  });
}

async function end(tx: EntityManager, service: Service, { usageFrom }: Pick<Measurement, 'usageFrom'>, now: Date): Promise<void> {
  await recordUsage(tx, service, usageFrom, null, now);
  await tx.execute('delete from "services"."service_measurement" where "service_id" = ?', [service.id]);
}

/**
 * Records the usage of a suspended or blocked service in the hours that have ended. No sample follows in these hours, because a sample
 * must be newer than `measured_at`. The counter stays, so traffic between the last sample and the suspension is counted after it.
 */
async function pause(tx: EntityManager, service: Service, { usageFrom }: Pick<Measurement, 'usageFrom'>, now: Date): Promise<void> {
  const until = hourStart(now);
  if (!usageFrom || usageFrom >= until) return;
  await recordUsage(tx, service, usageFrom, until, now);
  const sql = 'update "services"."service_measurement" set "measured_at" = greatest("measured_at", ?) where "service_id" = ?';
  await tx.execute(sql, [now.toISOString(), service.id]);
}

async function alert(
  tx: EntityManager,
  service: Service,
  { alerts }: Pick<Measurement, 'alerts'>,
  samples: readonly Sample[],
  now: Date,
): Promise<void> {
  const { open, begun } = observedAlerts(alerts, samples);
  if (sameAlerts(alerts, open)) return;
  const sql = 'update "services"."service_measurement" set "alerts" = ?::jsonb where "service_id" = ?';
  await tx.execute(sql, [JSON.stringify(open), service.id]);
  for (const one of begun) await record(tx, servicePerformanceAlert(service, one, now));
}

async function lockMeasurement(
  tx: EntityManager,
  serviceId: string,
): Promise<Pick<Measurement, 'usageFrom' | 'alerts' | 'isBlocked'> | null> {
  const [row] = await tx.execute<{ usage_from: Date | string | null; alerts: OpenAlerts; is_blocked: boolean }[]>(
    `select "usage_from", "alerts", ${IS_BLOCKED} as "is_blocked" from "services"."service_measurement" where "service_id" = ? for update`,
    [serviceId],
  );
  if (!row) return null;
  const { usage_from: usageFrom, alerts, is_blocked: isBlocked } = row;
  return { usageFrom: usageFrom === null ? null : new Date(usageFrom), alerts, isBlocked };
}

const sameAlerts = (one: OpenAlerts, other: OpenAlerts): boolean => METRICS.every((metric) => one[metric] === other[metric]);
