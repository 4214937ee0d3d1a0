import type { FilterQuery } from '@mikro-orm/core';
import { PLANS } from '../../../kernel/access/plans.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, refuse } from '../../../kernel/errors/errors.ts';
import { recordAll } from '../../../kernel/events/outbox.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { Alert } from './alert.entity.ts';
import { NobodyToNotify, TooManyAlerts, TooManyTests } from './alert.errors.ts';
import { alertResolved, alertUpdated } from './alert.events.ts';
import type { AlertCreateInput, AlertFilter, AlertSilenceInput, AlertUpdateInput } from './alert.inputs.ts';
import { leastInterval, settingProblems, unusedLimits } from './alert.rules.ts';
import { AlertReason, AlertState } from './alert.states.ts';
import { INTERVAL_DEFAULT } from './alert-fields.ts';
import { AlertInstance } from './alert-instance.entity.ts';
import type { AlertMails } from './alert-mail.job.ts';

const SILENCE_DAYS = 31;
/** Maximum number of test notifications that an organization can request per hour. */
const TESTS_PER_HOUR = 20;

export interface AlertServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  services: ServiceAccounts;
  mails: AlertMails;
}

/** Manages the alerts of the caller's organization (specification 4.6). `AlertEvaluation` evaluates them. */
export class AlertService {
  constructor(private readonly deps: AlertServiceDeps) {}

  /** Lists the alerts that the caller may see, newest first. */
  list({ state, severity, serviceId, metric }: AlertFilter, page: PageInput): Promise<Page<Alert>> {
    const where = matching<Alert>({ state, severity, serviceId, metric }) as FilterQuery<Alert>;
    return listPage(this.deps.em, Alert, { where, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Creates an alert, which is evaluated immediately.
   * @throws ResourceNotFound for a service that the caller may not see
   * @throws InvalidParameters if a caller who is limited to accounts names no service
   * @throws TooManyAlerts
   */
  async create({ serviceId = null, intervalSeconds, labels, groupBy, notify, ...input }: AlertCreateInput): Promise<Alert> {
    const { em, clock, request } = this.deps;
    const { organizationId, plan } = request.principal;
    const accountId = await this.#accountOf(serviceId);
    const now = clock.now();
    return em.transactional(async (tx) => {
      await advisoryLock(tx, `monitoring.alerts:${organizationId}`);
      const limit = PLANS[plan].alerts;
      // callers who are limited to accounts share the limit of the organization
      if ((await tx.count(Alert, { organizationId }, EVERYWHERE)) >= limit) throw new TooManyAlerts(limit);
      const alert = Object.assign(new Alert(), definedOnly(input), {
        ...{ id: newId('alert'), organizationId, accountId, serviceId },
        ...{ labels: labels ?? [], groupBy: groupBy ?? [], notify: notify ?? [] },
        intervalSeconds: intervalSeconds ?? Math.max(INTERVAL_DEFAULT, leastInterval(input.windowSeconds)),
        ...{ stateSince: now, dueAt: now, createdAt: now, updatedAt: now },
      });
      tx.persist(alert);
      return alert;
    });
  }

  /**
   * Changes an alert, which is evaluated immediately and keeps its state until then. `expected` is the revision that the caller has seen.
   * @throws ResourceNotFound, StaleResource, InvalidParameters
   */
  update(id: string, input: AlertUpdateInput, expected?: number | null): Promise<Alert> {
    return this.#changing(id, async (_, alert, now) => {
      requireRevision(alert, expected);
      const { condition } = input;
      // a new condition removes the limits that it does not have
      const given = { ...(condition && unusedLimits(condition)), ...definedOnly(input) };
      refuse(settingProblems({ ...alert, ...given }));
      return Object.assign(alert, given, { updatedAt: now, dueAt: now });
    });
  }

  /**
   * Deletes an alert and its history. Recipients who were notified that the alert fires get a notification that it has ended.
   * @throws ResourceNotFound
   */
  delete(id: string): Promise<Alert> {
    return this.#changing(id, async (tx, alert, now) => {
      const instances = await tx.find(AlertInstance, { alertId: id });
      await recordAll(
        tx,
        instances
          .filter(({ notifiedAt }) => notifiedAt !== null)
          .map((instance) =>
            alertResolved(
              alert,
              {
                instance: { ...instance, state: AlertState.OK, since: now },
                ...{ previousState: instance.state, reason: AlertReason.DELETED, isRepeated: false, suppressedBy: null },
              },
              now,
              AlertState.OK,
            ),
          ),
      );
      tx.remove(alert);
      return alert;
    });
  }

  /**
   * Silences the notifications of an alert until a given time. The evaluation continues.
   * @throws ResourceNotFound; InvalidParameters for a time that is too far ahead
   */
  silence(id: string, { until, comment }: AlertSilenceInput): Promise<Alert> {
    const latest = this.deps.clock.now().getTime() + SILENCE_DAYS * DAY_MS;
    refuse(
      until && until.getTime() > latest ? [{ field: 'until', value: until, reason: `must be at most ${SILENCE_DAYS} days ahead` }] : [],
    );
    return this.#changing(id, async (tx, alert, now) => {
      const isOn = until ? until > now : false;
      Object.assign(alert, {
        silencedUntil: isOn ? until : null,
        silencedBy: isOn ? this.deps.request.principal.id : null,
        silenceComment: isOn ? (comment ?? null) : null,
        updatedAt: now,
      });
      await recordAll(tx, [alertUpdated(alert, null, now)]);
      return alert;
    });
  }

  /**
   * Acknowledges the instances that fire now, so that their notifications are not repeated. Instances that are already acknowledged do not
   * change. Changes nothing if no instance fires.
   * @throws ResourceNotFound
   */
  acknowledge(id: string): Promise<Alert> {
    return this.#changing(id, async (tx, alert, now) => {
      const state = { $in: [AlertState.FIRING, AlertState.RECOVERING] };
      const instances = await tx.find(AlertInstance, { alertId: id, state });
      const fresh = instances.filter(({ acknowledgedAt }) => acknowledgedAt === null);
      for (const instance of fresh) Object.assign(instance, { acknowledgedAt: now, acknowledgedBy: this.deps.request.principal.id });
      if (fresh.length === 0) return alert;
      alert.updatedAt = now;
      await recordAll(tx, [alertUpdated(alert, null, now)]);
      return alert;
    });
  }

  /**
   * Sends a test notification to the recipients of an alert.
   * @throws ResourceNotFound, NobodyToNotify, TooManyTests
   */
  test(id: string): Promise<Alert> {
    return this.#changing(id, async (tx, alert, now) => {
      const { organizationId, notify, value } = alert;
      if (notify.length === 0) throw new NobodyToNotify();
      const since = (ms: number): Date => new Date(now.getTime() - ms);
      await advisoryLock(tx, `monitoring.alert-tests:${organizationId}`);
      const tested = await tx.count(Alert, { organizationId, testedAt: { $gt: since(HOUR_MS) } }, EVERYWHERE);
      if ((alert.testedAt && alert.testedAt > since(MINUTE_MS)) || tested >= TESTS_PER_HOUR) throw new TooManyTests();
      alert.testedAt = now;
      const content = { kind: 'test' as const, instances: [{ serviceId: null, labels: {}, value }], total: 1, at: now.toISOString() };
      await this.deps.mails.enqueue(
        tx,
        notify.map((to) => ({ organizationId, alertId: id, to, ...content })),
      );
      return alert;
    });
  }

  #changing(id: string, act: (tx: EntityManager, alert: Alert, now: Date) => Promise<Alert>): Promise<Alert> {
    return this.deps.em.transactional(
      async (tx) => act(tx, orNotFound(await tx.findOne(Alert, { id }, LOCKED), 'alert', id), this.deps.clock.now()),
      { clear: true },
    );
  }

  /** Returns the account of a service. Null if the alert has no service. */
  async #accountOf(serviceId: string | null): Promise<string | null> {
    const { principal } = this.deps.request;
    if (serviceId !== null) return orNotFound((await this.deps.services.find(principal, [serviceId])).get(serviceId), 'service', serviceId);
    if (principal.accounts)
      throw new InvalidParameters([{ field: 'serviceId', reason: 'is required, because you have access to some accounts only' }]);
    return null;
  }
}
