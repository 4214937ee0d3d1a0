import { area, get, type LargeBody, post, view } from '../route.ts';

/** Size of a body with 1,000 events. */
const WITH_EVENTS: LargeBody = { mebibytes: 1, reason: 'it can contain 1,000 events' };

// `id` is the caller's own id of an event, and not the id of a record
const receipt = view('UsageReceipt', '{ accepted duplicates refused { index id reason } }');

/** Usage of services (specification 4.5). */
export const billingUsage = area(
  'Usage',
  'What services used, and what it costs.',
  [
    get('getUsageReport', '/billing/usage', 'usageReport', {
      summary: 'Get a usage report',
      description:
        'Returns one row for each service and metric, and sums over all rows. Costs follow from the prices of usage. `estimated_monthly_cost` is the expected cost of the whole month.',
      category: 'billing',
    }),
    get('getServiceUsage', '/billing/usage/{service_id}', 'serviceUsage', {
      summary: 'Get the usage of a service',
      description: 'Returns what the service used by metric and day, what it costs, and how much of the included quantity is left.',
      category: 'billing',
      resource: 'service',
    }),
    post('recordUsage', '/billing/usage', 'recordUsage', {
      summary: 'Record usage',
      description:
        'Records up to 1,000 events. Each event counts once, however often it is sent with the same `source` and `id`; so a request that failed can be repeated. An event that breaks a rule is listed in `refused` with the reason, and the others are recorded. The request does not count as a request of the plan. The plan limits the number of events in 60 seconds.',
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
