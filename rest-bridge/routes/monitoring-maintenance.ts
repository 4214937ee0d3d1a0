import { del, get, post, put, type Route } from '../route.ts';

const ENDED = 'the maintenance has ended, or belongs to a change of the service';

/** REST routes of maintenance windows (specification 4.6). */
export const maintenanceRoutes: readonly Route[] = [
  get('listMaintenanceWindows', '/monitoring/maintenance', 'maintenanceWindows', {
    summary: 'List maintenance windows',
    description:
      'Lists maintenance windows, the latest start first: planned windows come before past windows. `from` and `to` select the windows that overlap a period. `start` and `end` are the planned times, `actual_start` and `actual_end` the times at which the maintenance has started and ended.',
  }),
  post('planMaintenance', '/monitoring/maintenance', 'planMaintenance', {
    summary: 'Plan a maintenance',
    errors: { INVALID_STATE: 'the service is not built or is being ended, or has 20 windows that have not ended' },
    description:
      'Plans a maintenance of a service. The event `service.maintenance_scheduled` announces the maintenance. During the maintenance, the service has the status `maintenance`, unless the impact is `none`. Windows of a service may overlap. The service stays in maintenance until the last overlapping window ends.',
    addition: true,
    example: {
      service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      start: '2030-02-07T02:00:00Z',
      end: '2030-02-07T04:00:00Z',
      title: 'Aggregation switch',
      description: 'Replacement of the aggregation switch',
      impact: 'down',
    },
  }),
  put('updateMaintenance', '/monitoring/maintenance/{maintenance_window_id}', 'updateMaintenance', {
    summary: 'Change a maintenance',
    errors: { INVALID_STATE: ENDED },
    description:
      'Changes a maintenance. If the maintenance has not started, the change is announced. After its start, only `end`, `title` and `description` can change. To end the maintenance, send the present time as `end`.',
    addition: true,
    example: { description: 'Replacement of the aggregation switch and its power supply' },
  }),
  del('cancelMaintenance', '/monitoring/maintenance/{maintenance_window_id}', 'cancelMaintenance', {
    summary: 'Cancel a maintenance',
    errors: { INVALID_STATE: ENDED },
    description: 'Cancels a maintenance. If the maintenance has started, it ends now.',
    addition: true,
  }),
];
