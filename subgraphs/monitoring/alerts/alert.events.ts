import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { Aggregation } from '../charts/chart.states.ts';
import type { Alert } from './alert.entity.ts';
import { AlertCondition, AlertReason, AlertSeverity, AlertState, AlertSuppression } from './alert.states.ts';
import type { AlertInstance } from './alert-instance.entity.ts';

/** The alert instance that an event is about, and its change. */
export interface InstanceChange {
  instance: Pick<AlertInstance, 'id' | 'serviceId' | 'labels' | 'value' | 'since' | 'firedAt' | 'acknowledgedAt'> & { state: AlertState };
  /** State before the change. It equals the present state if the event only reports a later or repeated notification. */
  previousState: AlertState;
  reason: AlertReason;
  isRepeated: boolean;
  /** Reason why no notification is sent for a firing instance. Null if notifications are sent. */
  suppressedBy: AlertSuppression | null;
}

const alertPayload = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  severity: z.enum(AlertSeverity),
  state: z.enum(AlertState).describe('Worst state of the instances.'),
  service_id: z.string().nullable(),
  account_id: z.string().nullable(),
  metric: z.string(),
  labels: z.array(z.string()),
  group_by: z.array(z.string()),
  aggregation: z.enum(Aggregation).nullable().describe('Null: rate for a counter, otherwise avg.'),
  condition: z.enum(AlertCondition),
  threshold: z.number().nullable(),
  lower_threshold: z.number().nullable(),
  window_seconds: z.number(),
  open_incident: z.boolean().describe('Whether the alert opens an incident when it fires.'),
  open_ticket: z
    .enum(TicketPriority)
    .nullable()
    .describe('Priority of the support ticket that the alert opens when it fires. Null: it opens none.'),
  silenced_until: timestamp.nullable(),
});

const instancePayload = z
  .strictObject({
    id: z
      .string()
      .describe(
        'Id of the instance. It stays the same from the time when the instance leaves the state ok until it returns to this state.',
      ),
    service_id: z.string().nullable(),
    labels: z.record(z.string(), z.string()).describe('Values of the labels by which the alert groups series, by name of the label.'),
    state: z.enum(AlertState),
    previous_state: z.enum(AlertState),
    reason: z.enum(AlertReason),
    value: z.number().nullable().describe('Null without samples.'),
    since: timestamp.describe('When the instance entered this state.'),
    fired_at: timestamp.nullable().describe('When the instance began to fire.'),
    acknowledged_at: timestamp.nullable(),
    is_repeated: z.boolean().describe('True if people were notified before, and nobody has acknowledged the instance.'),
    suppressed_by: z.enum(AlertSuppression).nullable().describe('Why nobody is notified that the instance fires.'),
  })
  .nullable()
  .describe('The instance whose state changed. Null if the alert was acknowledged or silenced.');

const alertExample: z.input<typeof alertPayload> = {
  id: 'alrt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  name: 'High latency',
  description: 'Call the carrier.',
  severity: AlertSeverity.CRITICAL,
  state: AlertState.FIRING,
  service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  metric: 'latency_ms',
  labels: [],
  group_by: [],
  aggregation: null,
  condition: AlertCondition.ABOVE,
  threshold: 100,
  lower_threshold: null,
  window_seconds: 300,
  open_incident: false,
  open_ticket: null,
  silenced_until: null,
};

const instanceExample: z.input<typeof instancePayload> = {
  id: 'alinst_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  service_id: null,
  labels: {},
  state: AlertState.FIRING,
  previous_state: AlertState.PENDING,
  reason: AlertReason.VALUE,
  value: 184.2,
  since: '2026-01-31T14:02:11.000Z',
  fired_at: '2026-01-31T14:02:11.000Z',
  acknowledged_at: null,
  is_repeated: false,
  suppressed_by: null,
};

const family = 'monitoring';
const data = z.strictObject({ alert: alertPayload, instance: instancePayload });

export const alertFiring = defineEvent(
  {
    name: 'alert.firing',
    family,
    description:
      'An alert fires, and people are notified. It is sent again after `repeat_every_seconds` if nobody has acknowledged it, and after a silence or maintenance if the alert still fires.',
    data,
    example: { alert: alertExample, instance: instanceExample },
  },
  draft,
);

export const alertResolved = defineEvent(
  {
    name: 'alert.resolved',
    family,
    description: 'An alert no longer fires, after people had been notified that it fired.',
    data,
    example: {
      alert: { ...alertExample, state: AlertState.OK },
      instance: {
        ...instanceExample,
        state: AlertState.OK,
        previous_state: AlertState.RECOVERING,
        value: 12.5,
        since: '2026-01-31T14:20:11.000Z',
      },
    },
  },
  draft,
);

export const alertUpdated = defineEvent(
  {
    name: 'alert.updated',
    family,
    description:
      'The state of an alert changed without a notification, such as to pending, or during a silence. Or a caller acknowledged or silenced the alert.',
    data,
    example: {
      alert: { ...alertExample, state: AlertState.PENDING },
      instance: { ...instanceExample, state: AlertState.PENDING, previous_state: AlertState.OK, fired_at: null },
    },
  },
  draft,
);

export const alertEvents = [alertFiring.type, alertResolved.type, alertUpdated.type];

/** Creates the draft of an event about an alert instance. `state` is the state of the alert after the change. */
function draft(alert: Alert, change: InstanceChange | null, occurredAt: Date, state: AlertState = alert.state) {
  const { organizationId, accountId, id } = alert;
  return {
    organizationId,
    occurredAt,
    subject: { type: 'Alert', id },
    accountId,
    data: { alert: { ...payloadOf(alert), state }, instance: change && instanceOf(change) },
  };
}

const payloadOf = (alert: Alert): z.input<typeof alertPayload> => ({
  id: alert.id,
  name: alert.name,
  description: alert.description,
  severity: alert.severity,
  state: alert.state,
  service_id: alert.serviceId,
  account_id: alert.accountId,
  metric: alert.metric,
  labels: alert.labels,
  group_by: alert.groupBy,
  aggregation: alert.aggregation,
  condition: alert.condition,
  threshold: alert.threshold,
  lower_threshold: alert.lowerThreshold,
  window_seconds: alert.windowSeconds,
  open_incident: alert.openIncident,
  open_ticket: alert.openTicket,
  silenced_until: alert.silencedUntil?.toISOString() ?? null,
});

const instanceOf = ({ instance, previousState, reason, isRepeated, suppressedBy }: InstanceChange): z.input<typeof instancePayload> => ({
  id: instance.id,
  service_id: instance.serviceId,
  labels: { ...instance.labels },
  state: instance.state,
  previous_state: previousState,
  reason,
  value: instance.value,
  since: instance.since.toISOString(),
  fired_at: instance.firedAt?.toISOString() ?? null,
  acknowledged_at: instance.acknowledgedAt?.toISOString() ?? null,
  is_repeated: isRepeated,
  suppressed_by: suppressedBy,
});
