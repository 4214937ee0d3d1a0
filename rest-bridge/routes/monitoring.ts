import { area, get } from '../route.ts';

/** Monitoring of services (specification 4.6). */
export const monitoring = area(
  'Monitoring',
  'The state of the platform, and how much of it you use.',
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
