import { Agent, request } from 'undici';
import { z } from 'zod';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import type { ConnectivityLine, ConnectivityOrder, ConnectivityProvider, Provisioning, Telemetry } from './connectivity.provider.ts';
import { ProvisioningRejected } from './connectivity.provider.ts';

const TIMEOUT_MS = 10_000;
const TELEMETRY_TIMEOUT_MS = 2_000;
const CHECK_AFTER_SECONDS = 5;
const MAX_ANSWER_BYTES = 1024 * 1024;
const REASON_LENGTH = 300;
/** A mistake of ours or of the network, not of the order: another try may fare better. */
const RETRIED_STATUSES = [401, 403, 404, 405, 408, 409, 425, 429];

export interface HttpConnectivityOptions {
  /** Where the provider's TM Forum Open APIs lie, such as `https://api.carrier.example/tmf-api`. */
  url: string;
  /** Sent as a bearer token. */
  token?: string | undefined;
  timeoutMs?: number;
  /** How long to wait before asking after an order that is under way. */
  checkAfterSeconds?: number;
}

/** What we read of a TMF641 service order. */
const serviceOrder = z.object({
  id: z.string(),
  externalId: z.string().nullish(),
  state: z.string(),
  serviceOrderItem: z.array(z.object({ service: z.object({ id: z.string().nullish() }).nullish() })).default([]),
  errorMessage: z.array(z.object({ message: z.string().nullish(), reason: z.string().nullish() })).default([]),
});
type ServiceOrder = z.infer<typeof serviceOrder>;

/** What we read of a TMF638 service. */
const inventoryService = z.object({ serviceCharacteristic: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]) });

const tmfError = z.object({ reason: z.string().nullish(), message: z.string().nullish() });

/**
 * A carrier that takes orders as the TM Forum describes it: service orders by TMF641 v4, measurements as characteristics of
 * the TMF638 v4 service. The order's `externalId` is our service id; it is looked up before an order is placed, so that a
 * repeated one continues the first.
 */
export class HttpConnectivityProvider implements ConnectivityProvider {
  readonly name = 'tmf641';
  readonly simulated = false;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #checkAfterSeconds: number;
  readonly #agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });

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

  async telemetry({ reference }: ConnectivityLine, now: Date): Promise<Telemetry | null> {
    if (!reference) return null;
    const answer = await this.#send(
      'GET',
      `/serviceInventory/v4/service/${encodeURIComponent(reference)}`,
      undefined,
      TELEMETRY_TIMEOUT_MS,
    );
    return telemetryOf(inventoryService.parse(answer), now);
  }

  async #find(serviceId: string): Promise<ServiceOrder | undefined> {
    const answer = await this.#send('GET', `/serviceOrdering/v4/serviceOrder?externalId=${encodeURIComponent(serviceId)}`);
    // a server that ignores the filter must not make another's order ours
    return z
      .array(serviceOrder)
      .parse(answer)
      .find(({ externalId }) => externalId === serviceId);
  }

  async #place(order: ConnectivityOrder): Promise<ServiceOrder> {
    return serviceOrder.parse(await this.#send('POST', '/serviceOrdering/v4/serviceOrder', orderBody(order)));
  }

  #outcomeOf({ id, state, serviceOrderItem, errorMessage }: ServiceOrder): Provisioning {
    if (state === 'completed') return { state, reference: serviceOrderItem[0]?.service?.id ?? id };
    if (['rejected', 'failed', 'cancelled', 'partial'].includes(state)) {
      const [error] = errorMessage;
      throw new ProvisioningRejected(shortened(error?.reason ?? error?.message) ?? `The provider's order ${id} is ${state}.`);
    }
    return { state: 'in_progress', checkAfterSeconds: this.#checkAfterSeconds };
  }

  /** The answer's JSON. @throws ProvisioningRejected where the provider refuses what was sent, Error where it failed to answer */
  async #send(method: 'GET' | 'POST', path: string, body?: object, timeoutMs = this.#timeoutMs): Promise<unknown> {
    const { statusCode, body: answer } = await request(`${this.#base}${path}`, {
      method,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode < 300) return JSON.parse(text);
    const problem = `The connectivity provider answered ${statusCode} to ${method} ${path}.`;
    if (method === 'GET' || statusCode < 400 || statusCode >= 500 || RETRIED_STATUSES.includes(statusCode)) throw new Error(problem);
    throw new ProvisioningRejected(reasonIn(text) ?? 'The provider refused the order.', { cause: new Error(problem) });
  }
}

/** A TMF641 order with one item: add a line. */
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

const MEASUREMENTS = ['latencyMs', 'bandwidthUtilization', 'packetLoss', 'jitterMs'] as const;

/** Null unless the provider tells all four measurements. */
function telemetryOf({ serviceCharacteristic }: z.infer<typeof inventoryService>, now: Date): Telemetry | null {
  const values = new Map(serviceCharacteristic.map(({ name, value }) => [name, Number(value)]));
  const of = (name: string): number => values.get(name) ?? Number.NaN;
  if (!MEASUREMENTS.every((name) => Number.isFinite(of(name)))) return null;
  const [latencyMs, bandwidthUtilization, packetLoss, jitterMs] = MEASUREMENTS.map(of) as [number, number, number, number];
  return { latencyMs, bandwidthUtilization, packetLoss, jitterMs, securityIncidents: of('securityIncidents') || 0, measuredAt: now };
}

/** TMF630: `reason` is the text that may be shown to a user. */
function reasonIn(text: string): string | undefined {
  try {
    const { reason, message } = tmfError.parse(JSON.parse(text));
    return shortened(reason ?? message);
  } catch {
    return undefined;
  }
}

const shortened = (text: string | null | undefined): string | undefined => text?.slice(0, REASON_LENGTH) || undefined;
