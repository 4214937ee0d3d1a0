import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../tenant.ts';

export const CARRIER_TOKEN = 'carrier-token';

/**
 * A carrier that implements the parts of the TM Forum APIs that the platform uses: TMF641 orders with the actions add,
 * modify and delete, their cancellation, and TMF638 services. An order stays in its first state until the test changes it.
 */
export class Carrier {
  readonly orders: Json[] = [];
  readonly cancellations: Json[] = [];
  /** The carrier's services by id. A completed order adds, modifies or deletes one of them. */
  readonly services = new Map<string, Json>();
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** If set, it handles POST requests instead of the carrier. */
  instead: ((response: ServerResponse) => void) | undefined;
  /** If true, the carrier processes POST requests, but closes the connection instead of a response. */
  losesResponses = false;
  /** Returns true for orders that the carrier refuses. */
  refuses: (order: Json) => boolean = () => false;
  /** If true, orders are completed as soon as they are placed. */
  completesAtOnce = false;
  /** If true, the carrier lists all orders for every filter. */
  ignoresFilter = false;
  /** If true, the carrier lists its first page for every offset and states a total that is never reached. */
  repeatsFirstPage = false;
  pageSize = 100;
  characteristics: object[] = [];
  operatingStatus: string | undefined;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<Carrier> {
    const carrier = new Carrier();
    await new Promise<void>((resolve) => carrier.#server.listen(0, '127.0.0.1', resolve));
    return carrier;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tmf-api/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Completes an order, and applies its item to `services`. If the order adds a service, `line` is the id of this service. */
  complete(index: number, line = `line-${index + 1}`): void {
    const order = this.orders[index];
    const [item] = order.serviceOrderItem;
    const id: string = item.action === 'add' ? line : item.service.id;
    order.state = 'completed';
    item.service = { ...item.service, id };
    if (item.action === 'delete') this.services.delete(id);
    else this.services.set(id, item.service);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://carrier');
    this.requests.push({ method, path: pathname, authorization: request.headers.authorization });
    let text = '';
    for await (const chunk of request) text += chunk;
    const resource = pathname.split('/').at(-1);
    if (method === 'GET') {
      if (resource === 'serviceOrder') return this.#list(response, searchParams);
      if (resource === 'cancelServiceOrder') return send(response, 200, this.cancellations);
      return send(response, 200, { id: resource, operatingStatus: this.operatingStatus, serviceCharacteristic: this.characteristics });
    }
    if (this.instead) return this.instead(response);
    const [status, body] = resource === 'cancelServiceOrder' ? this.#cancel(JSON.parse(text)) : this.#order(JSON.parse(text));
    if (this.losesResponses) response.destroy();
    else send(response, status, body);
  }

  #list(response: ServerResponse, query: URLSearchParams): void {
    const orders = this.orders.filter(({ externalId }) => this.ignoresFilter || externalId === query.get('externalId'));
    const offset = this.repeatsFirstPage ? 0 : Number(query.get('offset') ?? 0);
    response.setHeader('x-total-count', this.repeatsFirstPage ? 1_000_000 : orders.length);
    send(response, 200, orders.slice(offset, offset + this.pageSize));
  }

  #order(body: Json): [status: number, body: Json] {
    if (this.refuses(body)) return [400, { code: '22', reason: 'There is no duct.' }];
    const [{ action, service }] = body.serviceOrderItem;
    if (action !== 'add' && !this.services.has(service.id)) return [404, { code: '60', reason: 'No such service.' }];
    const order = { ...body, id: `so-${this.orders.length + 1}`, state: 'acknowledged' };
    this.orders.push(order);
    if (this.completesAtOnce) this.complete(this.orders.length - 1);
    return [201, order];
  }

  #cancel(body: Json): [status: number, body: Json] {
    const cancellation = { ...body, id: `cso-${this.cancellations.length + 1}`, state: 'acknowledged' };
    this.cancellations.push(cancellation);
    return [201, cancellation];
  }
}

/** Sends a JSON response. */
export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
