import type { SupportPorts } from '../ports.ts';

/**
 * Maximum number of pending deliveries that a sample counts. It limits the number of index entries that a sample reads.
 */
const COUNTED = 10_001;

const WAITING = `select case when s."id" is null then 'jira' else 'slack' end as provider, count(*)::int as waiting, min(d."created_at") as oldest
  from (select "integration_id", "created_at" from "support"."integration_delivery" where "status" = 'pending'
    order by "integration_id", "event_sequence" limit ${COUNTED}) d
  left join "support"."slack_integration" s on s."id" = d."integration_id" group by 1`;

/**
 * Adds metrics for the number of pending deliveries and for the age of the oldest pending delivery. Returns a function
 * that removes these metrics.
 */
export function sampleIntegrations({ rows, clock, metrics, log }: Pick<SupportPorts, 'rows' | 'clock' | 'metrics' | 'log'>): () => void {
  if (!metrics) return () => undefined;
  return metrics.samples.add('integrations', log, async () => {
    const found = await rows.query<{ provider: string; waiting: number; oldest: Date | string }>(WAITING, []);
    for (const provider of ['slack', 'jira']) {
      const row = found.find((one) => one.provider === provider);
      const ageMs = row ? clock.now().getTime() - new Date(row.oldest).getTime() : 0;
      metrics.integrationWaiting.set({ provider }, row?.waiting ?? 0);
      metrics.integrationOldest.set({ provider }, Math.max(0, ageMs / 1000));
    }
  });
}
