import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { type DocumentNode, parse } from 'graphql';
import type { Clock } from '../../kernel/clock.ts';
import { WriteProbe } from '../../kernel/database/write-probe.ts';
import type { Relay } from '../../kernel/events/relay.ts';
import type { Graph } from '../../kernel/graph.ts';
import type { Logger } from '../../kernel/log/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { requestOf } from '../../kernel/request.ts';
import type { RunningEvents } from '../../subgraphs/events/subgraph.ts';
import type { ComponentChecks } from '../../subgraphs/monitoring/components/component.sweeper.ts';
import type { Measured } from '../../subgraphs/monitoring/components/component-state.ts';
import type { Databases } from './databases.ts';
import type { Stores } from './stores.ts';

/** A path of the API that exists in every release. A request OPTIONS passes the server, the edge and the bridge, and counts nowhere. */
const PROBED_PATH = '/v1/monitoring/status';
const PROBED_STATUS = 204;
/** The share of requests with a server error from which on the API is impaired, and the number of requests that are needed for it. */
const ERROR_SHARE = 0.1;
const ERROR_REQUESTS = 20;
const API_ROUTE = /^\/(v1|graphql)(\/|$)/;

/** One query for each domain. They read no records, because no organization has the id of the caller. */
const QUERIES: readonly DocumentNode[] = [
  'query CheckIdentity { accounts(page: { limit: 1 }) { nodes { id } } }',
  'query CheckServices { services(page: { limit: 1 }) { nodes { id } } }',
  'query CheckBilling { invoices(page: { limit: 1 }) { nodes { id } } }',
  'query CheckSupport { tickets(page: { limit: 1 }) { nodes { id } } }',
  'query CheckMonitoring { incidents(page: { limit: 1 }) { nodes { id } } }',
  'query CheckEvents { webhooks(page: { limit: 1 }) { nodes { id } } }',
].map((text) => parse(text));
const NO_ORGANIZATION = 'org_none';

export interface ComponentCheckDeps {
  graph: Graph;
  databases: Databases;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Parts of the platform that exist only after the domains have started. */
export interface CheckedParts {
  stores: Stores;
  relay: Pick<Relay, 'oldest'>;
  events: Pick<RunningEvents, 'oldestWaiting'>;
}

interface BoundParts extends CheckedParts {
  probes: WriteProbe[];
}

/**
 * Measures the components of the platform, for the status that monitoring shows. The domains get the checks when they start, and the
 * checked parts are bound afterwards. Until then the checks fail.
 */
export class PlatformChecks {
  #parts: BoundParts | undefined;
  #app: FastifyInstance | undefined;
  readonly #errors: ServerErrors;

  constructor(private readonly deps: ComponentCheckDeps) {
    this.#errors = new ServerErrors(deps.metrics);
  }

  readonly checks: ComponentChecks = {
    api: () => this.#api(),
    graph: () => this.#graph(),
    webhooks: () => this.#webhooks(),
    jobs: async () => longest((await this.deps.databases.jobs()).map((jobs) => jobs.oldestSeconds())),
    database: () => longest(this.#bound.probes.map((probe) => timed(probe.write()))),
  };

  bind(parts: CheckedParts): void {
    this.#parts = { ...parts, probes: Object.values(parts.stores).map(({ rows, schema }) => new WriteProbe(rows, schema)) };
  }

  /** Sets the server that `api` sends its requests to. */
  bindServer(app: FastifyInstance): void {
    this.#app = app;
  }

  get #bound(): BoundParts {
    if (!this.#parts) throw new Error('The platform has not started.');
    return this.#parts;
  }

  async #api(): Promise<Measured> {
    if (!this.#app) throw new Error('The server has not started.');
    const isImpaired = await this.#errors.areFrequent();
    const began = performance.now();
    const status = await statusOf(this.#app);
    if (status !== PROBED_STATUS) throw new Error(`the API responded with ${status}`);
    return { seconds: since(began), isImpaired };
  }

  #graph(): Promise<Measured> {
    const request = requestOf('monitoring.components', NO_ORGANIZATION, this.deps.log);
    return longest(QUERIES.map((document) => timed(this.deps.graph.query(document, {}, request))));
  }

  #webhooks(): Promise<Measured> {
    const { relay, events } = this.#bound;
    const now = this.deps.clock.now().getTime();
    const age = async (oldest: Promise<Date | undefined>): Promise<number> => (now - ((await oldest)?.getTime() ?? now)) / 1000;
    return longest([...relay.oldest(), events.oldestWaiting()].map(age));
  }
}

/** Counts the API requests of this process that failed with a server error, from one check to the next. */
class ServerErrors {
  #requests = 0;
  #errors = 0;

  constructor(private readonly metrics: Metrics) {}

  async areFrequent(): Promise<boolean> {
    const { values } = await this.metrics.httpDuration.get();
    const counts = values.filter(({ metricName, labels }) => metricName?.endsWith('_count') && API_ROUTE.test(String(labels.route)));
    const sum = (rows: typeof counts): number => rows.reduce((total, { value }) => total + value, 0);
    const requests = sum(counts);
    const errors = sum(counts.filter(({ labels }) => Number(labels.status) >= 500));
    const [newRequests, newErrors] = [requests - this.#requests, errors - this.#errors];
    [this.#requests, this.#errors] = [requests, errors];
    return newRequests >= ERROR_REQUESTS && newErrors >= newRequests * ERROR_SHARE;
  }
}

/**
 * Returns the longest of the times that the parts of a component measure, in seconds. The component is impaired if some of its parts fail.
 * @throws the error of the first part if all of them fail
 */
async function longest(parts: readonly Promise<number>[]): Promise<Measured> {
  const results = await Promise.allSettled(parts);
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed[0] && failed.length === results.length) throw failed[0].reason;
  const seconds = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return { seconds: Math.max(0, ...seconds), isImpaired: failed.length > 0 };
}

/** Returns the time in seconds until a promise is fulfilled. */
async function timed(running: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await running;
  return since(began);
}

const since = (began: number): number => (performance.now() - began) / 1000;

/** Sends a request to the own server over the network, and returns the status of the response. */
function statusOf(app: FastifyInstance): Promise<number | undefined> {
  const { address, port } = app.server.address() as AddressInfo;
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return new Promise((resolve, reject) => {
    const options = { host, port, method: 'OPTIONS', path: PROBED_PATH, agent: false };
    const onResponse = ({ statusCode }: { statusCode?: number }): void => resolve(statusCode);
    // the certificate is for the public name of the platform
    const sent =
      app.server instanceof TlsServer
        ? httpsRequest({ ...options, rejectUnauthorized: false }, onResponse)
        : httpRequest(options, onResponse);
    sent.on('response', (response) => response.resume());
    sent.on('error', reject);
    sent.setTimeout(5_000, () => sent.destroy(new Error('no response')));
    sent.end();
  });
}
