import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectivityOrder } from '../../subgraphs/services/providers/connectivity.provider.ts';
import { ProvisioningRejected } from '../../subgraphs/services/providers/connectivity.provider.ts';
import { HttpConnectivityProvider } from '../../subgraphs/services/providers/http.provider.ts';
import type { Json } from '../tenant.ts';

const TOKEN = 'carrier-token';
const ORDER: ConnectivityOrder = {
  serviceId: 'svc_1',
  name: 'Headquarters',
  technology: 'fiber',
  bandwidthMbps: 1000,
  location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
  sla: 'enterprise',
  redundancy: true,
  monitoring: false,
  attempt: 1,
};

/** A carrier that implements the parts of the TM Forum APIs that the platform uses. */
class Carrier {
  readonly orders: Json[] = [];
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** If set, it handles POST requests instead of the carrier. */
  instead: ((response: ServerResponse) => void) | undefined;
  nextState = 'acknowledged';
  readonly cancellations: Json[] = [];
  characteristics: object[] = [];
  readonly server: Server = createServer((request, response) => void this.#answer(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tmf-api/`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://carrier');
    this.requests.push({ method: request.method ?? '', path: pathname, authorization: request.headers.authorization });
    let text = '';
    for await (const chunk of request) text += chunk;
    if (this.instead && request.method === 'POST') return this.instead(response);
    if (pathname.endsWith('/serviceOrder') && request.method === 'POST') {
      const order = { ...JSON.parse(text), id: `so-${this.orders.length + 1}`, state: this.nextState };
      this.orders.push(order);
      return send(response, 201, order);
    }
    if (pathname.endsWith('/cancelServiceOrder') && request.method === 'POST') {
      this.cancellations.push({ ...JSON.parse(text), id: `cso-${this.cancellations.length + 1}`, state: 'acknowledged' });
      return send(response, 201, this.cancellations.at(-1));
    }
    if (pathname.endsWith('/cancelServiceOrder')) return send(response, 200, this.cancellations);
    if (pathname.endsWith('/serviceOrder'))
      return send(
        response,
        200,
        this.orders.filter(({ externalId }) => externalId === searchParams.get('externalId')),
      );
    return send(response, 200, { id: 'line-1', serviceCharacteristic: this.characteristics });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

let carrier: Carrier;
let provider: HttpConnectivityProvider;
beforeEach(async () => {
  carrier = new Carrier();
  await new Promise<void>((resolve) => carrier.server.listen(0, '127.0.0.1', resolve));
  provider = new HttpConnectivityProvider({ url: carrier.url, token: TOKEN, timeoutMs: 500, checkAfterSeconds: 7 });
});
afterEach(() => {
  carrier.server.closeAllConnections();
  carrier.server.close();
});

describe('orders to a carrier', () => {
  test('the connectivity provider places a TMF641 service order with the service id and sends the token of the carrier', async () => {
    expect(await provider.provision(ORDER)).toEqual({ state: 'in_progress', checkAfterSeconds: 7 });
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
    for (let attempt = 1; attempt <= 3; attempt += 1) await provider.provision({ ...ORDER, attempt });
    expect(carrier.orders).toHaveLength(1);
    await provider.provision({ ...ORDER, serviceId: 'svc_2' });
    expect(carrier.orders).toHaveLength(2);
  });

  test("provisioning a service whose carrier order is completed returns the carrier's line id", async () => {
    await provider.provision(ORDER);
    Object.assign(carrier.orders[0], { state: 'completed', serviceOrderItem: [{ service: { id: 'line-1' } }] });
    expect(await provider.provision(ORDER)).toEqual({ state: 'completed', reference: 'line-1' });
  });

  test.each(['pending', 'held', 'inProgress', 'assessingCancellation'])(
    'provisioning a service whose carrier order is %s returns in_progress',
    async (state) => {
      await provider.provision(ORDER);
      carrier.orders[0].state = state;
      expect(await provider.provision(ORDER)).toMatchObject({ state: 'in_progress' });
    },
  );

  test.each(['rejected', 'failed', 'cancelled', 'partial'])(
    "provisioning a service whose carrier order is %s throws ProvisioningRejected with the carrier's reason",
    async (state) => {
      await provider.provision(ORDER);
      Object.assign(carrier.orders[0], { state, errorMessage: [{ reason: 'No duct enters the building.', message: 'E4711' }] });
      const attempt = provider.provision(ORDER);
      await expect(attempt).rejects.toBeInstanceOf(ProvisioningRejected);
      await expect(attempt).rejects.toThrow('No duct enters the building.');
    },
  );

  test("provisioning throws ProvisioningRejected with the carrier's reason if the carrier responds with 400", async () => {
    carrier.instead = (response) => send(response, 400, { code: '22', reason: 'The address is unknown.' });
    const attempt = provider.provision(ORDER);
    await expect(attempt).rejects.toBeInstanceOf(ProvisioningRejected);
    await expect(attempt).rejects.toThrow('The address is unknown.');
  });

  test.each([401, 403, 429, 500, 503])(
    'provisioning throws a retryable error that does not contain the token if the carrier responds with %i',
    async (status) => {
      carrier.instead = (response) => send(response, status, { reason: `Bearer ${TOKEN} is not welcome` });
      const error = await provider.provision(ORDER).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(ProvisioningRejected);
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
    const error = await provider.provision(ORDER).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ProvisioningRejected);
  });
});

describe('release of a line at a carrier', () => {
  const RELEASE = { releaseId: 'order_1', serviceId: 'svc_1', reference: null, name: 'Headquarters' };
  const complete = async (line = 'line-1'): Promise<void> => {
    await provider.provision(ORDER);
    Object.assign(carrier.orders[0], { state: 'completed', serviceOrderItem: [{ service: { id: line } }] });
  };

  test('a line that was never ordered is released without an order', async () => {
    expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
    expect([carrier.orders, carrier.cancellations]).toEqual([[], []]);
  });

  test.each([
    ['the reference that the platform stored', 'line-7', 'line-7'],
    ['the line of the completed order if the platform stored no reference', null, 'line-1'],
  ])('releasing a line whose order is completed places one delete order with the release id and %s', async (_, reference, line) => {
    await complete();
    const release = { ...RELEASE, reference };
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect(await provider.release(release)).toEqual({ state: 'in_progress', checkAfterSeconds: 7 });
    expect(carrier.orders).toHaveLength(2);
    expect(carrier.orders[1]).toMatchObject({ externalId: 'order_1', serviceOrderItem: [{ action: 'delete', service: { id: line } }] });
    carrier.orders[1].state = 'completed';
    expect(await provider.release(release)).toEqual({ state: 'released' });
  });

  test('an order in progress is cancelled once, and the line is released when the carrier has cancelled the order', async () => {
    await provider.provision(ORDER);
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.cancellations).toMatchObject([{ serviceOrder: { id: 'so-1' } }]);
    carrier.orders[0].state = 'cancelled';
    expect(await provider.release(RELEASE)).toEqual({ state: 'released' });
  });

  test.each(['rejected', 'cancelled'])(
    'a line whose order is %s is released without a second order, even if the order reserved a line id',
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

  test('if the carrier refuses to cancel an order and then completes it, the release deletes the completed line', async () => {
    await provider.provision(ORDER);
    carrier.instead = (response) => send(response, 422, { reason: 'Too late.' });
    expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    carrier.instead = undefined;
    Object.assign(carrier.orders[0], { state: 'completed', serviceOrderItem: [{ service: { id: 'line-1' } }] });
    expect(await provider.release(RELEASE)).toMatchObject({ state: 'in_progress' });
    expect(carrier.orders[1]).toMatchObject({ serviceOrderItem: [{ action: 'delete', service: { id: 'line-1' } }] });
  });

  test.each(['rejected', 'failed', 'cancelled', 'partial'])(
    "a release whose order is %s throws ProvisioningRejected with the carrier's reason, and a release with a new id places a new order",
    async (state) => {
      await complete();
      await provider.release(RELEASE);
      Object.assign(carrier.orders[1], { state, errorMessage: [{ reason: 'The contract runs until May.' }] });
      const attempt = provider.release(RELEASE);
      await expect(attempt).rejects.toBeInstanceOf(ProvisioningRejected);
      await expect(attempt).rejects.toThrow('The contract runs until May.');
      expect(await provider.release({ ...RELEASE, releaseId: 'order_2' })).toMatchObject({ state: 'in_progress' });
    },
  );

  test('a release throws a retryable error if the carrier is unavailable', async () => {
    await complete();
    carrier.instead = (response) => send(response, 503, {});
    const error = await provider.release(RELEASE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ProvisioningRejected);
  });
});

describe('measurements of a line', () => {
  const now = new Date('2026-01-31T09:30:00.000Z');
  const line = { serviceId: 'svc_1', reference: 'line-1', technology: 'fiber' };

  test('the telemetry of a line contains the characteristics of its TMF638 service', async () => {
    carrier.characteristics = Object.entries({
      latencyMs: '4.2',
      bandwidthUtilization: 31,
      packetLoss: 0.01,
      jitterMs: 0.4,
      color: 'green',
    }).map(([name, value]) => ({ name, value }));
    expect(await provider.telemetry(line, now)).toEqual({
      latencyMs: 4.2,
      bandwidthUtilization: 31,
      packetLoss: 0.01,
      jitterMs: 0.4,
      securityIncidents: 0,
      measuredAt: now,
    });
    expect(carrier.requests[0]?.path).toBe('/tmf-api/serviceInventory/v4/service/line-1');
  });

  test('the telemetry of a line is null if the carrier does not report every measurement', async () => {
    carrier.characteristics = [{ name: 'latencyMs', value: 4.2 }];
    expect(await provider.telemetry(line, now)).toBeNull();
    expect(await provider.telemetry({ ...line, reference: null }, now)).toBeNull();
  });
});
