import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { withFieldNames } from '../../../kernel/errors/field-names.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import { priceOf } from '../inventory/price-line.ts';
import { Service } from '../inventory/service.entity.ts';
import { isInService, type ServiceType } from '../inventory/service.states.ts';
import type { ServicePatch } from '../inventory/service-terms.ts';
import { checkNotInMaintenance } from '../maintenance/maintenance.errors.ts';
import { MaintenanceImpact } from '../maintenance/maintenance-window.states.ts';
import { type MaintenanceTimes, maintenanceTimes } from '../maintenance/maintenance-window.values.ts';
import { type PlannedMaintenance, planMaintenance } from '../maintenance/maintenance-windows.ts';
import { type ChangePreview, problemsOf } from '../previews/preview.types.ts';
import { applyChange, type ChangeableService, changeable, concernsProvider, readsOf } from './change-application.ts';
import type { Agreement, PlannedChange } from './change-plan.ts';
import { enqueueChanges } from './converge-queue.ts';
import type { FeatureSelection } from './feature-selection.ts';
import { newChange } from './new-service-change.ts';
import { isDue, openChanges } from './open-changes.ts';
import { changePatch, checkedChange, checkRoom, expected, featurePatch } from './planned-change.ts';
import { SIZE_FIELDS, sizePatch } from './scaling.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { ServiceNotChangeable } from './service-change.errors.ts';
import { ServiceChangeKind } from './service-change.states.ts';
import type { ScalingInput, ServiceChangeInput, ServiceUpdateInput } from './service-update.inputs.ts';

export interface ServiceUpdateDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
}

/** Restrictions of an update: the kind of service, and the revision that the caller has seen. */
export interface UpdateTarget {
  type?: ServiceType | null | undefined;
  expectedRevision?: number | null | undefined;
}

/** A change to order: its kind, its date, and the new values for the terms that it will change. */
interface WantedChange {
  kind: ServiceChangeKind;
  effectiveAt?: Date | null | undefined;
  /** Maintenance during which the change is made. */
  maintenance?: MaintenanceTimes | null;
  /** Bulk that orders the change. */
  bulkId?: string;
  patchOf(before: Agreement, subject: ChangeableService): ServicePatch;
}

/** A change that has passed all checks, and the values from which it was computed. */
interface CheckedChange {
  subject: ChangeableService;
  open: readonly ServiceChange[];
  before: Agreement;
  patch: ServicePatch;
  plan: PlannedChange;
  isLater: boolean;
  now: Date;
}

/**
 * Changes services: their terms, settings, features and size (specification 4.3). Each change is a record. A job applies changes that the
 * provider must make, and changes that wait for an earlier change, one after another. All other due changes are applied immediately.
 */
export class ServiceUpdateService {
  constructor(private readonly deps: ServiceUpdateDeps) {}

  /**
   * Changes the terms of a service, and returns the service. The service still has the old terms if the provider must make the change, or
   * if an earlier change must be completed first.
   * @throws ResourceNotFound, StaleResource, ServiceNotChangeable, ServiceInMaintenance, TooManyChanges
   * @throws InvalidParameters, InsufficientBandwidth, and other errors of an order
   */
  async update(id: string, { bandwidth, ...others }: ServiceUpdateInput, target: UpdateTarget = {}): Promise<Service> {
    const patch = { ...definedOnly(others), ...(bandwidth && { bandwidthMbps: mbpsOf(bandwidth) }) } as ServicePatch;
    return (await this.#order(id, { kind: ServiceChangeKind.MODIFICATION, patchOf: () => patch }, target)).service;
  }

  /**
   * Changes terms and features of a service as part of a bulk. `change` is null if the service already has the new terms.
   * @throws the errors of `update` and `setFeatures`
   */
  modify(id: string, input: ServiceChangeInput, bulkId: string): Promise<{ service: Service; change: ServiceChange | null }> {
    return this.#order(id, { kind: ServiceChangeKind.MODIFICATION, patchOf: changePatch(input), bulkId }, {});
  }

  /** Changes settings that are specific to the kind of service. @throws the errors of `update` */
  async configure(id: string, configuration: Record<string, unknown>, target: UpdateTarget = {}): Promise<Service> {
    return (await this.#order(id, { kind: ServiceChangeKind.CONFIGURATION, patchOf: () => ({ configuration }) }, target)).service;
  }

  /** Switches features on or off. @throws FeatureNeedsOthers, and the errors of `update` */
  async setFeatures(id: string, selection: FeatureSelection, target: UpdateTarget = {}): Promise<Service> {
    const patchOf: WantedChange['patchOf'] = ({ terms }) => featurePatch(terms.features, selection);
    return (await this.#order(id, { kind: ServiceChangeKind.FEATURES, patchOf }, target)).service;
  }

  /**
   * Changes the size of a service, now or at a date.
   * @throws AlreadyScaling if another scaling waits for its date, and the errors of `update`
   */
  async scale(id: string, input: ScalingInput, target: UpdateTarget = {}): Promise<ServiceChange> {
    const patchOf: WantedChange['patchOf'] = ({ terms }, subject) => sizePatch(subject, terms, input);
    const { effectiveDate, maintenanceWindow } = input;
    const maintenance = maintenanceWindow ? maintenanceTimes(maintenanceWindow, effectiveDate) : null;
    const effectiveAt = maintenance?.effectiveAt ?? effectiveDate;
    const wanted = { kind: ServiceChangeKind.SCALING, effectiveAt, maintenance, patchOf };
    const { change } = await this.#order(id, wanted, target).catch(withFieldNames(SIZE_FIELDS));
    if (!change) throw new Error('A scaling always changes the size.');
    return change;
  }

  /**
   * Returns the effect of a change of terms and features, or the reason why it would be refused. Stores nothing.
   * Returns null if the service does not exist.
   */
  async preview(id: string, input: ServiceChangeInput): Promise<ChangePreview | null> {
    const wanted = { kind: ServiceChangeKind.MODIFICATION, patchOf: changePatch(input) };
    try {
      const { subject, before, plan } = await this.deps.em.transactional((tx) => this.#planned(tx, id, wanted, {}));
      const { currency } = subject.offer.service;
      const monthlyPrice = priceOf(plan.priceLines, currency);
      const priceDifference = monthlyPrice.minus(priceOf(before.priceLines, currency));
      return { problems: [], changes: plan.changes, monthlyPrice, priceDifference };
    } catch (error) {
      if (error instanceof ResourceNotFound) return null;
      return { problems: problemsOf(error), changes: null, monthlyPrice: null, priceDifference: null };
    }
  }

  #order(id: string, wanted: WantedChange, target: UpdateTarget): Promise<{ service: Service; change: ServiceChange | null }> {
    return this.deps.em.transactional(async (tx) => {
      const { subject, open, before, patch, plan, isLater, now } = await this.#planned(tx, id, wanted, target);
      const { service } = subject;
      if (Object.keys(plan.changes).length === 0) return { service, change: null };
      const change = this.#newChange(tx, subject, { wanted, before, patch, plan }, now);
      if (wanted.maintenance) await planMaintenance(tx, service, maintenanceOf(change, wanted.maintenance), now);
      if (isLater) change.applyDueAt = change.effectiveAt;
      else if (open.some(isDue)) service.revise(now);
      else if (concernsProvider(service, plan)) await this.#enqueue(tx, service, now);
      else await applyChange(tx, subject, change, plan, now);
      return { service, change };
    });
  }

  /** Locks the service, computes the result of a change, and checks it. */
  async #planned(tx: EntityManager, id: string, wanted: WantedChange, { type, expectedRevision }: UpdateTarget): Promise<CheckedChange> {
    const service = orNotFound(await tx.findOne(Service, { id, ...(type && { type }) }, LOCKED), 'service', id);
    requireRevision(service, expectedRevision);
    const now = this.deps.clock.now();
    const isLater = wanted.effectiveAt ? wanted.effectiveAt > now : false;
    await checkCanChange(tx, service, isLater, now);
    const subject = await changeable(tx, service);
    const open = await openChanges(tx, id);
    const before = expected(subject, open);
    const patch = wanted.patchOf(before, subject);
    const plan = await checkedChange(readsOf(tx), subject, before, patch);
    if (Object.keys(plan.changes).length > 0) checkRoom(service, open, wanted.kind, isLater);
    return { subject, open, before, patch, plan, isLater, now };
  }

  async #enqueue(tx: EntityManager, service: Service, now: Date): Promise<void> {
    service.revise(now);
    await enqueueChanges(this.deps.jobs, tx, service);
  }

  #newChange(
    tx: EntityManager,
    { service, offer }: ChangeableService,
    { wanted, before, patch, plan }: { wanted: WantedChange; before: Agreement; patch: ServicePatch; plan: PlannedChange },
    now: Date,
  ): ServiceChange {
    const { currency } = offer.service;
    const change = newChange(service, wanted.kind, this.deps.request.principal.id, now);
    Object.assign(change, {
      effectiveAt: wanted.effectiveAt ?? now,
      bulkId: wanted.bulkId ?? null,
      wanted: patch,
      priceLines: plan.priceLines,
      changes: plan.changes,
      priceDifference: priceOf(plan.priceLines, currency).minus(priceOf(before.priceLines, currency)),
    });
    tx.persist(change);
    return change;
  }
}

const maintenanceOf = ({ id, changes }: ServiceChange, { startsAt, endsAt }: MaintenanceTimes): PlannedMaintenance => ({
  startsAt,
  endsAt,
  title: null,
  description: `Change of ${Object.keys(changes ?? {})
    .filter((name) => name !== 'monthly_price')
    .join(', ')}`,
  impact: MaintenanceImpact.DOWN,
  serviceChangeId: id,
});

/**
 * Checks that a service can be changed now.
 * @throws ServiceNotChangeable, ServiceInMaintenance
 */
async function checkCanChange(tx: EntityManager, service: Service, isLater: boolean, now: Date): Promise<void> {
  if (!isLater) await checkNotInMaintenance(tx, service, now);
  if (!isInService(service.status)) throw new ServiceNotChangeable(service);
}
