import { expect, test } from 'vitest';
import { rateHeaders } from './rate-headers.ts';

const at = new Date('2026-01-31T09:00:00.250Z');
const window = (limit: number, used: number, resetAt: string) => ({ limit, used, remaining: limit - used, resetAt: new Date(resetAt) });
const state = {
  hour: window(1000, 1, '2026-01-31T10:00:00.001Z'),
  burst: window(100, 1, '2026-01-31T09:01:00.250Z'),
  at,
  retryAfter: 0,
};

test('the reset time in the rate limit headers is rounded up to a full second', () => {
  const headers = rateHeaders(state);
  expect(headers['x-ratelimit-reset']).toBe(String(Date.parse('2026-01-31T10:00:01Z') / 1000));
  expect(headers.ratelimit).toBe('"burst";r=99;t=60, "hour";r=999;t=3600');
});

test('an accepted request has the header X-RateLimit-Retry-After with the value 0 and no Retry-After header', () => {
  expect(rateHeaders(state)).toMatchObject({ 'x-ratelimit-retry-after': '0' });
  expect(rateHeaders(state)['retry-after']).toBeUndefined();
  expect(rateHeaders({ ...state, retryAfter: 7 })).toMatchObject({ 'x-ratelimit-retry-after': '7', 'retry-after': '7' });
});

test('rate limit headers of a plan without a limit contain fair-use values and no RateLimit-Policy', () => {
  const unlimited = { ...state, hour: { ...state.hour, limit: Number.POSITIVE_INFINITY, remaining: Number.POSITIVE_INFINITY } };
  const headers = rateHeaders({ ...unlimited, burst: unlimited.hour });
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '60000000', 'x-ratelimit-remaining': '59999999' });
  expect(headers['ratelimit-policy']).toBeUndefined();
});
