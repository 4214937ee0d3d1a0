import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

const DAY_MS = 24 * 3_600_000;

let billed: BilledTenant;
let change: Json;
/** A service is suspended one day before its scaling is due, and the day passes. */
beforeEach(async () => {
  billed = await billedTenant();
  const { advance, clock } = await rig();
  const effective_date = new Date(clock.now().getTime() + DAY_MS).toISOString();
  const body = { scaling_action: 'scale_up', new_bandwidth: '1gbps', effective_date };
  const ordered = await billed.tenant.rest('PUT', `/services/${billed.serviceId}/scaling`, { body });
  expect(ordered.status, JSON.stringify(ordered.body)).toBe(200);
  change = ordered.body.data;
  await dunning('suspended', 1);
  await advance(2 * DAY_MS);
  // long enough for a sweep that fails the change
  await new Promise((resolve) => setTimeout(resolve, 1500));
});

const serviceOf = async (): Promise<Json> => (await billed.tenant.rest('GET', `/services/${billed.serviceId}`)).body.data;

/** Reports the state of the account to the services domain, as billing does. */
async function dunning(state: string, revision: number): Promise<void> {
  const payload = JSON.stringify({ data: { billing_account: { account_id: billed.accountId, dunning: { state, revision } } } });
  const event = { id: newId('event'), organizationId: billed.tenant.organizationId, payload };
  const reactions = (await rig()).assembly.domains.services.reactions ?? [];
  await reactions.find(({ on }) => on === 'account.dunning_changed')?.handle(event as never);
}

test('a change that becomes due while its service is suspended stays open, and is applied when the suspension ends', async () => {
  expect(await serviceOf()).toMatchObject({
    status: 'suspended',
    bandwidth: '500mbps',
    pending_changes: [{ id: change.id, status: 'acknowledged' }],
  });
  await dunning('current', 2);
  await eventually(async () => (await serviceOf()).bandwidth === '1000mbps');
  expect(await serviceOf()).toMatchObject({ status: 'operational', pending_changes: [] });
});

test('a change that waits for the end of a suspension is cancelled when the service is ended', async () => {
  expect((await billed.tenant.rest('DELETE', `/services/${billed.serviceId}`)).status).toBeLessThan(300);
  await eventually(async () => (await serviceOf()).status === 'decommissioned');
  const { body } = await billed.tenant.rest('GET', `/services/${billed.serviceId}/changes`);
  expect(body.data.find(({ id }: Json) => id === change.id)).toMatchObject({ kind: 'scaling', status: 'cancelled' });
});
