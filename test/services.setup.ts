import { createAccount, LOCATION } from './billing.setup.ts';
import { eventually, rig } from './rig.ts';
import type { Json, RestResponse, Tenant } from './tenant.ts';

const MINUTE_MS = 60_000;

export const internetOrder = (accountId: string, more: object = {}): Json => ({
  account_id: accountId,
  service_type: 'fiber',
  bandwidth: '1000mbps',
  location: LOCATION,
  sla: 'enterprise',
  billing_cycle: 'monthly',
  ...more,
});

/** Creates an organization with an account. The organization's plan has no limits, because waiting for a status takes many requests. */
export async function tenantWithAccount(): Promise<{ tenant: Tenant; accountId: string }> {
  const tenant = await (await rig()).organization({ plan: 'custom' });
  return { tenant, accountId: (await createAccount(tenant)).id };
}

export const placeOrder = (tenant: Tenant, accountId: string, more: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/connectivity/internet', { body: internetOrder(accountId, more) });

/** Orders an internet service and waits until its status is `status`. */
export async function serviceThatIs(status: string, tenant: Tenant, accountId: string, more: object = {}): Promise<Json> {
  const { status: code, body } = await placeOrder(tenant, accountId, more);
  if (code !== 201) throw new Error(JSON.stringify(body));
  return eventually(async () => {
    const { data } = (await tenant.rest('GET', `/services/${body.data.id}`)).body;
    return data.status === status && data;
  });
}

/**
 * Waits until the record of a service has no pending changes and satisfies `fits`. After that, reads the record again and returns it,
 * because a record and its pending changes are read by two statements, and a change may be applied between the two.
 */
export async function settledRecord(read: () => Promise<Json>, fits: (record: Json) => boolean = () => true): Promise<Json> {
  await eventually(async () => {
    const record = await read();
    return record.pending_changes.length === 0 && fits(record);
  });
  return read();
}

/** Moves the clock minute by minute, and waits in each minute for the measurement of this minute. Returns the last status report. */
export async function minutesPass(minutes: number, tenant: Tenant, id: string): Promise<Json> {
  const report = async (): Promise<Json> => (await tenant.rest('GET', `/services/${id}/status`)).body.data;
  const { clock, advance } = await rig();
  let last = await report();
  for (let minute = 0; minute < minutes; minute += 1) {
    await advance(MINUTE_MS);
    // a measurement of the minute before may still be running, and must not count
    const since = Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
    last = await eventually(async () => {
      const next = await report();
      return Date.parse(next.performance_metrics.measured_at) >= since && next;
    });
  }
  return last;
}
