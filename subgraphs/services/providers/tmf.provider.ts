import { z } from 'zod';
import { HttpClient, type OutboundResponse } from '../../../kernel/outbound/http.client.ts';
import type {
  Applied,
  ApplyOrder,
  Observation,
  ObservedLink,
  ObservedService,
  PreviousObservation,
  Released,
  ReleaseOrder,
  ServiceProvider,
  ServiceSpec,
} from './service.provider.ts';
import { OrderRejected } from './service.provider.ts';
import { ENDED, isCompleted, isOpen, lineOf, orderBody, removalBody, type ServiceOrder, serviceOrder } from './tmf-order.ts';

const TIMEOUT_MS = 10_000;
const OBSERVE_TIMEOUT_MS = 2_000;
const CHECK_AFTER_SECONDS = 5;
const MAX_ANSWER_BYTES = 1024 * 1024;
const REASON_LENGTH = 300;
/** Maximum number of pages that a search for an order reads. Only a carrier that ignores the filter `externalId` returns several pages. */
const MAX_PAGES = 20;
const NOT_FOUND = 404;
const PARTIAL_CONTENT = 206;
const ORDERS = '/serviceOrdering/v4/serviceOrder';
const CANCELLATIONS = '/serviceOrdering/v4/cancelServiceOrder';

export interface TmfOptions {
  /** Base URL of the provider's TM Forum Open APIs, such as `https://api.carrier.example/tmf-api`. */
  url: string;
  /** Access token that is sent in the `Authorization` header as a bearer token. */
  token?: string | undefined;
  timeoutMs?: number;
  /** Delay before the status of an order in progress is requested again. */
  checkAfterSeconds?: number;
}

/** The fields of a TMF641 cancellation that the platform uses. */
const cancellation = z.object({ serviceOrder: z.object({ id: z.string() }).nullish() });

/** The fields of a TMF638 service that the platform uses. */
const inventoryService = z.object({
  operatingStatus: z.string().nullish(),
  serviceCharacteristic: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]),
});

/** A TMF630 error. `reason` is the text that may be shown to users. */
const tmfError = z.object({ reason: z.string().nullish(), message: z.string().nullish() });

/**
 * Provider for a carrier that has TM Forum APIs. Orders use TMF641 v4. Measurements are read from the characteristics
 * of the TMF638 v4 service. The idempotency key of an order (`orderId` or `releaseId`) is its `externalId`. Before an order
 * is placed, an existing order with this key is looked up, so that a retry continues the first order.
 */
export class TmfProvider implements ServiceProvider {
  readonly name = 'tmf641';
  readonly simulated = false;
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #checkAfterSeconds: number;
  readonly #client = new HttpClient({ maxBytes: MAX_ANSWER_BYTES });

  constructor({ url, token, timeoutMs = TIMEOUT_MS, checkAfterSeconds = CHECK_AFTER_SECONDS }: TmfOptions) {
    this.#base = url.replace(/\/+$/, '');
    this.#token = token;
    this.#headers = { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    this.#timeoutMs = timeoutMs;
    this.#checkAfterSeconds = checkAfterSeconds;
  }

  async apply(order: ApplyOrder): Promise<Applied> {
    const placed = (await this.#find(order.orderId)) ?? (await this.#place(order));
    return this.#outcomeOf(placed, order.reference);
  }

  /**
   * Requests the cancellation of the open orders of a line, and returns `in_progress` as long as an order is open. After that, a call
   * places an order that deletes the line, if the line exists.
   */
  async release(release: ReleaseOrder): Promise<Released> {
    const removal = await this.#find(release.releaseId);
    if (removal) return this.#releaseOf(removal);
    const build = await this.#find(release.serviceId);
    const changes: ServiceOrder[] = [];
    for (const id of release.openOrderIds) changes.push(...[await this.#find(id)].filter((order) => order !== undefined));
    const open = [build, ...changes].filter((order) => order !== undefined).filter(isOpen);
    for (const order of open) await this.#cancel(order);
    if (open.length > 0) return { state: 'in_progress', checkAfterSeconds: this.#checkAfterSeconds };
    // a completed change may have given the line another id, which the platform has not stored yet
    const changed = changes.findLast(isCompleted)?.serviceOrderItem[0]?.service?.id;
    const line = changed ?? release.reference ?? (build ? lineOf(build) : null);
    return line ? this.#delete(release, line) : { state: 'released' };
  }

  async observe({ reference, spec, previous }: ObservedService, now: Date): Promise<Observation | null> {
    if (!reference) return null;
    const path = `/serviceInventory/v4/service/${encodeURIComponent(reference)}`;
    const service = await this.#send(inventoryService, 'GET', path, { timeoutMs: OBSERVE_TIMEOUT_MS });
    return observationOf(service, spec, previous, now);
  }

  /** Returns the order with an external id. Reads the next page only if the carrier's response announces it. */
  async #find(externalId: string): Promise<ServiceOrder | undefined> {
    const found: ServiceOrder[] = [];
    let offset = 0;
    for (let page = 1; ; page += 1) {
      const path = `${ORDERS}?externalId=${encodeURIComponent(externalId)}${offset > 0 ? `&offset=${offset}` : ''}`;
      const { data: orders, answer } = await this.#request(z.array(serviceOrder), 'GET', path);
      // checks the id again, because a server that ignores the filter also returns other orders
      found.push(...orders.filter((order) => order.externalId === externalId));
      offset += orders.length;
      const total = Number(answer.header('x-total-count') ?? Number.NaN);
      const hasMore = Number.isFinite(total) ? offset < total : answer.status === PARTIAL_CONTENT;
      if (found.length > 0 || orders.length === 0 || !hasMore) break;
      // without this error, an existing order could be placed a second time
      if (page === MAX_PAGES) throw new Error(`The connectivity provider returns too many orders for GET ${path}.`);
    }
    // if a repeated request created a second order, the carrier may have rejected one of the orders
    return found.find(isCompleted) ?? found.find(isOpen) ?? found[0];
  }

  async #place(order: ApplyOrder): Promise<ServiceOrder> {
    try {
      return await this.#send(serviceOrder, 'POST', ORDERS, { json: orderBody(order) });
    } catch (error) {
      if (order.reference && isUnknownLine(error)) throw new OrderRejected('The provider does not have the service.', { cause: error });
      // two jobs of a service may place the same order at once, and the carrier refuses the second: the first is continued
      const placed = error instanceof OrderRejected ? await this.#find(order.orderId) : undefined;
      if (placed) return placed;
      throw error;
    }
  }

  async #delete(release: ReleaseOrder, line: string): Promise<Released> {
    try {
      return this.#releaseOf(await this.#send(serviceOrder, 'POST', ORDERS, { json: removalBody(release, line) }));
    } catch (error) {
      if (isUnknownLine(error)) return { state: 'released' };
      throw error;
    }
  }

  /**
   * Requests the cancellation of an order, unless it was already requested. Ignores a refusal, and does not check the state
   * of the cancellation: if it has no effect, the carrier completes the order, and a later call of `release` deletes the
   * line.
   */
  async #cancel({ id }: ServiceOrder): Promise<void> {
    const requested = await this.#send(z.array(cancellation), 'GET', `${CANCELLATIONS}?serviceOrder.id=${encodeURIComponent(id)}`);
    if (requested.some((one) => one.serviceOrder?.id === id)) return;
    const json = { '@type': 'CancelServiceOrder', cancellationReason: 'The customer cancelled the service.', serviceOrder: { id } };
    await this.#send(cancellation, 'POST', CANCELLATIONS, { json }).catch((error: unknown) => {
      if (!(error instanceof OrderRejected)) throw error;
    });
  }

  #releaseOf(removal: ServiceOrder): Released {
    const outcome = this.#outcomeOf(removal, null);
    return outcome.state === 'completed' ? { state: 'released' } : outcome;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /**
   * Returns the state of an order. If a completed order names no line, the result contains `reference`, or the id of the
   * order if `reference` is null.
   * @throws OrderRejected if the order has ended without success
   */
  #outcomeOf({ id, state, serviceOrderItem, errorMessage }: ServiceOrder, reference: string | null): Applied {
    if (state === 'completed') return { state, reference: serviceOrderItem[0]?.service?.id ?? reference ?? id };
    if (ENDED.includes(state)) {
      const [error] = errorMessage;
      throw new OrderRejected(this.#reason(error?.reason ?? error?.message) ?? `The provider's order ${id} is ${state}.`);
    }
    return { state: 'in_progress', checkAfterSeconds: this.#checkAfterSeconds };
  }

  /** Sends a request and returns only the parsed body of the response. @throws the same errors as `#request` */
  async #send<T>(shape: z.ZodType<T>, method: 'GET' | 'POST', path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.#request(shape, method, path, options)).data;
  }

  /**
   * Sends a request and parses the response.
   * @throws OrderRejected if the provider rejects the order
   * @throws Error if the request fails for another reason, or the response is invalid
   */
  async #request<T>(
    shape: z.ZodType<T>,
    method: 'GET' | 'POST',
    path: string,
    { json, timeoutMs = this.#timeoutMs }: RequestOptions = {},
  ): Promise<{ data: T; answer: OutboundResponse }> {
    const answer = await this.#client.send({ method, url: `${this.#base}${path}`, headers: this.#headers, json, timeoutMs });
    const problem = `The connectivity provider responded ${answer.status} to ${method} ${path}`;
    if (answer.outcome === 'done') {
      const { data, error } = answer.json(shape);
      if (error) throw new Error(`${problem} with an unexpected body.`, { cause: error });
      return { data, answer };
    }
    if (method === 'GET' || answer.outcome === 'later') throw new FailedRequest(`${problem}.`, method, answer.status);
    const { reason, message } = answer.json(tmfError).data ?? {};
    throw new OrderRejected(this.#reason(reason ?? message) ?? 'The provider rejected the order.', { cause: new Error(`${problem}.`) });
  }

  /** Returns the carrier's reason as one line of text with a limited length and without the token. */
  #reason(text: string | null | undefined): string | undefined {
    const readable = this.#token ? text?.replaceAll(this.#token, '***') : text;
    return (
      readable
        ?.replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, REASON_LENGTH) || undefined
    );
  }
}

interface RequestOptions {
  json?: object;
  timeoutMs?: number;
}

/** Thrown if a response shows that the request failed. A retry may succeed. */
class FailedRequest extends Error {
  constructor(
    message: string,
    readonly method: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/**
 * Returns true if the carrier responded 404 to an order because it does not know the line. The URL cannot be the reason: an
 * earlier request has listed orders at the same URL.
 */
const isUnknownLine = (error: unknown): boolean => error instanceof FailedRequest && error.method === 'POST' && error.status === NOT_FOUND;

const MEASUREMENTS = ['latencyMs', 'bandwidthUtilization', 'packetLoss', 'jitterMs'] as const;
/** Largest number that is accepted as a measurement. As a number of bytes, it is a petabyte. */
const MAX_MEASURED = 1e15;
/** Largest accepted value of a byte counter that counts since the line was built. A line of 100 Gbps transfers a petabyte per day. */
const MAX_COUNTED = 1e18;
/** Largest accepted number of security incidents of one measurement. The incidents of all sites are stored as one integer. */
const MAX_INCIDENTS = 1_000_000;
/** Values of the TMF638 attribute `operatingStatus` of a service that does not work. */
const NOT_RUNNING = ['failed', 'stopped'];

/** The measurements of one site, in the characteristic `sites`. */
const siteMeasurements = z.array(z.record(z.string(), z.unknown()).and(z.object({ id: z.string() })));

/** Returns the measurements in a TMF638 service. Returns null if a measurement of a connection that is up is missing. */
function observationOf(
  { serviceCharacteristic, operatingStatus }: z.infer<typeof inventoryService>,
  { places }: ServiceSpec,
  previous: PreviousObservation | null,
  now: Date,
): Observation | null {
  const values: Record<string, unknown> = Object.fromEntries(serviceCharacteristic.map(({ name, value }) => [name, value]));
  const isDown = NOT_RUNNING.includes(operatingStatus ?? '');
  const siteIds = places.flatMap(({ id }) => (id === null ? [] : [id]));
  const sites = siteMeasurements.safeParse(values.sites).data ?? [];
  const links =
    siteIds.length === 0
      ? [linkOf(null, values, isDown)]
      : siteIds.map((id) => linkOf(id, sites.find((site) => site.id === id) ?? {}, isDown));
  if (links.some((link) => link === null)) return null;
  const counter = numberOf(values.transferredBytes, MAX_COUNTED);
  return { measuredAt: now, links: links as ObservedLink[], transferredBytes: increaseOf(counter, previous), counter };
}

function linkOf(siteId: string | null, values: Readonly<Record<string, unknown>>, isDown: boolean): ObservedLink | null {
  const isUp = !isDown && !NOT_RUNNING.includes(String(values.operatingStatus));
  const [latencyMs = null, bandwidthUtilization = null, packetLoss = null, jitterMs = null] = MEASUREMENTS.map((name) =>
    numberOf(values[name]),
  );
  if (isUp && [latencyMs, bandwidthUtilization, packetLoss, jitterMs].includes(null)) return null;
  const securityIncidents = Math.trunc(numberOf(values.securityIncidents, MAX_INCIDENTS) ?? 0);
  return { siteId, isUp, latencyMs, bandwidthUtilization, packetLoss, jitterMs, securityIncidents };
}

/** Returns the number in a characteristic, which may be a number or a text. Null for impossible numbers and other values. */
function numberOf(value: unknown, max = MAX_MEASURED): number | null {
  const number = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;
  return number >= 0 && number <= max ? number : null;
}

/**
 * Returns how much a counter has increased. A counter with a lower value than before was restarted, and counts from zero.
 * Null for an impossible increase.
 */
function increaseOf(counter: number | null, previous: PreviousObservation | null): number | null {
  if (counter === null || previous?.counter == null) return null;
  return numberOf(counter >= previous.counter ? counter - previous.counter : counter);
}
