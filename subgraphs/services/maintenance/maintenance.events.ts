import { z } from 'zod';
import { changes, defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import type { Service } from '../inventory/service.entity.ts';
import type { MaintenanceWindow } from './maintenance-window.entity.ts';
import { MaintenanceImpact, MaintenanceStatus } from './maintenance-window.states.ts';

const windowPayload = z.strictObject({
  id: z.string(),
  service_id: z.string(),
  service_change_id: z.string().nullable().describe('Change of the service that is made during the maintenance. Null if there is none.'),
  status: z.enum(MaintenanceStatus),
  start: timestamp,
  end: timestamp,
  title: z.string().nullable().describe('Title of the work. Null if there is none.'),
  description: z.string(),
  impact: z.enum(MaintenanceImpact).describe('Expected state of the service during the maintenance.'),
  announced_at: timestamp.describe('When the maintenance was announced last.'),
  actual_start: timestamp.nullable().describe('When the maintenance has started. Null if it has not started.'),
  actual_end: timestamp.nullable().describe('When the maintenance has ended after its start. Null if it has not started or not ended.'),
  created_at: timestamp,
  updated_at: timestamp,
});

const windowExample: z.input<typeof windowPayload> = {
  id: 'maint_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  service_change_id: null,
  status: MaintenanceStatus.SCHEDULED,
  start: '2026-02-07T02:00:00.000Z',
  end: '2026-02-07T04:00:00.000Z',
  title: 'Aggregation switch',
  description: 'Replacement of the aggregation switch',
  impact: MaintenanceImpact.DOWN,
  announced_at: '2026-01-31T14:02:11.000Z',
  actual_start: null,
  actual_end: null,
  created_at: '2026-01-31T14:02:11.000Z',
  updated_at: '2026-01-31T14:02:11.000Z',
};

const family = 'monitoring';
const data = z.strictObject({ maintenance_window: windowPayload });
const changedData = data.extend({ changes });

/** Events about a maintenance window. `service.maintenance_scheduled` is sent too; its subject is the service. */
export const maintenanceScheduled = defineEvent(
  {
    name: 'maintenance.scheduled',
    family,
    description: 'A maintenance was planned.',
    data,
    example: { maintenance_window: windowExample },
  },
  draft,
);

export const maintenanceUpdated = defineEvent(
  {
    name: 'maintenance.updated',
    family,
    description: 'The times, the impact, the title or the description of a maintenance changed.',
    data: changedData,
    example: {
      maintenance_window: windowExample,
      changes: { end: { from: '2026-02-07T03:00:00.000Z', to: '2026-02-07T04:00:00.000Z' } },
    },
  },
  (service: Service, window: MaintenanceWindow, changed: ChangeSet) => {
    const event = draft(service, window);
    return { ...event, data: { ...event.data, changes: changed } };
  },
);

const { SCHEDULED, IN_PROGRESS, COMPLETED, CANCELLED } = MaintenanceStatus;

const { start: actual_start, end: actual_end } = windowExample;

const moved = (status: MaintenanceStatus, from: MaintenanceStatus, description: string, times: Partial<typeof windowExample> = {}) =>
  defineEvent(
    {
      name: `maintenance.${status === IN_PROGRESS ? 'started' : status}`,
      family,
      description,
      data: changedData,
      example: { maintenance_window: { ...windowExample, ...times, status }, changes: { status: { from, to: status } } },
    },
    (service: Service, window: MaintenanceWindow, before: MaintenanceStatus) => {
      const event = draft(service, window);
      return { ...event, data: { ...event.data, changes: { status: { from: before, to: window.status } } } };
    },
  );

const started = moved(IN_PROGRESS, SCHEDULED, 'A maintenance has started.', { actual_start });
const completed = moved(COMPLETED, IN_PROGRESS, 'A maintenance has ended.', { actual_start, actual_end });
const cancelled = moved(CANCELLED, SCHEDULED, 'A maintenance was cancelled before its end.');

/** The events of a maintenance that has moved to a status. */
export const maintenanceMoved = { [IN_PROGRESS]: started, [COMPLETED]: completed, [CANCELLED]: cancelled } as const;

export const maintenanceEvents = [maintenanceScheduled.type, maintenanceUpdated.type, started.type, completed.type, cancelled.type];

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

function draft({ accountId }: Service, window: MaintenanceWindow) {
  const { id, organizationId, serviceId, serviceChangeId, status, startsAt, endsAt, title, description, impact } = window;
  const { announcedAt, actualStart, actualEnd, createdAt, updatedAt } = window;
  return {
    organizationId,
    occurredAt: updatedAt,
    subject: { type: 'MaintenanceWindow', id },
    accountId,
    data: {
      maintenance_window: {
        ...{ id, service_id: serviceId, service_change_id: serviceChangeId, status, title, description, impact },
        ...{ start: startsAt.toISOString(), end: endsAt.toISOString() },
        ...{ announced_at: announcedAt.toISOString(), actual_start: iso(actualStart), actual_end: iso(actualEnd) },
        ...{ created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() },
      },
    },
  };
}
