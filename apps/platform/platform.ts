import { createServer as createNetServer } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { createLogger, type Logger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import type { Config } from '../../kernel/settings/config.ts';
import { mountCors } from '../../router/cors.ts';
import { clientCountry } from '../../router/edge/client-address.ts';
import { clientCertificate } from '../../router/edge/client-certificate.ts';
import { mountEdge } from '../../router/edge/edge.ts';
import { MemoryCounters } from '../../router/edge/memory-counters.ts';
import { RedisCounters } from '../../router/edge/redis-counters.ts';
import { createServer, type ServerCertificate, secured } from '../../router/edge/server.ts';
import type { Assemble, Assembly, FirstAdministrator, Foundation } from './assembly.ts';
import { lockDataFolder } from './data-lock.ts';
import { closeDataFolder } from './data-modes.ts';
import { errorPageFor } from './error-page.ts';
import { mountOperations } from './operations.ts';
import { secretKeysOf } from './secret-key.ts';
import { databaseError, listenError } from './start-error.ts';
import { clientAuthoritiesOf, serverCertificateOf } from './tls.ts';

export interface Platform {
  readonly origin: string;
  /** Credentials of the first administrator. Set only at the first start, which creates the data. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  /**
   * Reloads the TLS certificate of the server. Open connections keep the old certificate. Does nothing without TLS.
   * @throws StartError if the new certificate is invalid; the old certificate stays in use
   */
  renewCertificate(): void;
  /**
   * Stops accepting requests, finishes the requests in flight, closes WebSockets, stops background work, and closes the
   * databases. A second call has no further effect.
   */
  close(): Promise<void>;
}

export interface PlatformOverrides {
  clock?: Clock;
  log?: Logger;
}

/**
 * Starts the whole platform in this process. Used by the command `npm start` and by tests. If the start fails,
 * everything that was already opened is closed.
 * @throws StartError with a one-line message
 */
export async function startPlatform(config: Config, assemble: Assemble, overrides: PlatformOverrides = {}): Promise<Platform> {
  await using opened = new AsyncDisposableStack();
  const log = overrides.log ?? createLogger({ level: config.logLevel });
  const tls = serverCertificateOf(config);
  const clientAuthorities = clientAuthoritiesOf(config);
  // checks the port first: the first start shows the administrator's credentials only once, and they would be lost if
  // the port is in use
  const port = await freePort(config.host, config.port);
  const origin = config.publicOrigin ?? `${tls ? 'https' : 'http'}://${shownHost(config.host)}:${port}`;
  if (!config.databaseUrl) opened.adopt(await lockDataFolder(config.dataDir), (lock) => lock.release());
  closeDataFolder(config.dataDir, log);
  const secretKeys = secretKeysOf(config);
  const redis = config.redisUrl ? opened.adopt(connectRedis(config.redisUrl, log), (client) => client.disconnect()) : undefined;

  const { clock = systemClock } = overrides;
  const foundation: Foundation = { config, secretKeys, origin, clientAuthorities, clock, log, metrics: createMetrics(), redis };
  const assembly = opened.adopt(await assembled(assemble, foundation), (one) => one.close());
  const app = opened.adopt(serverOf(config, tls, assembly), (one) => one.close());
  let isStarted = false;
  await mount(app, assembly, foundation, () => isStarted);
  await listen(app, config.host, port);
  await assembly.startWork();
  isStarted = true;

  const resources = opened.move();
  return {
    origin,
    firstAdministrator: assembly.firstAdministrator,
    renewCertificate: () => renewCertificate(app, config),
    close: () => resources.disposeAsync(),
  };
}

async function assembled(assemble: Assemble, foundation: Foundation): Promise<Assembly> {
  try {
    return await assemble(foundation);
  } catch (error) {
    const { databaseUrl } = foundation.config;
    throw databaseUrl ? databaseError(error, databaseUrl) : error;
  }
}

/** Paths whose requests are authenticated only by headers, never by cookies. */
const API_PATHS = ['/v1', '/graphql'];

async function mount(
  app: FastifyInstance,
  assembly: Assembly,
  { config, clock, log, metrics, redis }: Foundation,
  isStarted: () => boolean,
): Promise<void> {
  mountCors(app, { allowed: config.allowedOrigins, paths: API_PATHS });
  const edge = mountEdge(app, {
    authenticate: (credentials) => assembly.authenticate(credentials),
    isFamiliar: (credentials) => assembly.isFamiliar(credentials),
    countryOf: clientCountry(config.trustedProxies, config.countryHeader),
    certificateOf: clientCertificate({ header: config.clientCertHeader, trustedProxies: config.trustedProxies }),
    counters: redis ? new RedisCounters(redis, log, metrics) : new MemoryCounters(),
    anonymous: { perHour: config.anonymousPerHour, burst: config.anonymousPerMinute },
    slotWaitMs: config.slotWaitMs,
    usage: assembly.usage,
    ...(assembly.requestFailed && { failed: assembly.requestFailed }),
    clock,
    log,
    metrics,
  });
  mountOperations(app, { isStarted, checks: assembly.checks, metrics, metricsToken: config.metricsToken, log });
  await assembly.mount(app, edge);
}

const serverOf = (
  { trustedProxies, maxConnections, headersTimeoutMs }: Config,
  tls: ServerCertificate | undefined,
  { rewriteUrl }: Assembly,
): FastifyInstance =>
  createServer({
    trustedProxies,
    maxConnections,
    headersTimeoutMs,
    tls,
    errorPage: errorPageFor(API_PATHS),
    ...(rewriteUrl && { rewriteUrl }),
  });

/** Timeout of a Redis command, and of a Redis connection that receives no data. */
const REDIS_SILENCE_MS = 1_000;

/**
 * Connects to Redis. While Redis is unavailable, commands fail immediately, so that callers use their fallback. The
 * client tries to reconnect until it succeeds. A connection that receives no data for a second is closed, and Redis
 * counts as unavailable until it responds on a new connection. So a Redis server that hangs delays only the requests of
 * one second.
 */
function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: REDIS_SILENCE_MS,
    socketTimeout: REDIS_SILENCE_MS,
  });
  redis.on('error', (error) => log.debug({ err: error }, 'Redis reported an error'));
  return redis;
}

function renewCertificate({ server }: FastifyInstance, config: Config): void {
  const tls = serverCertificateOf(config);
  if (tls && server instanceof TlsServer) server.setSecureContext(secured(tls));
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
}

/** Checks that the port `port` is free and returns it. Returns a free port if `port` is 0. */
async function freePort(host: string, port: number): Promise<number> {
  const server = createNetServer({ pauseOnConnect: true }, (socket) => socket.destroy());
  try {
    return await new Promise((resolve, reject) => {
      server.once('error', (error) => reject(listenError(error, host, port)));
      server.listen(port, host, () => resolve((server.address() as { port: number }).port));
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

function shownHost(host: string): string {
  if (ANY_ADDRESS.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
