import { expect, test } from 'vitest';
import { storedInTime } from './otlp-deadline.ts';

test('data that is not stored before the deadline results in 503 with the detail retry_after', async () => {
  await expect(storedInTime(new Promise(() => undefined), 1)).rejects.toMatchObject({ status: 503, details: { retry_after: 2 } });
});

test('data that is stored before the deadline returns its result, or the error of the database', async () => {
  expect(await storedInTime(Promise.resolve('stored'), 10_000)).toBe('stored');
  await expect(storedInTime(Promise.reject(new Error('disk full')), 10_000)).rejects.toThrow('disk full');
});
