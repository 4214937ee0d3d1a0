import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { DomainEvent } from '../../../kernel/events/events.ts';
import { recordAll } from '../../../kernel/events/outbox.ts';
import type { Sweep } from '../../../kernel/records/due.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import { Alert } from '../alerts/alert.entity.ts';
import { alertFiring, alertResolved, alertUpdated } from '../alerts/alert.events.ts';
import { AlertState, AlertSuppression, worstOf } from '../alerts/alert.states.ts';
import { AlertInstance } from '../alerts/alert-instance.entity.ts';
import type { AlertMailJob, AlertMails } from '../alerts/alert-mail.job.ts';
import { type AlertChanges, type EvaluatedAlert, finite, storeChanges } from './alert-changes.store.ts';
import { type InstanceKey, type InstanceStep, type Suppression, stepOf } from './alert-instances.ts';
import { mailStep } from './alert-mail-limit.ts';
import { type AlertPlan, planOf, readingsOf } from './alert-plan.ts';
import { readMinutes, readSamples } from './alert-readings.store.ts';
import { nextEvaluation } from './alert-schedule.ts';
import { seriesOf } from './alert-series.store.ts';
import type { Reading } from './alert-verdict.ts';
import type { MaintainedServices } from './maintained-services.ts';

/** Delay between a time and its evaluation, so that samples that arrive a few seconds late do not seem to be missing. */
const DELAY_MS = 10_000;
/** Time after which an alert of a closed organization is checked again. */
const CLOSED_MS = HOUR_MS;
/** Time after which a failed evaluation of an alert is repeated. */
const POSTPONE_MS = MINUTE_MS;
const EVENTS_PER_STATEMENT = 500;

export interface AlertEvaluationDeps extends Pick<Ports, 'orm' | 'rows' | 'clock' | 'log' | 'isClosed'> {
  maintained: MaintainedServices;
  mails: AlertMails;
}

/** Result of the evaluation of one alert, before it is stored. */
interface AlertStep {
  alert: Alert;
  evaluated: EvaluatedAlert;
  instances: InstanceStep[];
  mails: AlertMailJob[];
}

/**
 * Evaluates due alerts in batches: a few statements read the data of all alerts, and a few statements store the changes. Each transition is
 * stored together with its event and its mails, while the alert is locked. So each transition happens once, even with several processes.
 */
export class AlertEvaluation {
  constructor(private readonly deps: AlertEvaluationDeps) {}

  readonly sweep: Sweep = async (now, limit) => {
    await this.#putOffClosed(now, limit);
    try {
      return await this.#evaluateDue(now, limit);
    } catch (error) {
      this.deps.log.error({ err: error }, 'alerts could not be evaluated together, and are evaluated one by one');
      return this.#evaluateEach(now, limit);
    }
  };

  /** Evaluates at most `limit` due alerts. Returns `limit` if more alerts may be due. */
  async #evaluateDue(now: Date, limit: number, only?: string): Promise<number> {
    const unknown = new Set<string>();
    const count = await this.deps.orm.em.fork().transactional((tx) => this.#evaluate(tx, now, limit, unknown, only));
    for (const organizationId of unknown) await this.deps.maintained.lookUp(organizationId);
    // alerts that were left because of an unknown maintenance are still due
    return unknown.size > 0 ? limit : count;
  }

  /** Evaluates due alerts one by one, so that an alert with an error does not stop the other alerts. Alerts with errors are postponed. */
  async #evaluateEach(now: Date, limit: number): Promise<number> {
    const { rows, log } = this.deps;
    const due = await rows.query<{ id: string }>('select "id" from "monitoring"."alert" where "due_at" <= $1 order by "due_at" limit $2', [
      now,
      limit,
    ]);
    for (const { id } of due) {
      try {
        await this.#evaluateDue(now, 1, id);
      } catch (error) {
        log.error({ err: error, alert: id }, 'an alert could not be evaluated and will be retried');
        const later = new Date(now.getTime() + POSTPONE_MS);
        await rows.query('update "monitoring"."alert" set "due_at" = $1 where "id" = $2 and "due_at" <= $3', [later, id, now]);
      }
    }
    return due.length;
  }

  async #evaluate(tx: EntityManager, now: Date, limit: number, unknown: Set<string>, only?: string): Promise<number> {
    const where = { dueAt: { $lte: now }, ...(only !== undefined && { id: only }) };
    const lock = { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const;
    const alerts = await tx.find(Alert, where, { ...EVERYWHERE, ...lock, orderBy: { dueAt: 'asc' }, limit });
    if (alerts.length === 0) return 0;
    const known = await tx.find(AlertInstance, { alertId: { $in: alerts.map(({ id }) => id) } }, EVERYWHERE);
    // the evaluation stores its results with SQL
    tx.clear();
    const plans = await plansOf(tx, alerts, now);
    const readings = await readAll(tx, plans);
    const byAlert = Map.groupBy(known, ({ alertId }) => alertId);
    const steps = plans.flatMap((plan, index) => {
      const suppression = this.#suppressionOf(plan.alert, now);
      const step = alertStep(plan, readings[index] ?? [], byAlert.get(plan.alert.id) ?? [], suppression, now);
      if (!step) unknown.add(plan.alert.organizationId);
      return step ?? [];
    });
    if (steps.length > 0) await this.#store(tx, steps, now);
    return alerts.length;
  }

  #suppressionOf(alert: Alert, now: Date): Suppression {
    const { organizationId } = alert;
    return ({ serviceId: own }: InstanceKey) => {
      if (alert.isSilenced(now)) return AlertSuppression.SILENCE;
      const serviceId = alert.serviceId ?? own;
      if (serviceId === null) return null;
      const services = this.deps.maintained.of(organizationId);
      return services && (services.has(serviceId) ? AlertSuppression.MAINTENANCE : null);
    };
  }

  async #store(tx: EntityManager, steps: readonly AlertStep[], now: Date): Promise<void> {
    await storeChanges(tx, changesOf(steps), now);
    const events = steps.flatMap((step) => eventsOf(step, now));
    for (let at = 0; at < events.length; at += EVENTS_PER_STATEMENT) await recordAll(tx, events.slice(at, at + EVENTS_PER_STATEMENT));
    await this.deps.mails.enqueue(
      tx,
      steps.flatMap(({ mails }) => mails),
    );
  }

  /** Postpones the due alerts of closed organizations. */
  async #putOffClosed(now: Date, limit: number): Promise<void> {
    const { rows, isClosed } = this.deps;
    if (!isClosed) return;
    const due = await rows.query<{ organization_id: string }>(
      `select distinct "organization_id" from
         (select "organization_id" from "monitoring"."alert" where "due_at" <= $1 order by "due_at" limit $2) d`,
      [now, limit],
    );
    for (const { organization_id: organizationId } of due) {
      if (!(await isClosed(organizationId))) continue;
      const later = new Date(now.getTime() + CLOSED_MS);
      await rows.query('update "monitoring"."alert" set "due_at" = $1 where "organization_id" = $2 and "due_at" <= $3', [
        later,
        organizationId,
        now,
      ]);
    }
  }
}

async function plansOf(tx: EntityManager, alerts: readonly Alert[], now: Date): Promise<AlertPlan[]> {
  const at = new Date(now.getTime() - DELAY_MS);
  const watched = await seriesOf(tx, alerts, now);
  return alerts.map((alert, index) => planOf(alert, watched[index] as (typeof watched)[number], at));
}

/** Reads the values for all plans: short windows with one statement, and long windows with another statement. */
async function readAll(tx: EntityManager, plans: readonly AlertPlan[]): Promise<Reading[][]> {
  const rangesOf = (isLong: boolean) => plans.filter((plan) => plan.isLong === isLong).flatMap(({ ranges }) => ranges);
  const short = await readSamples(tx, rangesOf(false));
  const long = await readMinutes(tx, rangesOf(true));
  return plans.map((plan) => readingsOf(plan, (plan.isLong ? long : short).splice(0, plan.ranges.length)));
}

/** Returns the result of an evaluation for an alert. Undefined if the platform must first look up whether a service is in maintenance. */
function alertStep(
  { alert, instances, problem }: AlertPlan,
  readings: readonly Reading[],
  known: readonly AlertInstance[],
  suppression: Suppression,
  now: Date,
): AlertStep | undefined {
  const byDigest = new Map(known.map((instance) => [instance.digest, instance]));
  const planned = new Set(instances.map(({ digest }) => digest));
  const all = [
    ...instances.map(({ key, digest }, index) =>
      stepOf(alert, key, byDigest.get(digest) ?? null, readings[index] ?? null, suppression, now),
    ),
    ...known.filter(({ digest }) => !planned.has(digest)).map((gone) => stepOf(alert, gone, gone, null, suppression, now)),
  ];
  if (all.includes(undefined)) return undefined;
  const steps = all.filter((step) => step !== null && step !== undefined);
  const mailing = mailStep(alert, steps, suppression, now);
  if (!mailing) return undefined;
  const { mails, ...count } = mailing;
  const [only] = alert.groupBy.length === 0 ? readings : [];
  const evaluated = {
    id: alert.id,
    dueAt: nextEvaluation(alert.id, alert.intervalSeconds, now),
    state: worstOf(steps.map(({ instance }) => instance.state)),
    value: only?.value ?? null,
    problem,
    ...count,
  };
  return { alert, evaluated, instances: steps, mails };
}

function changesOf(steps: readonly AlertStep[]): AlertChanges {
  const all = steps.flatMap(({ instances }) => instances);
  const isOver = ({ instance }: InstanceStep): boolean => instance.state === AlertState.OK;
  return {
    alerts: steps.map(({ evaluated }) => evaluated),
    stored: all.filter((step) => step.isChanged && !isOver(step)).map(({ instance }) => instance),
    ended: all.filter((step) => isOver(step) && !step.isNew).map(({ instance }) => instance.id),
    transitions: all.flatMap(({ instance, from, reason }) =>
      instance.state === from ? [] : [{ id: newId('alertTransition'), instance, from, to: instance.state, reason }],
    ),
  };
}

/** Returns the events of an alert: one for each transition, and for each notification without a transition. */
function eventsOf({ alert, evaluated, instances }: AlertStep, now: Date): DomainEvent[] {
  return instances.flatMap(({ instance, from, reason, notification, suppressedBy }) => {
    if (instance.state === from && notification === null) return [];
    const event = notification === null ? alertUpdated : notification === 'resolved' ? alertResolved : alertFiring;
    const shown = { ...instance, value: finite(instance.value) };
    const change = { instance: shown, previousState: from, reason, isRepeated: notification === 'repeated', suppressedBy };
    return [event(alert, change, now, evaluated.state)];
  });
}
