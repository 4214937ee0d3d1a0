import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('two platforms in one process have separate metrics', async () => {
  const [first, second] = [createMetrics(), createMetrics()];
  first.subgraphFetches.inc({ subgraph: 'support', outcome: 'ok' });

  expect(await first.text()).toContain('subgraph_fetches_total{subgraph="support",outcome="ok"} 1');
  expect(await second.text()).not.toContain('subgraph="support"');
});

test('the metrics include the memory use and the event loop lag of the process', async () => {
  const text = await createMetrics().text();
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
});
