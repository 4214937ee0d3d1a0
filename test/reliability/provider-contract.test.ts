import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Applied, ApplyOrder, Released, ReleaseOrder, ServiceProvider } from '../../subgraphs/services/providers/service.provider.ts';
import { OrderRejected } from '../../subgraphs/services/providers/service.provider.ts';
import { SimulatedProvider } from '../../subgraphs/services/providers/simulated.provider.ts';
import { TmfProvider } from '../../subgraphs/services/providers/tmf.provider.ts';
import { CARRIER_TOKEN, Carrier, send } from '../support/carrier.ts';

/** A provider under test, with functions that make it fail. These functions work differently for each provider. */
interface Contender {
  /** Returns a new instance of the provider, as after a restart of the process. */
  open(): ServiceProvider;
  /** Makes the provider refuse orders of this kind. Returns the service name that the refused order must have. */
  refuses(kind: 'build' | 'change' | 'release'): string;
  /** Makes the first attempt of an order fail. Returns the service name that the order must have. */
  failsOnce(): string;
  /** Ends all simulated failures of the provider. */
  recover(): void;
  close(): void;
}

const simulator = async (): Promise<Contender> => ({
  open: () => new SimulatedProvider({ buildMs: 0 }),
  refuses: (kind) => ({ build: 'FAIL-PERMANENT', change: 'FAIL-CHANGE', release: 'FAIL-RELEASE' })[kind],
  failsOnce: () => 'FAIL-ONCE',
  recover: () => undefined,
  close: () => undefined,
});

async function tmf(): Promise<Contender> {
  const carrier = await Carrier.start();
  carrier.completesAtOnce = true;
  return {
    open: () => new TmfProvider({ url: carrier.url, token: CARRIER_TOKEN, timeoutMs: 10_000, checkAfterSeconds: 1 }),
    refuses: () => {
      carrier.instead = (response) => send(response, 422, { reason: 'The carrier refuses this.' });
      return 'Headquarters';
    },
    failsOnce: () => {
      carrier.instead = (response) => send(response, 503, {});
      return 'Headquarters';
    },
    recover: () => {
      carrier.instead = undefined;
    },
    close: () => carrier.close(),
  };
}

describe('the time that the simulated provider takes', () => {
  const placed = (agoMs: number): string => `svc_${ulid(Date.now() - agoMs)}`;

  test.each([
    ['a new order', 'Headquarters', 'fast', 0, 'completed'],
    ['a new order with the word SLOW', 'SLOW', 'fast', 0, 'in_progress'],
    ['an order with the word SLOW after a minute', 'SLOW', 'fast', 61_000, 'completed'],
    ['a new order at the realistic pace', 'Headquarters', 'realistic', 0, 'in_progress'],
    ['an order of 19 seconds ago at the realistic pace', 'Headquarters', 'realistic', 19_000, 'in_progress'],
    ['an order of a minute ago at the realistic pace', 'Headquarters', 'realistic', 61_000, 'completed'],
  ] as const)('%s', async (_, name, pace, agoMs, state) => {
    const provider = new SimulatedProvider({ buildMs: 0, pace });
    const orderId = placed(agoMs);
    expect((await provider.apply({ ...orderOf(name), orderId })).state).toBe(state);
    const released = await provider.release({ ...releaseOf(name, null), releaseId: orderId.replace('svc_', 'order_') });
    expect(released.state).toBe(state === 'completed' ? 'released' : 'in_progress');
  });
});

const orderOf = (name: string): ApplyOrder => ({
  orderId: 'svc_1',
  serviceId: 'svc_1',
  reference: null,
  name,
  spec: {
    type: 'internet',
    serviceType: 'fiber',
    characteristics: { bandwidth: '1000mbps' },
    places: [{ role: 'installation', id: null, address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' }],
  },
  attempt: 1,
});
const changeOf = (name: string, reference: string): ApplyOrder => ({ ...orderOf(name), orderId: 'order_1', reference });
const releaseOf = (name: string, reference: string | null): ReleaseOrder => ({
  releaseId: 'order_2',
  serviceId: 'svc_1',
  reference,
  openOrderIds: ['order_1'],
  name,
});

test('a carrier gets the state inactive for a blocked line, and the state active for an unblocked line', async () => {
  const carrier = await Carrier.start();
  carrier.completesAtOnce = true;
  const provider = new TmfProvider({ url: carrier.url, token: CARRIER_TOKEN });
  const reference = referenceOf(await provider.apply(orderOf('Headquarters')));
  const states: string[] = [];
  for (const isBlocked of [true, false]) {
    const { spec, ...order } = changeOf('Headquarters', reference);
    await provider.apply({ ...order, orderId: `svc_1/block-${isBlocked}`, spec: { ...spec, isBlocked } });
    states.push(carrier.services.get(reference).state);
  }
  expect(states).toEqual(['inactive', 'active']);
  await provider.close();
  carrier.close();
});

const referenceOf = (applied: Applied): string => {
  if (applied.state !== 'completed') throw new Error('The order is in progress.');
  return applied.reference;
};
const RELEASED: Released = { state: 'released' };

describe.each([
  ['simulated provider', simulator],
  ['TMF641 provider', tmf],
])('contract of the %s', (_, start) => {
  let contender: Contender;
  let opened: ServiceProvider[];
  /** Returns a new instance of the provider for each call, so that no result depends on state in memory. */
  const provider = (): ServiceProvider => {
    const instance = contender.open();
    opened.push(instance);
    return instance;
  };
  const rejection = async (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
  beforeEach(async () => {
    contender = await start();
    opened = [];
  });
  afterEach(async () => {
    for (const instance of opened) await instance.close?.();
    contender.close();
  });

  test('a second order with the same id to build a service returns the reference of the first order', async () => {
    const first = referenceOf(await provider().apply(orderOf('Headquarters')));
    expect(referenceOf(await provider().apply({ ...orderOf('Headquarters'), attempt: 2 }))).toBe(first);
  });

  test('two services have different references', async () => {
    const first = referenceOf(await provider().apply(orderOf('Headquarters')));
    const second = await provider().apply({ ...orderOf('Headquarters'), orderId: 'svc_2', serviceId: 'svc_2' });
    expect(referenceOf(second)).not.toBe(first);
  });

  test('a change that is made twice keeps the reference of the service', async () => {
    const reference = referenceOf(await provider().apply(orderOf('Headquarters')));
    for (let attempt = 1; attempt <= 2; attempt += 1)
      expect(referenceOf(await provider().apply({ ...changeOf('Headquarters', reference), attempt }))).toBe(reference);
  });

  test('an order that blocks a service keeps the reference of the service, also if it is repeated', async () => {
    const reference = referenceOf(await provider().apply(orderOf('Headquarters')));
    const { spec } = orderOf('Headquarters');
    for (const isBlocked of [true, true, false]) {
      const order = { ...changeOf('Headquarters', reference), orderId: isBlocked ? 'svc_1/block-1' : 'svc_1/block-2' };
      expect(referenceOf(await provider().apply({ ...order, spec: { ...spec, isBlocked } }))).toBe(reference);
    }
  });

  test('repeating the release of a service returns the state released again', async () => {
    const reference = referenceOf(await provider().apply(orderOf('Headquarters')));
    for (let attempt = 1; attempt <= 2; attempt += 1)
      expect(await provider().release(releaseOf('Headquarters', reference))).toEqual(RELEASED);
  });

  test('releasing a service that the provider does not have returns the state released', async () => {
    expect(await provider().release(releaseOf('Headquarters', null))).toEqual(RELEASED);
    expect(await provider().release(releaseOf('Headquarters', 'unknown'))).toEqual(RELEASED);
  });

  test('a build that is refused throws OrderRejected with a reason', async () => {
    const name = contender.refuses('build');
    const error = await rejection(provider().apply(orderOf(name)));
    expect(error).toBeInstanceOf(OrderRejected);
    expect((error as Error).message).not.toBe('');
  });

  test('a change that is refused throws OrderRejected, and the service can be released afterwards', async () => {
    const reference = referenceOf(await provider().apply(orderOf('Headquarters')));
    const name = contender.refuses('change');
    expect(await rejection(provider().apply(changeOf(name, reference)))).toBeInstanceOf(OrderRejected);
    contender.recover();
    expect(await provider().release(releaseOf(name, reference))).toEqual(RELEASED);
  });

  test('a service whose release is refused can still be changed', async () => {
    const reference = referenceOf(await provider().apply(orderOf('Headquarters')));
    const name = contender.refuses('release');
    expect(await rejection(provider().release(releaseOf(name, reference)))).toBeInstanceOf(OrderRejected);
    contender.recover();
    expect(referenceOf(await provider().apply(changeOf(name, reference)))).toBe(reference);
  });

  test('a transient failure throws an error other than OrderRejected, and the next attempt succeeds', async () => {
    const name = contender.failsOnce();
    const error = await rejection(provider().apply(orderOf(name)));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(OrderRejected);
    contender.recover();
    expect(await provider().apply({ ...orderOf(name), attempt: 2 })).toMatchObject({ state: 'completed' });
  });
});
