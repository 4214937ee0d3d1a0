import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus, type ServiceType } from '../inventory/service.states.ts';
import { cancelMaintenance } from '../maintenance/maintenance-windows.ts';
import { checkCanEnd, decommission } from './decommission.ts';
import { newChange } from './new-service-change.ts';
import { openDecommission } from './open-changes.ts';
import { ServiceChange } from './service-change.entity.ts';
import { AlreadyEnding, UnsuitableDestination } from './service-change.errors.ts';
import type { DecommissionInput } from './service-change.inputs.ts';
import { ServiceChangeKind, ServiceChangeStatus } from './service-change.states.ts';
import type { DataMigration } from './service-change.values.ts';

export interface ServiceChangeServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
  loader: RecordLoader<Service>;
}

/** Ends services, immediately or at a date (specification 2.5, 4.3). */
export class ServiceChangeService {
  constructor(private readonly deps: ServiceChangeServiceDeps) {}

  /**
   * Takes a service down now. A scheduled decommission is brought forward.
   * @throws ResourceNotFound, InvalidState, ServiceInMaintenance
   */
  end(id: string, type?: ServiceType | null): Promise<Service> {
    return this.deps.em.transactional(async (tx) => this.endLocked(tx, await this.#locked(tx, id, type)));
  }

  /**
   * Does the same as `end` for a service that the caller has locked, in the caller's transaction.
   * @throws InvalidState, ServiceInMaintenance
   */
  async endLocked(tx: EntityManager, service: Service): Promise<Service> {
    const now = this.deps.clock.now();
    await checkCanEnd(tx, service, now);
    const change = (await openDecommission(tx, service.id)) ?? this.#newDecommission(tx, service, now);
    change.effectiveAt = now;
    await decommission(tx, this.deps.jobs, service, change, now);
    return service;
  }

  /**
   * Takes a service down at a date.
   * @throws ResourceNotFound for the service or the destination
   * @throws InvalidState, ServiceInMaintenance, AlreadyEnding, UnsuitableDestination, InvalidParameters
   */
  async decommission(id: string, { decommissionDate, dataMigration, reason }: DecommissionInput): Promise<ServiceChange> {
    const known = orNotFound(await this.deps.loader.load(id), 'service', id);
    if (dataMigration?.destination) await this.#checkDestination(known, dataMigration.destination);
    return this.deps.em.transactional(async (tx) => {
      const service = await this.#locked(tx, id);
      const now = this.deps.clock.now();
      const isLater = decommissionDate ? decommissionDate > now : false;
      await checkCanEnd(tx, service, now, isLater);
      const scheduled = await openDecommission(tx, id);
      if (scheduled) throw new AlreadyEnding(scheduled);
      const change = this.#newDecommission(tx, service, now);
      change.reason = reason ?? null;
      change.dataMigration = dataMigration ? stored(dataMigration) : null;
      if (decommissionDate && isLater) {
        change.effectiveAt = decommissionDate;
        change.dueAt = decommissionDate;
      } else await decommission(tx, this.deps.jobs, service, change, now);
      return change;
    });
  }

  /**
   * Cancels a change that has not begun, and the maintenance that was planned for it.
   * @throws ResourceNotFound, InvalidState
   */
  async cancel(id: string, serviceId?: string | null): Promise<ServiceChange> {
    const found = orNotFound(await this.deps.em.findOne(ServiceChange, { id }), 'service_change', id);
    if (serviceId && found.serviceId !== serviceId) orNotFound(null, 'service_change', id);
    return this.deps.em.transactional(async (tx) => {
      const service = await this.#locked(tx, found.serviceId);
      const change = orNotFound(await tx.findOne(ServiceChange, { id }, { ...LOCKED, refresh: true }), 'service_change', id);
      const now = this.deps.clock.now();
      change.moveTo(ServiceChangeStatus.CANCELLED, now);
      service.revise(now);
      await cancelMaintenance(tx, service, now, id);
      return change;
    });
  }

  /** Lists the changes of a service. @throws ResourceNotFound for the service */
  async list(serviceId: string, page: PageInput): Promise<Page<ServiceChange>> {
    orNotFound(await this.deps.loader.load(serviceId), 'service', serviceId);
    return listPage(this.deps.em, ServiceChange, { where: { serviceId }, sort: [], page, defaultSort: NEWEST_FIRST });
  }

  async #locked(tx: EntityManager, id: string, type?: ServiceType | null): Promise<Service> {
    return orNotFound(await tx.findOne(Service, { id, ...(type && { type }) }, LOCKED), 'service', id);
  }

  async #checkDestination({ id, type }: Service, destinationId: string): Promise<void> {
    if (destinationId === id)
      throw new InvalidParameters([{ field: 'dataMigration.destination', value: id, reason: 'must be another service' }]);
    const destination = orNotFound(await this.deps.loader.load(destinationId), 'service', destinationId);
    if (destination.type !== type) throw new UnsuitableDestination(destination, `it is of the type ${destination.type}, not ${type}`);
    if (destination.status !== ServiceStatus.OPERATIONAL)
      throw new UnsuitableDestination(destination, `it is ${destination.status}, not operational`);
  }

  #newDecommission(tx: EntityManager, service: Service, now: Date): ServiceChange {
    const change = newChange(service, ServiceChangeKind.DECOMMISSION, this.deps.request.principal.id, now);
    tx.persist(change);
    return change;
  }
}

const stored = ({ required, destination, verification }: DataMigration): DataMigration => ({
  required,
  destination: destination ?? null,
  verification,
});
