import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Service } from '../inventory/service.entity.ts';
import { about, payloadOf, serviceExample, servicePayload, statusChange } from '../inventory/service.events.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { LIMITS, type Metric } from '../samples/sample.ts';

const { OPERATIONAL, DOWN } = ServiceStatus;

/** Names of the metrics in events and in the REST API. */
export const METRIC_NAMES = {
  latencyMs: 'latency_ms',
  bandwidthUtilization: 'bandwidth_utilization',
  packetLoss: 'packet_loss',
  jitterMs: 'jitter_ms',
} as const satisfies Record<Metric, string>;

/** A measurement that is above its limit, with all measurements at the same time. */
export interface PerformanceAlert {
  metric: Metric;
  since: Date;
  measured: Readonly<Record<Metric, number>>;
}

/** The fields of a maintenance window that its announcement event contains. */
interface AnnouncedMaintenance {
  id: string;
  startsAt: Date;
  endsAt: Date;
  description: string;
  impact: 'none' | 'degraded' | 'down';
}

const outage = z.strictObject({
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  reason: z.string().nullable(),
  incident_id: z.string().nullable().describe('Id of the incident that the outage belongs to. Null if there is none.'),
});
const outageExample = {
  started_at: '2026-01-31T14:02:11.000Z',
  ended_at: null,
  reason: 'Fiber cut',
  incident_id: 'inc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
};

/** Measurements of a service, with the same field names as in the status report (specification 2.5). */
const performanceMetrics = z.strictObject({
  latency_ms: z.number(),
  bandwidth_utilization: z.number().describe('In percent.'),
  packet_loss: z.number().describe('In percent.'),
  jitter_ms: z.number(),
});

const family = 'service';

export const serviceDown = defineEvent(
  {
    name: 'service.down',
    family,
    description: 'A service stopped working. The event `service.status_changed` is sent in addition.',
    data: z.strictObject({ service: servicePayload, changes: statusChange, outage }),
    example: {
      service: { ...serviceExample, status: DOWN },
      changes: { status: { from: OPERATIONAL, to: DOWN } },
      outage: outageExample,
    },
  },
  (service: Service, from: ServiceStatus) => ({
    ...about(service),
    data: {
      service: payloadOf(service),
      changes: { status: { from, to: service.status } },
      outage: outageOf(service.downSince ?? service.updatedAt, null, service.statusReason),
    },
  }),
);

export const serviceRestored = defineEvent(
  {
    name: 'service.restored',
    family,
    description: 'A service that was down works again. The event `service.status_changed` is sent in addition.',
    data: z.strictObject({ service: servicePayload, changes: statusChange, outage }),
    example: {
      service: serviceExample,
      changes: { status: { from: DOWN, to: OPERATIONAL } },
      outage: { ...outageExample, reason: null, ended_at: '2026-01-31T15:20:45.000Z' },
    },
  },
  (service: Service, from: ServiceStatus, downSince: Date) => ({
    ...about(service),
    data: {
      service: payloadOf(service),
      changes: { status: { from, to: service.status } },
      outage: outageOf(downSince, service.updatedAt, service.statusReason),
    },
  }),
);

export const servicePerformanceAlert = defineEvent(
  {
    name: 'service.performance_alert',
    family,
    description:
      'A measurement of a service exceeded its threshold. The event is not repeated until the measurement has returned below the threshold.',
    data: z.strictObject({
      service: servicePayload,
      alert: z.strictObject({ metric: performanceMetrics.keyof(), value: z.number(), threshold: z.number(), since: timestamp }),
      performance_metrics: performanceMetrics,
    }),
    example: {
      service: serviceExample,
      alert: { metric: 'latency_ms', value: 184.2, threshold: 100, since: '2026-01-31T14:00:00.000Z' },
      performance_metrics: { latency_ms: 184.2, bandwidth_utilization: 71.5, packet_loss: 0.4, jitter_ms: 12.1 },
    },
  },
  (service: Service, { metric, since, measured }: PerformanceAlert, now: Date) => ({
    ...about(service),
    occurredAt: now,
    data: {
      service: payloadOf(service),
      alert: { metric: METRIC_NAMES[metric], value: measured[metric], threshold: LIMITS[metric][0], since: since.toISOString() },
      performance_metrics: {
        latency_ms: measured.latencyMs,
        bandwidth_utilization: measured.bandwidthUtilization,
        packet_loss: measured.packetLoss,
        jitter_ms: measured.jitterMs,
      },
    },
  }),
);

export const serviceMaintenanceScheduled = defineEvent(
  {
    name: 'service.maintenance_scheduled',
    family,
    description: 'Maintenance of a service was planned, or a planned maintenance changed. One event is sent for each affected service.',
    data: z.strictObject({
      service: servicePayload,
      maintenance_window: z.strictObject({
        id: z.string(),
        start: timestamp,
        end: timestamp,
        description: z.string(),
        impact: z.enum(['none', 'degraded', 'down']).describe('Expected state of the service during the maintenance.'),
      }),
    }),
    example: {
      service: serviceExample,
      maintenance_window: {
        id: 'maint_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        start: '2026-02-07T02:00:00.000Z',
        end: '2026-02-07T04:00:00.000Z',
        description: 'Replacement of the aggregation switch',
        impact: 'down',
      },
    },
  },
  (service: Service, { id, startsAt, endsAt, description, impact }: AnnouncedMaintenance) => ({
    ...about(service),
    data: {
      service: payloadOf(service),
      maintenance_window: { id, start: startsAt.toISOString(), end: endsAt.toISOString(), description, impact },
    },
  }),
);

export const statusEvents = [serviceDown.type, serviceRestored.type, servicePerformanceAlert.type, serviceMaintenanceScheduled.type];

const outageOf = (startedAt: Date, endedAt: Date | null, reason: string | null) => ({
  started_at: startedAt.toISOString(),
  ended_at: endedAt?.toISOString() ?? null,
  reason,
  incident_id: null,
});
