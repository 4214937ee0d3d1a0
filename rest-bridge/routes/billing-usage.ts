import { area, get, type LargeBody, post, view } from '../route.ts';

/** Maximum size of a request body with 1,000 usage events. */
const WITH_EVENTS: LargeBody = { mebibytes: 1, reason: 'it can contain 1,000 events' };

// `id` is the caller's own id of an event, and not the id of a record
const receipt = view('UsageReceipt', '{ accepted duplicates refused { index id reason } }');

/** REST routes of the usage of services (specification 4.5). */
export const billingUsage = area(
  'Usage',
  'The usage of services, and its cost.',
  [
    get('getUsageReport', '/billing/usage', 'usageReport', {
      summary: 'Get a usage report',
      description:
        'Gets a usage report: one row for each service and metric, and the totals of all rows. The usage prices of your organization determine the costs. `estimated_monthly_cost` is the expected cost of the whole month.',
      category: 'billing',
    }),
    get('getServiceUsage', '/billing/usage/{service_id}', 'serviceUsage', {
      summary: 'Get the usage of a service',
      description:
        'Returns the usage of the service for each metric and day, the cost of each metric, and how much of the included quantity is left.',
      category: 'billing',
      resource: 'service',
    }),
    post('recordUsage', '/billing/usage', 'recordUsage', {
      summary: 'Record usage',
      description:
        'Records up to 1,000 usage events. An event that is sent again with the same `source` and `id` counts only once, so you can safely repeat a request that failed. An event with an invalid value, such as an unknown metric or service, is listed in `refused` with the reason; the other events are recorded. If a field is missing or has the wrong type, the whole request is refused with `INVALID_PARAMETERS`. The plan limits the number of events in any 60 seconds, in place of the number of requests.',
      addition: true,
      weight: 0,
      status: 200,
      largeBody: WITH_EVENTS,
      select: receipt,
      example: {
        events: [
          {
            id: 'cdr-20260131-000042',
            service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
            metric: 'voice_minutes',
            quantity: 12.5,
            timestamp: '2026-01-31T09:30:00Z',
          },
        ],
      },
    }),
  ],
  'Billing',
);
