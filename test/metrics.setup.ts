import { expect } from 'vitest';
import { eventually, rig } from './rig.ts';
import { rows } from './support/tables.ts';
import type { Json, Tenant } from './tenant.ts';

/** Sends values of a metric, whose times are in milliseconds before now. Waits until the rollups contain the late values. */
export async function send(by: Tenant, metric: string, values: readonly (readonly [number, number])[], more: object = {}): Promise<void> {
  const now = (await rig()).clock.now().getTime();
  const samples = values.map(([before, value]) => ({ metric, at: new Date(now - before), value, ...more }));
  const { body } = await by.rest('POST', '/monitoring/samples', { body: { samples } });
  expect(body.data, JSON.stringify(body)).toMatchObject({ accepted: values.length, refused: [] });
  await rolledUp(by);
}

/** Waits until the rollups contain all late samples of an organization. */
export const rolledUp = ({ organizationId }: Tenant): Promise<unknown> =>
  eventually(async () => {
    const waiting = await (await rows()).query(
      `select 1 as "late" from "monitoring"."late_minute" l join "monitoring"."series" s on s."id" = l."series_id", "monitoring"."rollup_state" r
       where s."organization_id" = $1 and l."at" < r."minutes_until" limit 1`,
      [organizationId],
    );
    return waiting.length === 0;
  });

/** Waits until the rollups contain the last complete minute. */
export const upToDate = (by: Tenant, name: string): Promise<unknown> =>
  eventually(async () => new Date((await chart(by, name)).complete_until).getTime() > (await rig()).clock.now().getTime() - 90_000);

/** One value of a metric for the last two hours. */
export async function total(by: Tenant, name: string, aggregation: string, query: Record<string, string> = {}): Promise<number | null> {
  // a day in a time zone where it is about noon, because a step of one day starts at midnight
  const offset = 12 - (await rig()).clock.now().getUTCHours();
  const timezone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  const { series } = await chart(by, name, { period: '2h', step: '1d', timezone, aggregation, ...query });
  expect(series[0].values).toHaveLength(1);
  return series[0].values[0];
}

/** Returns the chart of a metric, or the status and the error of the response. */
export const chart = async (by: Tenant, name: string, query: Record<string, string> = {}): Promise<Json> => {
  const { status, body } = await by.rest('GET', `/monitoring/metrics/${encodeURIComponent(name)}?${new URLSearchParams(query)}`);
  return status === 200 ? body.data : { status, ...body.error };
};
