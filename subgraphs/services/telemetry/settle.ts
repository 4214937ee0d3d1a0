import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { hourStart } from '../../../kernel/values/days.ts';
import { Service } from '../inventory/service.entity.ts';
import { isInService, ServiceStatus } from '../inventory/service.states.ts';
import { METRICS, type Sample } from '../samples/sample.ts';
import { type OpenAlerts, observedAlerts, observedStatus, reasonOf } from '../status/observed-status.ts';
import { transition } from '../status/service-transition.ts';
import { servicePerformanceAlert } from '../status/status.events.ts';
import { recordUsage } from './usage.ts';

const { MAINTENANCE, DECOMMISSIONING } = ServiceStatus;

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
}

export interface SettleDeps {
  orm: Orm;
}

/** Returns true if `settle` has nothing to do for a service. `samples` are its recent samples, newest first. */
export function settled({ usageFrom, alerts }: Measurement, { status }: Service, samples: readonly Sample[]): boolean {
  if (!isInService(status)) return status === DECOMMISSIONING;
  const [newest] = samples;
  if (newest && (usageFrom === null || usageFrom < hourStart(newest.at))) return false;
  if (status === MAINTENANCE) return true;
  return observedStatus(status, samples) === status && sameAlerts(alerts, observedAlerts(alerts, samples).open);
}

/**
 * Updates the status and the alerts of a service from its recent samples (newest first), and records its usage in the hours
 * that have ended. During maintenance, only the usage is recorded. If the service has ended, records its last usage and
 * deletes its row in `service_measurement`.
 */
export async function settle({ orm }: SettleDeps, { id, organizationId }: Service, samples: readonly Sample[], now: Date): Promise<void> {
  await organizationEm(orm, organizationId).transactional(async (tx) => {
    const service = await tx.findOne(Service, { id }, LOCKED);
    const measurement = await lockMeasurement(tx, id);
    if (!service || !measurement || service.status === DECOMMISSIONING) return;
    if (!isInService(service.status)) return end(tx, service, measurement, now);
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

async function lockMeasurement(tx: EntityManager, serviceId: string): Promise<Pick<Measurement, 'usageFrom' | 'alerts'> | null> {
  const [row] = await tx.execute<{ usage_from: Date | string | null; alerts: OpenAlerts }[]>(
    'select "usage_from", "alerts" from "services"."service_measurement" where "service_id" = ? for update',
    [serviceId],
  );
  return row ? { usageFrom: row.usage_from === null ? null : new Date(row.usage_from), alerts: row.alerts } : null;
}

const sameAlerts = (one: OpenAlerts, other: OpenAlerts): boolean => METRICS.every((metric) => one[metric] === other[metric]);
