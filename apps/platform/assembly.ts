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
import type { Edge } from '../../router/edge/edge.ts';
import type { UsageObserver } from '../../router/edge/limiter.ts';
import type { Check } from './operations.ts';

/** What the process provides to the assembly. */
export interface Foundation {
  config: Config;
  /** From the configuration, or from the data folder in embedded mode. */
  secretKeys: SecretKeys;
  /** Public origin of the platform, without a trailing slash. */
  origin: string;
  /** Authorities that must have issued a client certificate. If undefined, any issuer is accepted. */
  clientAuthorities?: readonly X509Certificate[] | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  redis: Redis | undefined;
}

/** Credentials created at the very first start, to be shown once. */
export interface FirstAdministrator {
  organization: string;
  email: string;
  password: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
}

/** The domains, the router and the bridge, opened and ready to be mounted. */
export interface Assembly {
  authenticate(credentials: Credentials): Promise<Identified>;
  /** Whether the credentials were valid when they were last used, from memory. */
  isFamiliar(credentials: Credentials): boolean;
  /** Is told what callers use and who is suspended. */
  usage?: UsageObserver;
  /** Rewrites an alias of a path to the path that is routed. */
  rewriteUrl?(url: string): string;
  /** Mounts the surfaces. The edge must be mounted first. Sockets are closed in a `preClose` hook of the server. */
  mount(app: FastifyInstance, edge: Edge): Promise<void>;
  /** Starts background work after the server is listening: relay, consumers and deliveries. */
  startWork(): Promise<void>;
  /** Checks for /readyz. */
  checks: Readonly<Record<string, Check>>;
  firstAdministrator?: FirstAdministrator | undefined;
  /**
   * Stops background work and closes the databases. Events left in the outboxes are relayed at the next start. Call it when no request is
   * in flight.
   */
  close(): Promise<void>;
}

/** Opens an assembly. If that fails, everything already opened is closed. @throws StartError, or the error of the database */
export type Assemble = (foundation: Foundation) => Promise<Assembly>;
