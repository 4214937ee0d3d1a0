import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus, type ServiceType } from '../inventory/service.states.ts';
import { checkCanEnd, decommission } from './decommission.ts';
import { ServiceChange } from './service-change.entity.ts';
import { AlreadyEnding, UnsuitableDestination } from './service-change.errors.ts';
import type { DecommissionInput } from './service-change.inputs.ts';
import { ServiceChangeKind, ServiceChangeStatus } from './service-change.states.ts';
import type { DataMigration } from './service-change.values.ts';
import { openDecommission } from './service-change-follow.ts';

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
    return this.deps.em.transactional(async (tx) => {
      const service = await this.#locked(tx, id, type);
      checkCanEnd(service);
      const now = this.deps.clock.now();
      const change = (await openDecommission(tx, id)) ?? this.#newDecommission(tx, service, now);
      change.effectiveAt = now;
      await decommission(tx, this.deps.jobs, service, change, now);
      return service;
    });
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
      checkCanEnd(service, isLater);
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
   * Cancels a change that waits for its date.
   * @throws ResourceNotFound, InvalidState
   */
  async cancel(id: string, serviceId?: string | null): Promise<ServiceChange> {
    const found = orNotFound(await this.deps.em.findOne(ServiceChange, { id }), 'service_change', id);
    if (serviceId && found.serviceId !== serviceId) orNotFound(null, 'service_change', id);
    return this.deps.em.transactional(async (tx) => {
      await this.#locked(tx, found.serviceId);
      const change = orNotFound(await tx.findOne(ServiceChange, { id }, { ...LOCKED, refresh: true }), 'service_change', id);
      change.moveTo(ServiceChangeStatus.CANCELLED, this.deps.clock.now());
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

  #newDecommission(tx: EntityManager, { id: serviceId, organizationId }: Service, now: Date): ServiceChange {
    const history = [{ from: null, to: ServiceChangeStatus.ACKNOWLEDGED, at: now.toISOString(), reason: null }];
    const change = Object.assign(new ServiceChange(), {
      id: newId('serviceChange'),
      organizationId,
      serviceId,
      kind: ServiceChangeKind.DECOMMISSION,
      effectiveAt: now,
      requestedBy: this.deps.request.principal.id,
      history,
      createdAt: now,
      updatedAt: now,
    });
    tx.persist(change);
    return change;
  }
}

const stored = ({ required, destination, verification }: DataMigration): DataMigration => ({
  required,
  destination: destination ?? null,
  verification,
});
