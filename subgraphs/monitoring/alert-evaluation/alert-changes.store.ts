import type { EntityManager } from '../../../kernel/database/database.ts';
import type { AlertReason, AlertState } from '../alerts/alert.states.ts';
import type { AlertInstance } from '../alerts/alert-instance.entity.ts';

/** New state of an alert after an evaluation. */
export interface EvaluatedAlert {
  id: string;
  dueAt: Date;
  state: AlertState;
  value: number | null;
  problem: string | null;
  mailHourAt: Date | null;
  mailsSent: number;
  mailsHeld: number;
}

/** A state transition of an alert instance, to be stored. */
export interface NewTransition {
  id: string;
  instance: AlertInstance;
  from: AlertState;
  to: AlertState;
  reason: AlertReason;
}

/** Changes of one or more alerts and their instances by an evaluation. */
export interface AlertChanges {
  alerts: readonly EvaluatedAlert[];
  /** Instances to insert or update. */
  stored: readonly AlertInstance[];
  /** Ids of instances whose state is OK again. Their rows are deleted. */
  ended: readonly string[];
  transitions: readonly NewTransition[];
}

/** Stores the changes of an evaluation, with one statement for each table. */
export async function storeChanges(tx: EntityManager, { alerts, stored, ended, transitions }: AlertChanges, now: Date): Promise<void> {
  const at = now.toISOString();
  if (ended.length > 0) await tx.execute('delete from "monitoring"."alert_instance" where "id" = any(?::text[])', [`{${ended.join()}}`]);
  if (stored.length > 0) await tx.execute(STORE_INSTANCES, [JSON.stringify(stored.map(instanceRow)), at]);
  if (transitions.length > 0) await tx.execute(STORE_TRANSITIONS, [at, JSON.stringify(transitions.map(transitionRow))]);
  const rows = alerts.map(({ dueAt, mailHourAt, mailsSent, mailsHeld, ...alert }) => ({
    ...{ ...alert, value: finite(alert.value), due_at: dueAt },
    ...{ mail_hour_at: mailHourAt, mails_sent: mailsSent, mails_held: mailsHeld },
  }));
  await tx.execute(STORE_ALERTS, [at, JSON.stringify(rows)]);
}

/** Returns null for an infinite number, because JSON has no infinity. */
export const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

const instanceRow = (instance: AlertInstance) => ({
  id: instance.id,
  organization_id: instance.organizationId,
  alert_id: instance.alertId,
  digest: instance.digest,
  service_id: instance.serviceId,
  labels: instance.labels,
  state: instance.state,
  since: instance.since,
  value: finite(instance.value),
  pending_since: instance.pendingSince,
  recovering_since: instance.recoveringSince,
  no_data_since: instance.noDataSince,
  fired_at: instance.firedAt,
  notified_at: instance.notifiedAt,
  acknowledged_at: instance.acknowledgedAt,
  acknowledged_by: instance.acknowledgedBy,
  sequence: instance.sequence,
});

const transitionRow = ({ id, instance, from, to, reason }: NewTransition) => ({
  id,
  organization_id: instance.organizationId,
  alert_id: instance.alertId,
  instance_id: instance.id,
  sequence: instance.sequence,
  service_id: instance.serviceId,
  labels: instance.labels,
  from_state: from,
  to_state: to,
  reason,
  value: finite(instance.value),
});

/** Columns of an alert instance that evaluations change. */
const CHANGING = [
  'state',
  'since',
  'value',
  'pending_since',
  'recovering_since',
  'no_data_since',
  'fired_at',
  'notified_at',
  'acknowledged_at',
  'acknowledged_by',
  'sequence',
];
const INSTANCE_COLUMNS = ['id', 'organization_id', 'alert_id', 'digest', 'service_id', 'labels', ...CHANGING].map((name) => `"${name}"`);

const STORE_INSTANCES = `
  insert into "monitoring"."alert_instance" (${INSTANCE_COLUMNS.join(', ')}, "created_at")
  select ${INSTANCE_COLUMNS.map((name) => `g.${name}`).join(', ')}, at."now" from json_to_recordset(?::json) as g("id" text, "organization_id" text,
    "alert_id" text, "digest" text, "service_id" text, "labels" jsonb, "state" text, "since" timestamptz, "value" float8,
    "pending_since" timestamptz, "recovering_since" timestamptz, "no_data_since" timestamptz, "fired_at" timestamptz, "notified_at" timestamptz,
    "acknowledged_at" timestamptz, "acknowledged_by" text, "sequence" int)
  cross join (select ?::timestamptz as "now") at
  on conflict ("id") do update set ${CHANGING.map((name) => `"${name}" = excluded."${name}"`).join(', ')}`;

const STORE_TRANSITIONS = `
  insert into "monitoring"."alert_transition" ("id", "organization_id", "alert_id", "instance_id", "sequence", "service_id", "labels",
    "from_state", "to_state", "reason", "value", "created_at")
  select g.*, ?::timestamptz from json_to_recordset(?::json) as g("id" text, "organization_id" text, "alert_id" text, "instance_id" text,
    "sequence" int, "service_id" text, "labels" jsonb, "from_state" text, "to_state" text, "reason" text, "value" float8)`;

const STORE_ALERTS = `
  update "monitoring"."alert" a set "evaluated_at" = at."now", "due_at" = g."due_at", "state" = g."state", "value" = g."value",
    "problem" = g."problem", "mail_hour_at" = g."mail_hour_at", "mails_sent" = g."mails_sent", "mails_held" = g."mails_held",
    "state_since" = case when a."state" = g."state" then a."state_since" else at."now" end
  from (select ?::timestamptz as "now") at,
    json_to_recordset(?::json) as g("id" text, "due_at" timestamptz, "state" text, "value" float8, "problem" text,
      "mail_hour_at" timestamptz, "mails_sent" int, "mails_held" int)
  where a."id" = g."id"`;
