import { randomUUID } from 'node:crypto';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface BulkRow {
  name: string;
  /** Time until the request is accepted. */
  acceptedSeconds: number;
  /** Time until all services are operational. */
  operationalSeconds: number;
}

const SIZE = 100;
const ROUNDS = 3;
const POLL_MS = 20;

/**
 * Measurement (j): orders a bulk of 100 services with `rollback_on_failure`. The simulated provider builds the services, which become
 * operational together after all are built. The first round is a warm-up and is not reported.
 */
export const measureBulk = (): Promise<BulkRow[]> =>
  onScratch('bench_bulk', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains } = await platformOn(BENCH_DATABASE_URL, scratchFolder());
    const { apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });
    const rows: BulkRow[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const row = await run(platform.origin, apiKey, `${SIZE} services, round ${round}`);
      if (round > 0) rows.push(row);
    }
    await platform.close();
    return rows;
  });

async function run(origin: string, apiKey: string, name: string): Promise<BulkRow> {
  const call = async (path: string, body: object): Promise<{ data: { id: string; bulk: { status: string } } }> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const response = await fetch(`${origin}/v1/services/bulk/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { data: { id: string; bulk: { status: string } } };
  };
  const service = {
    template: 'business_fiber',
    location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
    customizations: { bandwidth: '500mbps' },
  };
  const started = performance.now();
  const seconds = (): number => Number(((performance.now() - started) / 1000).toFixed(2));
  const { data } = await call('provision', {
    services: Array.from({ length: SIZE }, () => service),
    orchestration: { rollback_on_failure: true },
  });
  const acceptedSeconds = seconds();
  while ((await call('status', { bulk_id: data.id })).data.bulk.status === 'in_progress')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return { name, acceptedSeconds, operationalSeconds: seconds() };
}
