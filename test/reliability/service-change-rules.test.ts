import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeApplicationSweeper } from '../../subgraphs/services/changes/service-change.sweeper.ts';
import { type Applied, OrderRejected } from '../../subgraphs/services/providers/service.provider.ts';
import type { Json } from '../tenant.ts';
import { completed, inProgress, ScriptedService } from './scripted-service.ts';

const SCALE = 'mutation($id: ID!, $input: ScalingInput!) { scaleService(id: $id, input: $input) { id } }';
const READ = `query($id: ID!) {
  service(id: $id) { name bandwidth sla features revision monthlyPrice changes(limit: 10) { kind status priceDifference changes statusReason } }
}`;

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.open();
  await service.update({ bandwidth: '500mbps' });
  await service.run();
  service.provider.orders.length = 0;
});
afterEach(() => service[Symbol.asyncDispose]());

const read = async (): Promise<Json> => (await service.query(READ)).service;

test('a scaling whose date comes while a later change is in progress is ordered after it, with the terms of both', async () => {
  const effectiveDate = new Date(service.alone.clock.now().getTime() + 3_600_000).toISOString();
  await service.query(SCALE, { input: { scalingAction: 'SCALE_UP', newBandwidth: '1gbps', effectiveDate } });
  service.answer = inProgress;
  await service.update({ sla: 'enterprise' });
  await service.run();
  const [first] = service.provider.orders;
  service.alone.clock.advance(3_700_000);
  await changeApplicationSweeper(service.alone.ports(service.provider)).once();
  await service.run(3);
  expect(new Set(service.provider.orders.map(({ orderId }) => orderId))).toEqual(new Set([first?.orderId]));
  service.answer = completed;
  await service.run(3);
  expect(service.provider.orders.at(-1)?.spec).toMatchObject({ characteristics: { bandwidth: '1000mbps', serviceLevel: 'enterprise' } });
  expect(await read()).toMatchObject({ bandwidth: '1000mbps', sla: 'enterprise' });
});

test('the price difference of a change is computed again when an earlier change was refused', async () => {
  service.answer = inProgress;
  await service.update({ sla: 'business' });
  await service.run();
  await service.update({ bandwidth: '1gbps' });
  const [waiting] = (await read()).changes;
  service.answer = async ({ spec }) => {
    if (spec.characteristics.serviceLevel === 'business') throw new OrderRejected('There is no capacity.');
    return completed();
  };
  await service.run(3);
  const [applied, refused] = (await read()).changes;
  expect(refused.status).toBe('FAILED');
  const { from, to } = applied.changes.monthly_price;
  expect([applied.status, applied.priceDifference]).toEqual(['COMPLETED', to - from]);
  expect(waiting.priceDifference).not.toBe(to - from);
});

describe('a catalog whose features were changed after the order', () => {
  beforeEach(async () => {
    await service.switchFeatures({ static_ip: true, managed_router: true });
    await service.run();
    service.provider.orders.length = 0;
  });
  const changeCatalog = (set: string, name: string) =>
    service.alone.sql(`update services.catalog_feature set ${set} where service_id = 'business_fiber' and name = '${name}'`);
  const lastChange = async (): Promise<Json> => (await read()).changes[0];

  test('a change of the name of a service does not change its features if the catalog has another order', async () => {
    const before = (await read()).features;
    await changeCatalog('position = 99', 'static_ip');
    await service.update({ name: 'Renamed' });
    await service.run();
    const { name, features: after } = await read();
    expect([name, after]).toEqual(['Renamed', before]);
    expect((await lastChange()).changes).toEqual({ name: { from: 'Headquarters', to: 'Renamed' } });
    expect(service.provider.orders).toEqual([]);
    const { changes } = await read();
    await service.switchFeatures([...before].toReversed());
    expect((await read()).changes).toHaveLength(changes.length);
  });

  test('a service keeps a feature that now requires another, until a change would break what the catalog required before', async () => {
    await service.switchFeatures({ managed_router: false });
    await service.run();
    await changeCatalog(`needs = '["managed_router"]'`, 'static_ip');
    await service.update({ name: 'Renamed' });
    await service.update({ bandwidth: '1gbps' });
    await service.run();
    expect(await read()).toMatchObject({ name: 'Renamed', bandwidth: '1000mbps', features: ['static_ip'] });
    await service.switchFeatures({ static_ip: false });
    await service.run();
    await expect(service.switchFeatures({ static_ip: true })).rejects.toThrow(/managed_router/);
    await service.switchFeatures({ static_ip: true, managed_router: true });
    await service.run();
    await expect(service.switchFeatures({ managed_router: false })).rejects.toThrow(/managed_router/);
  });
});

test('an update with the same contacts in another order of their fields changes nothing', async () => {
  const [technical, billing] = ['ada@example.com', 'grace@example.com'];
  await service.update({ contacts: { technical, billing } });
  const before = await read();
  await service.update({ contacts: { billing, technical } });
  expect(await read()).toEqual(before);
});

test('a release looks up the orders of changes that have failed since the last completed change, and not of earlier ones', async () => {
  const refused = async (): Promise<Applied> => {
    throw new OrderRejected('There is no capacity.');
  };
  const changed = async (bandwidth: string, next: ScriptedService['answer']): Promise<string> => {
    service.answer = next;
    await service.update({ bandwidth });
    await service.run();
    return service.provider.orders.at(-1)?.orderId ?? '';
  };
  await changed('1gbps', refused);
  await changed('2gbps', completed);
  const failed = [await changed('500mbps', refused), await changed('1gbps', refused)];
  await service.query('mutation ($id: ID!) { decommissionService(id: $id, input: {}) { id } }');
  await service.run();
  expect(service.provider.releases.map(({ openOrderIds }) => openOrderIds)).toEqual([failed]);
});
