import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, InvalidParameters } from '../../../kernel/errors/errors.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import { Service } from '../inventory/service.entity.ts';
import { MaintenanceOfChange, ServiceNotMaintainable, TooManyWindows } from './maintenance.errors.ts';
import type { MaintenanceCreateInput, MaintenanceUpdateInput, MaintenanceWindowFilter } from './maintenance.inputs.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';
import { MaintenanceStatus, maintenanceStates } from './maintenance-window.states.ts';
import { timeProblems } from './maintenance-window.values.ts';
import { cancelWindow, endMaintenanceNow, MAINTAINABLE, openWindows, planMaintenance, reportMaintenance } from './maintenance-windows.ts';

/** Maximum number of windows of a service that have not ended. */
const MAX_OPEN = 20;
const LATEST_FIRST: readonly SortBy[] = [{ field: 'startsAt', order: SortOrder.DESC }];

/** Names of the times in events. */
const NAMES: Readonly<Record<string, string>> = { startsAt: 'start', endsAt: 'end' };

export interface MaintenanceServiceDeps {
  em: EntityManager;
  clock: Clock;
}

/** Plans, changes and cancels the maintenance of services (specification 4.6). */
export class MaintenanceService {
  constructor(private readonly deps: MaintenanceServiceDeps) {}

  /** Lists maintenance windows, the latest start first, so that future windows come before past windows. */
  list({ from, to, ...filter }: MaintenanceWindowFilter, sort: SortBy[], page: PageInput): Promise<Page<MaintenanceWindow>> {
    const where = matching<MaintenanceWindow>({ ...filter, endsAt: from && { $gt: from }, startsAt: to && { $lt: to } });
    return listPage(this.deps.em, MaintenanceWindow, { where, sort, page, defaultSort: LATEST_FIRST });
  }

  /**
   * Plans a maintenance, and announces it.
   * @throws ResourceNotFound for an unknown service
   * @throws InvalidParameters, ServiceNotMaintainable, TooManyWindows
   */
  async plan({
    serviceId,
    start: startsAt,
    end: endsAt,
    title = null,
    description,
    impact,
  }: MaintenanceCreateInput): Promise<MaintenanceWindow> {
    const { em, clock } = this.deps;
    const now = clock.now();
    requireNone(timeProblems({ startsAt, endsAt }, now));
    return em.transactional(async (tx) => {
      const service = orNotFound(await tx.findOne(Service, { id: serviceId }, LOCKED), 'service', serviceId);
      if (!MAINTAINABLE.includes(service.status)) throw new ServiceNotMaintainable(service);
      if ((await openWindows(tx, serviceId)).length >= MAX_OPEN) throw new TooManyWindows(MAX_OPEN);
      return planMaintenance(tx, service, { startsAt, endsAt, title, description, impact, serviceChangeId: null }, now);
    });
  }

  /**
   * Changes a maintenance, and announces it again if it has not started. After its start, only the end, the title and the
   * description can change.
   * @throws ResourceNotFound, InvalidParameters, InvalidState, MaintenanceOfChange
   */
  async update(id: string, { start, end, ...input }: MaintenanceUpdateInput): Promise<MaintenanceWindow> {
    const { clock } = this.deps;
    const now = clock.now();
    return this.#changing(id, async (tx, service, window) => {
      const { status } = window;
      const isPlanned = status === MaintenanceStatus.SCHEDULED;
      // a window that has ended cannot end again
      if (!isPlanned) maintenanceStates.check(status, MaintenanceStatus.COMPLETED);
      const changes = definedOnly({ startsAt: start, endsAt: end, ...input });
      const times = { startsAt: start ?? window.startsAt, endsAt: end ?? window.endsAt };
      requireNone(isPlanned ? timeProblems(times, now) : startedProblems(times, { start, impact: input.impact }, now));
      const changed = Object.entries(changes).filter(([name, value]) => differs(window[name as keyof MaintenanceWindow], value));
      if (changed.length === 0) return;
      const reported = changed.map(([name, value]) => [NAMES[name] ?? name, { from: window[name as keyof MaintenanceWindow], to: value }]);
      Object.assign(window, changes, { updatedAt: now });
      window.dueAt = isPlanned ? window.startsAt : window.endsAt;
      if (isPlanned) window.announcedAt = now;
      await reportMaintenance(tx, service, window, Object.fromEntries(reported));
      if (!isPlanned && window.endsAt <= now) await endMaintenanceNow(tx, service, window, now);
    });
  }

  /**
   * Cancels a maintenance that has not ended. If it has started, the service returns to service.
   * @throws ResourceNotFound, InvalidState, MaintenanceOfChange
   */
  cancel(id: string): Promise<MaintenanceWindow> {
    return this.#changing(id, (tx, service, window) => cancelWindow(tx, service, window, this.deps.clock.now()));
  }

  /** Runs `change` in one transaction with a maintenance window and its service, both locked. The service is locked first. */
  #changing(
    id: string,
    change: (tx: EntityManager, service: Service, window: MaintenanceWindow) => Promise<void>,
  ): Promise<MaintenanceWindow> {
    return this.deps.em.transactional(async (tx) => {
      const { serviceId } = orNotFound(await tx.findOne(MaintenanceWindow, { id }), 'maintenance_window', id);
      const service = await tx.findOneOrFail(Service, { id: serviceId }, LOCKED);
      const window = await tx.findOneOrFail(MaintenanceWindow, { id }, { ...LOCKED, refresh: true });
      if (window.serviceChangeId) throw new MaintenanceOfChange(window);
      await change(tx, service, window);
      return window;
    });
  }
}

function requireNone([first, ...others]: readonly FieldProblem[]): void {
  if (first) throw new InvalidParameters([first, ...others]);
}

/** Lists the problems of a change to a maintenance that has already started. */
function startedProblems(
  { startsAt, endsAt }: { startsAt: Date; endsAt: Date },
  fixed: { start: unknown; impact: unknown },
  now: Date,
): FieldProblem[] {
  const started = Object.entries(fixed)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ({ field, value, reason: 'cannot change, because the maintenance has started' }));
  return started.length > 0 ? started : timeProblems({ startsAt, endsAt }, now, { hasStarted: true });
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
