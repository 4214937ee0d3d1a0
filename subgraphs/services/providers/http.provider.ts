import { z } from 'zod';
import { HttpClient } from '../../../kernel/outbound/http.client.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import type {
  ConnectivityLine,
  ConnectivityOrder,
  ConnectivityProvider,
  Provisioning,
  Release,
  ReleaseOrder,
  Telemetry,
} from './connectivity.provider.ts';
import { ProvisioningRejected } from './connectivity.provider.ts';

const TIMEOUT_MS = 10_000;
const TELEMETRY_TIMEOUT_MS = 2_000;
const CHECK_AFTER_SECONDS = 5;
const MAX_ANSWER_BYTES = 1024 * 1024;
const REASON_LENGTH = 300;
const ORDERS = '/serviceOrdering/v4/serviceOrder';
const CANCELLATIONS = '/serviceOrdering/v4/cancelServiceOrder';

export interface HttpConnectivityOptions {
  /** Base URL of the provider's TM Forum Open APIs, such as `https://api.carrier.example/tmf-api`. */
  url: string;
  /** Token that is sent as a bearer token. */
  token?: string | undefined;
  timeoutMs?: number;
  /** Delay before the status of an order in progress is requested again. */
  checkAfterSeconds?: number;
}

/** The fields of a TMF641 service order that the platform uses. */
const serviceOrder = z.object({
  id: z.string(),
  externalId: z.string().nullish(),
  state: z.string(),
  serviceOrderItem: z.array(z.object({ service: z.object({ id: z.string().nullish() }).nullish() })).default([]),
  errorMessage: z.array(z.object({ message: z.string().nullish(), reason: z.string().nullish() })).default([]),
});
type ServiceOrder = z.infer<typeof serviceOrder>;

/** States of an order that has ended. An order in any other state may still change. */
const ENDED = ['completed', 'rejected', 'failed', 'cancelled', 'partial'];

const isOpen = ({ state }: ServiceOrder): boolean => !ENDED.includes(state);
const isCompleted = ({ state }: ServiceOrder): boolean => state === 'completed';

/** Returns the id of the line that an ended order may have built. The id in an unsuccessful order was only reserved. */
function lineOf(order: ServiceOrder): string | null {
  if (order.state === 'rejected' || order.state === 'cancelled') return null;
  return order.serviceOrderItem[0]?.service?.id ?? (isCompleted(order) ? order.id : null);
}

/** The fields of a TMF641 cancellation that the platform uses. */
const cancellation = z.object({ serviceOrder: z.object({ id: z.string() }).nullish() });

/** The fields of a TMF638 service that the platform uses. */
const inventoryService = z.object({ serviceCharacteristic: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]) });

/** A TMF630 error. `reason` is the text that may be shown to users. */
const tmfError = z.object({ reason: z.string().nullish(), message: z.string().nullish() });

/**
 * Provider for a carrier that has TM Forum APIs. Orders use TMF641 v4. Measurements are read from the characteristics
 * of the TMF638 v4 service. The platform's service id is the `externalId` of the order. Before an order is placed, an
 * existing order with this id is looked up, so that a retry continues the first order.
 */
export class HttpConnectivityProvider implements ConnectivityProvider {
  readonly name = 'tmf641';
  readonly simulated = false;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #checkAfterSeconds: number;
  readonly #client = new HttpClient({ maxBytes: MAX_ANSWER_BYTES });

  constructor({ url, token, timeoutMs = TIMEOUT_MS, checkAfterSeconds = CHECK_AFTER_SECONDS }: HttpConnectivityOptions) {
    this.#base = url.replace(/\/+$/, '');
    this.#headers = { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    this.#timeoutMs = timeoutMs;
    this.#checkAfterSeconds = checkAfterSeconds;
  }

  async provision(order: ConnectivityOrder): Promise<Provisioning> {
    const placed = (await this.#find(order.serviceId)) ?? (await this.#place(order));
    return this.#outcomeOf(placed);
  }

  /** Cancels the order of the line if it has not ended. Otherwise, places an order that deletes the line. */
  async release(release: ReleaseOrder): Promise<Release> {
    const removal = await this.#find(release.releaseId);
    if (removal) return this.#releaseOf(removal);
    const order = await this.#find(release.serviceId);
    if (order && isOpen(order)) {
      await this.#cancel(order);
      return { state: 'in_progress', checkAfterSeconds: this.#checkAfterSeconds };
    }
    const line = release.reference ?? (order ? lineOf(order) : null);
    if (!line) return { state: 'released' };
    return this.#releaseOf(await this.#send(serviceOrder, 'POST', ORDERS, { json: removalBody(release, line) }));
  }

  async telemetry({ reference }: ConnectivityLine, now: Date): Promise<Telemetry | null> {
    if (!reference) return null;
    const path = `/serviceInventory/v4/service/${encodeURIComponent(reference)}`;
    return telemetryOf(await this.#send(inventoryService, 'GET', path, { timeoutMs: TELEMETRY_TIMEOUT_MS }), now);
  }

  async #find(externalId: string): Promise<ServiceOrder | undefined> {
    const path = `${ORDERS}?externalId=${encodeURIComponent(externalId)}`;
    const orders = await this.#send(z.array(serviceOrder), 'GET', path);
    // checks the id again, because a server that ignores the filter also returns other orders
    const found = orders.filter((order) => order.externalId === externalId);
    // if a repeated request created a second order, the carrier may have rejected one of the orders
    return found.find(isCompleted) ?? found.find(isOpen) ?? found[0];
  }

  #place(order: ConnectivityOrder): Promise<ServiceOrder> {
    return this.#send(serviceOrder, 'POST', ORDERS, { json: orderBody(order) });
  }

  /**
   * Requests the cancellation of an order, unless it was already requested. A refusal is ignored: the carrier then
   * completes the order, and a later call of `release` deletes the line.
   */
  async #cancel({ id }: ServiceOrder): Promise<void> {
    const requested = await this.#send(z.array(cancellation), 'GET', `${CANCELLATIONS}?serviceOrder.id=${encodeURIComponent(id)}`);
    if (requested.some((one) => one.serviceOrder?.id === id)) return;
    const json = { '@type': 'CancelServiceOrder', cancellationReason: 'The customer cancelled the service.', serviceOrder: { id } };
    await this.#send(cancellation, 'POST', CANCELLATIONS, { json }).catch((error: unknown) => {
      if (!(error instanceof ProvisioningRejected)) throw error;
    });
  }

  #releaseOf(removal: ServiceOrder): Release {
    const outcome = this.#outcomeOf(removal);
    return outcome.state === 'completed' ? { state: 'released' } : outcome;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #outcomeOf({ id, state, serviceOrderItem, errorMessage }: ServiceOrder): Provisioning {
    if (state === 'completed') return { state, reference: serviceOrderItem[0]?.service?.id ?? id };
    if (ENDED.includes(state)) {
      const [error] = errorMessage;
      throw new ProvisioningRejected(shortened(error?.reason ?? error?.message) ?? `The provider's order ${id} is ${state}.`);
    }
    return { state: 'in_progress', checkAfterSeconds: this.#checkAfterSeconds };
  }

  /**
   * Sends a request and parses the response.
   * @throws ProvisioningRejected if the provider rejects the order
   * @throws Error if the request fails for another reason, or the response is invalid
   */
  async #send<T>(
    shape: z.ZodType<T>,
    method: 'GET' | 'POST',
    path: string,
    { json, timeoutMs = this.#timeoutMs }: { json?: object; timeoutMs?: number } = {},
  ): Promise<T> {
    const answer = await this.#client.send({ method, url: `${this.#base}${path}`, headers: this.#headers, json, timeoutMs });
    const problem = `The connectivity provider responded ${answer.status} to ${method} ${path}`;
    if (answer.outcome === 'done') {
      const { data, error } = answer.json(shape);
      if (error) throw new Error(`${problem} with an unexpected body.`, { cause: error });
      return data;
    }
    if (method === 'GET' || answer.outcome === 'later') throw new Error(`${problem}.`);
    const { reason, message } = answer.json(tmfError).data ?? {};
    throw new ProvisioningRejected(shortened(reason ?? message) ?? 'The provider rejected the order.', { cause: new Error(`${problem}.`) });
  }
}

/** Returns the body of a TMF641 order with one item that adds a line. */
const orderBody = ({ serviceId, name, technology, bandwidthMbps, location, sla, redundancy, monitoring }: ConnectivityOrder): object => ({
  '@type': 'ServiceOrder',
  externalId: serviceId,
  description: name,
  category: 'connectivity',
  serviceOrderItem: [
    {
      '@type': 'ServiceOrderItem',
      id: '1',
      action: 'add',
      service: {
        '@type': 'Service',
        name,
        serviceType: technology,
        state: 'active',
        serviceCharacteristic: [
          { name: 'accessTechnology', valueType: 'string', value: technology },
          { name: 'bandwidth', valueType: 'string', value: formatBandwidth(bandwidthMbps) },
          ...(sla ? [{ name: 'serviceLevel', valueType: 'string', value: sla }] : []),
          ...(redundancy ? [{ name: 'redundancy', valueType: 'boolean', value: true }] : []),
          ...(monitoring ? [{ name: 'monitoring', valueType: 'boolean', value: true }] : []),
        ],
        place: [
          {
            '@type': 'GeographicAddress',
            role: 'installation',
            streetName: location.address,
            city: location.city,
            stateOrProvince: location.state,
            postcode: location.zip,
            country: 'US',
          },
        ],
      },
    },
  ],
});

/** Returns the body of a TMF641 order with one item that deletes a line. */
const removalBody = ({ releaseId, name }: ReleaseOrder, line: string): object => ({
  '@type': 'ServiceOrder',
  externalId: releaseId,
  description: name,
  category: 'connectivity',
  serviceOrderItem: [{ '@type': 'ServiceOrderItem', id: '1', action: 'delete', service: { '@type': 'Service', id: line } }],
});

const MEASUREMENTS = ['latencyMs', 'bandwidthUtilization', 'packetLoss', 'jitterMs'] as const;

/** Returns the measurements in a TMF638 service. Returns null if one of the four measurements is missing. */
function telemetryOf({ serviceCharacteristic }: z.infer<typeof inventoryService>, now: Date): Telemetry | null {
  const values = new Map(serviceCharacteristic.map(({ name, value }) => [name, Number(value)]));
  const of = (name: string): number => values.get(name) ?? Number.NaN;
  if (!MEASUREMENTS.every((name) => Number.isFinite(of(name)))) return null;
  const [latencyMs, bandwidthUtilization, packetLoss, jitterMs] = MEASUREMENTS.map(of) as [number, number, number, number];
  return { latencyMs, bandwidthUtilization, packetLoss, jitterMs, securityIncidents: of('securityIncidents') || 0, measuredAt: now };
}

const shortened = (text: string | null | undefined): string | undefined => text?.slice(0, REASON_LENGTH) || undefined;
