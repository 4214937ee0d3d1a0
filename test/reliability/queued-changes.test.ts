import { afterEach, beforeEach, expect, test } from 'vitest';
import { OrderRejected } from '../../subgraphs/services/providers/service.provider.ts';
import type { Json } from '../tenant.ts';
import { completed, inProgress, ScriptedService } from './scripted-service.ts';

const CANCEL = 'mutation($id: ID!, $changeId: ID!) { cancelServiceChange(serviceId: $id, id: $changeId) { status } }';
const READ = 'query($id: ID!) { service(id: $id) { bandwidth features monthlyPrice changes(limit: 10) { id status statusReason } } }';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.open();
});
afterEach(() => service[Symbol.asyncDispose]());

const read = async (): Promise<Json> => (await service.query(READ)).service;

/** Orders a change of the bandwidth, which the provider has begun, and then two changes of features. */
async function queued(first: Json, second: Json): Promise<void> {
  service.answer = inProgress;
  await service.update({ bandwidth: '500mbps' });
  await service.run();
  for (const features of [first, second]) await service.switchFeatures(features);
}

test('a feature whose change was cancelled is not switched on by a later change of another feature', async () => {
  await queued({ managed_router: true }, { static_ip: true });
  const [, cancelled] = (await read()).changes;
  expect((await service.query(CANCEL, { changeId: cancelled.id })).cancelServiceChange.status).toBe('CANCELLED');
  service.answer = completed;
  await service.run(3);
  expect(await read()).toMatchObject({ bandwidth: '500mbps', features: ['static_ip'], monthlyPrice: 214 });
});

test('a feature that the provider refused is not ordered again by a later change of another feature', async () => {
  await queued({ managed_router: true }, { static_ip: true });
  service.answer = async ({ spec }) => {
    if (JSON.stringify(spec).includes('managed_router')) throw new OrderRejected('No router is in stock.');
    return completed();
  };
  await service.run(3);
  const { features, changes } = await read();
  expect(features).toEqual(['static_ip']);
  expect(changes.map(({ status }: Json) => status).toSorted()).toEqual(['COMPLETED', 'COMPLETED', 'FAILED']);
});

test('a feature whose switching off was cancelled stays on when another feature is switched on', async () => {
  await service.switchFeatures({ managed_router: true });
  await service.run();
  await queued({ managed_router: false }, { static_ip: true });
  const [, cancelled] = (await read()).changes;
  await service.query(CANCEL, { changeId: cancelled.id });
  service.answer = completed;
  await service.run(3);
  expect((await read()).features).toEqual(['static_ip', 'managed_router']);
});

test('a change goes on for any number of outages, if the provider responds between them', async () => {
  let calls = 0;
  service.answer = async () => {
    calls += 1;
    if (calls % 2 === 0) throw new Error('connect ECONNREFUSED 10.0.0.7:443');
    return inProgress();
  };
  await service.update({ bandwidth: '500mbps' });
  await service.run(60);
  expect((await read()).changes).toMatchObject([{ status: 'IN_PROGRESS' }]);
  service.answer = completed;
  await service.run();
  expect(await read()).toMatchObject({ bandwidth: '500mbps', changes: [{ status: 'COMPLETED' }] });
});
