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

/** What the process gives to what is assembled in it. */
export interface Foundation {
  config: Config;
  /** Of the configuration, or the one that the embedded mode keeps in its data folder. */
  secretKeys: SecretKeys;
  /** Where callers reach the platform, without a slash at the end. */
  origin: string;
  /** Who must have issued a client certificate; undefined where anyone may. */
  clientAuthorities?: readonly X509Certificate[] | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  redis: Redis | undefined;
}

/** The credentials that were made because there were none: shown once, at the very first start. */
export interface FirstAdministrator {
  organization: string;
  email: string;
  password: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
}

/** The domain, the router and the bridge, opened and ready to be mounted. */
export interface Assembly {
  authenticate(credentials: Credentials): Promise<Identified>;
  /** Whether the credentials have been good before, from memory. */
  isFamiliar(credentials: Credentials): boolean;
  /** Whom the edge tells what is used, and who is suspended. */
  usage?: UsageObserver;
  /** Turns an alias of a path into the path that is routed. */
  rewriteUrl?(url: string): string;
  /** Adds the surfaces to the server, behind the edge. Sockets are closed in a `preClose` hook of the server. */
  mount(app: FastifyInstance, edge: Edge): Promise<void>;
  /** Starts what follows the events, once the server listens: relay, consumers, deliveries. */
  startWork(): Promise<void>;
  /** For /readyz. */
  checks: Readonly<Record<string, Check>>;
  firstAdministrator?: FirstAdministrator | undefined;
  /** Stops the work and closes the database; what waits in the outboxes goes on at the next start. Called when no request is in flight any more. */
  close(): Promise<void>;
}

/** @throws StartError, or the error of the database; what it had opened is closed then. */
export type Assemble = (foundation: Foundation) => Promise<Assembly>;
