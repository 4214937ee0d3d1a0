import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ApplyOrder, ObservedService } from '../../subgraphs/services/providers/service.provider.ts';
import { OrderRejected } from '../../subgraphs/services/providers/service.provider.ts';
import { TmfProvider } from '../../subgraphs/services/providers/tmf.provider.ts';
import { Carrier, send, CARRIER_TOKEN as TOKEN } from '../support/carrier.ts';

const ORDER: ApplyOrder = {
  orderId: 'svc_1',
  serviceId: 'svc_1',
  reference: null,
  name: 'Headquarters',
  spec: {
    type: 'internet',
    serviceType: 'fiber',
    characteristics: { accessTechnology: 'fiber', bandwidth: '1000mbps', serviceLevel: 'enterprise', redundancy: true },
    places: [{ role: 'installation', id: null, address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' }],
  },
  attempt: 1,
};

let carrier: Carrier;
let provider: TmfProvider;
beforeEach(async () => {
  carrier = await Carrier.start();
  provider = new TmfProvider({ url: carrier.url, token: TOKEN, timeoutMs: 10_000, checkAfterSeconds: 7 });
});
afterEach(async () => {
  await provider.close();
  carrier.close();
});

describe('orders to a carrier', () => {
  test('the connectivity provider places a TMF641 service order with the service id and sends the token of the carrier', async () => {
    expect(await provider.apply(ORDER)).toEqual({ state: 'in_progress', checkAfterSeconds: 7 });
    expect(carrier.orders).toHaveLength(1);
    expect(carrier.orders[0]).toMatchObject({
      externalId: 'svc_1',
      serviceOrderItem: [
        {
          action: 'add',
          service: {
            serviceCharacteristic: [
              { name: 'accessTechnology', value: 'fiber' },
              { name: 'bandwidth', value: '1000mbps' },
              { name: 'serviceLevel', value: 'enterprise' },
              { name: 'redundancy', value: true },
            ],
            place: [{ streetName: '350 Fifth Avenue', city: 'New York', stateOrProvince: 'NY', postcode: '10118' }],
          },
        },
      ],
    });
    expect(carrier.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
  });

  test('provisioning the same service three times places one order with the carrier', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) await provider.apply({ ...ORDER, attempt });
    expect(carrier.orders).toHaveLength(1);
    await provider.apply({ ...ORDER, orderId: 'svc_2', serviceId: 'svc_2' });
    expect(carrier.orders).toHaveLength(2);
  });

  test('an order that the carrier refuses because another job has placed it at the same moment is continued', async () => {
    carrier.refuses = (order) => {
      carrier.orders.push({ ...order, id: 'so-1', state: 'acknowledged' });
      return true;
    };
    expect(await provider.apply(ORDER)).toEqual({ state: 'in_progress', checkAfterSeconds: 7 });
  });

  test("provisioning a service whose carrier order is completed returns the carrier's line id", async () => {
    await provider.apply(ORDER);
    Object.assign(carrier.orders[0], { state: 'completed', serviceOrderItem: [{ service: { id: 'line-1' } }] });
    expect(await provider.apply(ORDER)).toEqual({ state: 'completed', reference: 'line-1' });
  });

  test.each(['pending', 'held', 'inProgress', 'assessingCancellation'])(
    'provisioning a service whose carrier order is %s returns in_progress',
    async (state) => {
      await provider.apply(ORDER);
      carrier.orders[0].state = state;
      expect(await provider.apply(ORDER)).toMatchObject({ state: 'in_progress' });
    },
  );

  test.each(['rejected', 'failed', 'cancelled', 'partial'])(
    "provisioning a service whose carrier order is %s throws OrderRejected with the carrier's reason",
    async (state) => {
      await provider.apply(ORDER);
      Object.assign(carrier.orders[0], { state, errorMessage: [{ reason: 'No duct enters the building.', message: 'E4711' }] });
      const attempt = provider.apply(ORDER);
      await expect(attempt).rejects.toBeInstanceOf(OrderRejected);
      await expect(attempt).rejects.toThrow('No duct enters the building.');
    },
  );

  test("provisioning throws OrderRejected with the carrier's reason if the carrier responds with 400", async () => {
    carrier.instead = (response) => send(response, 400, { code: '22', reason: 'The address is unknown.' });
    const attempt = provider.apply(ORDER);
    await expect(attempt).rejects.toBeInstanceOf(OrderRejected);
    await expect(attempt).rejects.toThrow('The address is unknown.');
  });

  test.each([401, 403, 429, 500, 503])(
    'provisioning throws a retryable error that does not contain the token if the carrier responds with %i',
    async (status) => {
      carrier.instead = (response) => send(response, status, { reason: `Bearer ${TOKEN} is not welcome` });
      const error = await provider.apply(ORDER).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(OrderRejected);
      expect(String(error)).toContain(String(status));
      expect(String(error)).not.toContain(TOKEN);
    },
  );

  test.each([
    ['does not respond in time', () => undefined],
    ['responds with unexpected JSON', (response: ServerResponse) => send(response, 200, { hello: 'world' })],
    ['does not respond with JSON', (response: ServerResponse) => void response.end('<html>')],
    ['sends an endless response', (response: ServerResponse) => void response.end('x'.repeat(2 * 1024 * 1024))],
    ['closes the connection', (response: ServerResponse) => void response.destroy()],
    ['redirects to another URL', (response: ServerResponse) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
  ])('provisioning throws a retryable error if the carrier %s', async (_, instead) => {
    carrier.instead = instead;
    const impatient = new TmfProvider({ url: carrier.url, token: TOKEN, timeoutMs: 500 });
    onTestFinished(() => impatient.close());
    const error = await impatient.apply(ORDER).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(OrderRejected);
  });
});

describe('release of a line at a carrier', () => {
  const RELEASE = { releaseId: 'order_1', serviceId: 'svc_1', reference: null, openOrderIds: [], name: 'Headquarters' };
  const complete = async (line = 'line-1'): Promise<void> => {
    await provider.apply(ORDER);
    carrier.complete(0, line);
  };

  test('releasing a service without a carrier order returns the state released and places no delete order', async () => {
    expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
    expect([carrier.orders, carrier.cancellations]).toEqual([[], []]);
  });

  test.each([
    ['the reference that the platform stored', 'line-7', 'line-7'],
    ['the line of the completed order if the platform stored no reference', null, 'line-1'],
  ])('releasing a line whose order is completed places one delete order with the release id and %s', async (_, reference, line) => {
    await complete();
    const release = { ...RELEASE, reference };
    carrier.services.set('line-7', {});
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect(await provider.release(release)).toEqual({ state: 'in_progress', checkAfterSeconds: 7 });
    expect(carrier.orders).toHaveLength(2);
    expect(carrier.orders[1]).toMatchObject({ externalId: 'order_1', serviceOrderItem: [{ action: 'delete', service: { id: line } }] });
    carrier.orders[1].state = 'completed';
    expect(await provider.release(release)).toEqual({ state: 'released' });
  });

  test('an order in progress is cancelled once, and the line is released when the carrier has cancelled the order', async () => {
    await provider.apply(ORDER);
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.cancellations).toMatchObject([{ serviceOrder: { id: 'so-1' } }]);
    carrier.orders[0].state = 'cancelled';
    expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
  });

  test.each(['rejected', 'cancelled'])(
    'releasing a service whose carrier order is %s places no delete order, even if the carrier order contains a line id',
    async (state) => {
      await complete();
      carrier.orders[0].state = state;
      expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
      expect(carrier.orders).toHaveLength(1);
    },
  );

  test('a line with two orders for its release counts as released when the carrier has completed one of the orders', async () => {
    await complete();
    await provider.release(RELEASE);
    carrier.orders.push({ ...carrier.orders[1], id: 'so-3', state: 'completed' });
    for (const state of ['acknowledged', 'rejected']) {
      carrier.orders[1].state = state;
      expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
    }
  });

  test('if the carrier completes an order that it refused to cancel, the release places an order to delete the line', async () => {
    await provider.apply(ORDER);
    carrier.instead = (response) => send(response, 422, { reason: 'Too late.' });
    expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    carrier.instead = undefined;
    carrier.complete(0);
    expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.orders[1]).toMatchObject({ serviceOrderItem: [{ action: 'delete', service: { id: 'line-1' } }] });
  });

  test.each(['rejected', 'failed', 'cancelled', 'partial'])(
    "a release whose order is %s throws OrderRejected with the carrier's reason, and a release with a new id places a new order",
    async (state) => {
      await complete();
      await provider.release(RELEASE);
      Object.assign(carrier.orders[1], { state, errorMessage: [{ reason: 'The contract runs until May.' }] });
      const attempt = provider.release(RELEASE);
      await expect(attempt).rejects.toBeInstanceOf(OrderRejected);
      await expect(attempt).rejects.toThrow('The contract runs until May.');
      expect(await provider.release({ ...RELEASE, releaseId: 'order_2' })).toMatchObject({ state: 'in_progress' });
    },
  );

  test('a release throws a retryable error if the carrier is unavailable', async () => {
    await complete();
    carrier.instead = (response) => send(response, 503, {});
    const error = await provider.release(RELEASE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(OrderRejected);
  });
});

describe('changes at a carrier', () => {
  const CHANGE: ApplyOrder = { ...ORDER, orderId: 'order_7', reference: 'line-1' };
  const RELEASE = { releaseId: 'order_9', serviceId: 'svc_1', reference: 'line-1', openOrderIds: ['order_7'], name: 'Headquarters' };
  beforeEach(async () => {
    await provider.apply(ORDER);
    carrier.complete(0);
  });

  test('changing a service repeatedly with the same request places one modify order, and returns the reference of the line when the order is completed', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await provider.apply(CHANGE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.orders).toHaveLength(2);
    expect(carrier.orders[1]).toMatchObject({ externalId: 'order_7', serviceOrderItem: [{ action: 'modify', service: { id: 'line-1' } }] });
    carrier.complete(1);
    expect(await provider.apply(CHANGE)).toEqual({ state: 'completed', reference: 'line-1' });
  });

  test('a completed change returns the line id of its carrier order, or the previous reference if the order has no line id', async () => {
    await provider.apply(CHANGE);
    Object.assign(carrier.orders[1], { state: 'completed', serviceOrderItem: [] });
    expect(await provider.apply(CHANGE)).toEqual({ state: 'completed', reference: 'line-1' });
    Object.assign(carrier.orders[1], { serviceOrderItem: [{ service: { id: 'line-2' } }] });
    expect(await provider.apply(CHANGE)).toEqual({ state: 'completed', reference: 'line-2' });
  });

  test('a change whose response was lost is found by its id and is not placed again', async () => {
    carrier.losesResponses = true;
    await expect(provider.apply(CHANGE)).rejects.not.toBeInstanceOf(OrderRejected);
    carrier.losesResponses = false;
    expect(await provider.apply(CHANGE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.orders).toHaveLength(2);
  });

  test.each(['rejected', 'failed', 'cancelled', 'partial'])(
    "a change whose order is %s throws OrderRejected with the carrier's reason",
    async (state) => {
      await provider.apply(CHANGE);
      Object.assign(carrier.orders[1], { state, errorMessage: [{ reason: 'The port is too slow.' }] });
      await expect(provider.apply(CHANGE)).rejects.toThrow(new OrderRejected('The port is too slow.'));
    },
  );

  test('if the carrier does not have a line, changing it throws OrderRejected, and releasing it returns the state released', async () => {
    carrier.services.clear();
    await expect(provider.apply(CHANGE)).rejects.toBeInstanceOf(OrderRejected);
    expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
    expect(carrier.orders).toHaveLength(1);
  });

  test('a release cancels a change in progress once, and deletes the line after the change has ended', async () => {
    await provider.apply(CHANGE);
    for (let check = 1; check <= 2; check += 1) expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.cancellations).toMatchObject([{ serviceOrder: { id: 'so-2' } }]);
    carrier.orders[1].state = 'cancelled';
    expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.orders[2]).toMatchObject({ serviceOrderItem: [{ action: 'delete', service: { id: 'line-1' } }] });
  });

  test.each(['done', 'terminatedWithError'])(
    'releasing a service waits for a change that continues although its cancellation is %s, and then deletes the changed line',
    async (state) => {
      await provider.apply(CHANGE);
      await provider.release(RELEASE);
      carrier.cancellations[0].state = state;
      expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
      expect([carrier.orders.length, carrier.cancellations.length]).toEqual([2, 1]);
      carrier.services.set('line-2', {});
      Object.assign(carrier.orders[1], { state: 'completed', serviceOrderItem: [{ service: { id: 'line-2' } }] });
      await provider.release(RELEASE);
      expect(carrier.orders[2]).toMatchObject({ serviceOrderItem: [{ action: 'delete', service: { id: 'line-2' } }] });
    },
  );
});

describe('unexpected responses of a carrier', () => {
  test('an existing order is found on any page of the order list if the carrier ignores the externalId filter', async () => {
    for (let index = 0; index < 7; index += 1) await provider.apply({ ...ORDER, orderId: `svc_${index}` });
    Object.assign(carrier, { ignoresFilter: true, pageSize: 3 });
    for (let index = 0; index < 7; index += 1) await provider.apply({ ...ORDER, orderId: `svc_${index}` });
    expect(carrier.orders).toHaveLength(7);
  });

  test('provisioning fails and places no order if the carrier returns the first page of its order list for every page', async () => {
    await provider.apply({ ...ORDER, orderId: 'svc_0' });
    Object.assign(carrier, { ignoresFilter: true, repeatsFirstPage: true });
    await expect(provider.apply(ORDER)).rejects.toThrow('too many orders');
    expect(carrier.orders).toHaveLength(1);
  });

  test('the message of OrderRejected has at most 300 characters and contains neither line breaks nor the token', async () => {
    carrier.instead = (response) => send(response, 422, { reason: `<b>${TOKEN}</b>\n\u0000${'x'.repeat(5000)}` });
    const error = (await provider.apply(ORDER).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toBeInstanceOf(OrderRejected);
    expect(error.message).toMatch(/^<b>\*\*\*<\/b> x+$/);
    expect(error.message).toHaveLength(300);
  });

  test.each([[[{ reason: 4711 }]], ['text'], [{ reason: 'text' }]])(
    'OrderRejected has a default message if the errorMessage of the rejected carrier order is %j',
    async (errorMessage) => {
      await provider.apply(ORDER);
      Object.assign(carrier.orders[0], { state: 'rejected', errorMessage });
      await expect(provider.apply(ORDER)).rejects.toThrow(new OrderRejected("The provider's order so-1 is rejected."));
    },
  );

  test('an order whose line id is too long to be stored is not completed', async () => {
    await provider.apply(ORDER);
    carrier.complete(0, 'x'.repeat(201));
    await expect(provider.apply(ORDER)).rejects.toThrow('unexpected body');
  });
});

describe('measurements of a line', () => {
  const now = new Date('2026-01-31T09:30:00.000Z');
  const spec = { type: 'internet', serviceType: 'fiber', characteristics: {}, places: [] };
  const line: ObservedService = { serviceId: 'svc_1', reference: 'line-1', name: 'Headquarters', spec, previous: null };
  const MEASURED = { latencyMs: '4.2', bandwidthUtilization: 31, packetLoss: 0.01, jitterMs: 0.4 };
  const link = {
    siteId: null,
    isUp: true,
    latencyMs: 4.2,
    bandwidthUtilization: 31,
    packetLoss: 0.01,
    jitterMs: 0.4,
    securityIncidents: 0,
  };
  const reports = (characteristics: Record<string, unknown>): void => {
    carrier.characteristics = Object.entries(characteristics).map(([name, value]) => ({ name, value }));
  };
  const previous = (counter: number | null) => ({ ...line, previous: { measuredAt: new Date(now.getTime() - 60_000), counter } });

  test('the observation of a line contains the characteristics of its TMF638 service', async () => {
    reports({ ...MEASURED, color: 'green' });
    expect(await provider.observe(line, now)).toEqual({ measuredAt: now, links: [link], transferredBytes: null, counter: null });
    expect(carrier.requests[0]?.path).toBe('/tmf-api/serviceInventory/v4/service/line-1');
  });

  test.each([
    ['a higher reading of the counter', 5000, 4200, 800],
    ['a lower reading, because the counter was restarted', 300, 4200, 300],
    ['the first reading', 5000, null, null],
    ['a reading that is no number', 'many', 4200, null],
    ['readings of more than a petabyte', 5e16 + 4096, 5e16, 4096],
    ['an impossible reading', 1e300, 4200, null],
    ['an impossible increase', 1e17, 4200, null],
  ])("the transferred bytes are calculated from two readings of the carrier's byte counter: %s", async (_, reading, before, expected) => {
    reports({ ...MEASURED, transferredBytes: reading });
    expect((await provider.observe(previous(before), now))?.transferredBytes).toBe(expected);
  });

  test.each([
    ['3', 3],
    [2.9, 2],
    [1_000_001, 0],
    [3_000_000_000, 0],
    [-1, 0],
  ])('a line that reports %s security incidents is measured with %i, and impossible numbers do not count', async (reported, expected) => {
    reports({ ...MEASURED, securityIncidents: reported });
    expect((await provider.observe(line, now))?.links).toEqual([{ ...link, securityIncidents: expected }]);
  });

  test.each(['failed', 'stopped'])(
    'a line whose operatingStatus is %s is not up, with or without measurements',
    async (operatingStatus) => {
      carrier.operatingStatus = operatingStatus;
      reports({});
      const [down] = (await provider.observe(line, now))?.links ?? [];
      expect(down).toMatchObject({ isUp: false, latencyMs: null });
    },
  );

  test('the measurements of each site of a network are read from the characteristic that is named sites', async () => {
    const place = { role: 'site', address: '1 Main Street', city: null, state: null, zip: null };
    const sites = { ...line, spec: { ...spec, places: ['loc_1', 'loc_2'].map((id) => ({ ...place, id })) } };
    reports({ sites: [{ id: 'loc_2', operatingStatus: 'failed' }, { id: 'loc_1', ...MEASURED, securityIncidents: 2 }, { id: 'other' }] });
    expect((await provider.observe(sites, now))?.links).toEqual([
      { ...link, siteId: 'loc_1', securityIncidents: 2 },
      { ...link, siteId: 'loc_2', isUp: false, latencyMs: null, bandwidthUtilization: null, packetLoss: null, jitterMs: null },
    ]);
    reports({ sites: [{ id: 'loc_1', ...MEASURED }] });
    expect(await provider.observe(sites, now)).toBeNull();
  });

  test('the observation of a line is null if the carrier does not report every measurement', async () => {
    reports({ latencyMs: 4.2 });
    expect(await provider.observe(line, now)).toBeNull();
    expect(await provider.observe({ ...line, reference: null }, now)).toBeNull();
  });
});
