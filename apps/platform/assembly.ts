import type { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import type { Credentials } from '../../kernel/access/credentials.ts';
import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Config } from '../../kernel/settings/config.ts';
import type { Identified } from '../../router/edge/admission.ts';
import type { Edge, EdgeOptions } from '../../router/edge/edge.ts';
import type { UsageObserver } from '../../router/edge/limiter.ts';
import type { Check } from './operations.ts';

/** Dependencies that the process provides to the assembly. */
export interface Foundation {
  config: Config;
  /** Secret keys from the configuration, or from the data folder in embedded mode. */
  secretKeys: SecretKeys;
  /** Public origin of the platform, without a trailing slash. */
  origin: string;
  /** Certificate authorities that may issue client certificates. If undefined, any issuer is accepted. */
  clientAuthorities?: readonly X509Certificate[] | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  redis: Redis | undefined;
}

/** Credentials that the first start creates. They are shown only once. */
export interface FirstAdministrator {
  organization: string;
  email: string;
  password: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
}

/** The domains, the router and the REST bridge, opened and ready to be mounted on a server. */
export interface Assembly {
  authenticate(credentials: Credentials): Promise<Identified>;
  /**
   * Returns whether a cache in memory contains these credentials as valid. The credentials may have become invalid
   * since they were stored there.
   */
  isFamiliar(credentials: Credentials): boolean;
  /**
   * Receives the usage of each caller. Also receives each caller whose credentials were suspended because the caller
   * exceeded the burst limit.
   */
  usage?: UsageObserver;
  /** Receives refused and failed requests, for the log of the organization. */
  requestFailed?: EdgeOptions['failed'];
  /** If the path of a URL is an alias, replaces it with the path of the route. */
  rewriteUrl?(url: string): string;
  /**
   * Mounts the APIs on the server. The edge must be mounted first. When the server closes, its `preClose` hook closes
   * the WebSockets.
   */
  mount(app: FastifyInstance, edge: Edge): Promise<void>;
  /** Starts background work: relay, consumers and deliveries. Called after the server has started to listen. */
  startWork(): Promise<void>;
  /** Readiness checks of /readyz, by name. */
  checks: Readonly<Record<string, Check>>;
  firstAdministrator?: FirstAdministrator | undefined;
  /**
   * Stops background work and closes the databases. Events that are still in the outboxes are relayed after the next
   * start. Must be called when no request is in flight.
   */
  close(): Promise<void>;
}

/**
 * Opens an assembly. If opening fails, closes everything that was already opened.
 * @throws StartError, or the error of the database
 */
export type Assemble = (foundation: Foundation) => Promise<Assembly>;
