import { area, get } from '../route.ts';

/** Monitoring of services (specification 4.6). */
export const monitoring = area(
  'Monitoring',
  'Rate limits, and how much of them you have used.',
  [
    get('getRateLimitUsage', '/monitoring/rate-limits', 'rateLimitUsage', {
      summary: 'Get rate limit usage',
      description:
        'This request does not count against rate limits, and works while the key is suspended. `current_usage` has the same values as the rate limit headers of this response. A limit that the plan does not have is null.',
      weight: 0,
    }),
  ],
  'Services',
);
