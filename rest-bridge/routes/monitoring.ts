import { area, get } from '../route.ts';

/** Specification 4.6. */
export const monitoring = area(
  'Monitoring',
  'How the platform does, and what is used of it.',
  [
    get('getRateLimitUsage', '/monitoring/rate-limits', 'rateLimitUsage', {
      summary: 'Get the usage of rate limits',
      description:
        'Free of charge, and answered while the key is suspended. `current_usage` says what the rate headers of the same answer say. A limit that the plan does not have is null.',
      weight: 0,
    }),
  ],
  'Services',
);
