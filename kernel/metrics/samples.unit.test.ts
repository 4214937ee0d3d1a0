import { expect, test, vi } from 'vitest';
import { createLogger } from '../log/log.ts';
import { createMetrics } from './metrics.ts';

const log = createLogger({ level: 'silent' });

test('one hundred concurrent requests for metrics and a later request use the same sample of the database', async () => {
  const metrics = createMetrics();
  const take = vi.fn(async () => metrics.jobsWaiting.set({ queue: 'test' }, 3));
  metrics.samples.add('test', log, async () => void (await take()));
  const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.text()));
  for (const text of texts) expect(text).toContain('jobs_waiting{queue="test"} 3');
  await metrics.text();
  expect(take).toHaveBeenCalledTimes(1);
});

test('requests for metrics return while a sample waits for the database, and they start no second sample', async () => {
  const metrics = createMetrics();
  const take = vi.fn(() => new Promise<void>(() => undefined));
  metrics.samples.add('test', log, take, 0);
  expect(await metrics.text()).toContain('process_resident_memory_bytes');
  await metrics.text();
  expect(take).toHaveBeenCalledTimes(1);
});

test('a failed metrics sample does not set its timestamp gauge, and the next request after the interval takes a new sample', async () => {
  const metrics = createMetrics();
  const take = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue();
  const stop = metrics.samples.add('test', log, take, 0);
  expect(await metrics.text()).not.toContain('metrics_sample_timestamp_seconds{sample="test"}');
  expect(await metrics.text()).toContain('metrics_sample_timestamp_seconds{sample="test"}');
  stop();
  await metrics.text();
  expect(take).toHaveBeenCalledTimes(2);
});
