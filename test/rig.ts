import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'vitest';
import { assembleWith, type FullAssembly } from '../apps/platform/assemble.ts';
import { startPlatform } from '../apps/platform/platform.ts';
import { scratchFolder } from '../bench/scratch-folder.ts';
import type { Plan } from '../kernel/access/principal.ts';
import { TestClock } from '../kernel/clock.ts';
import { createLogger } from '../kernel/log/log.ts';
import type { Mail } from '../kernel/messages/mail.ts';
import { SIMULATED_FAILURES, type Sms, SmsRejected } from '../kernel/messages/sms.ts';
import { type ConfigSource, loadConfig } from '../kernel/settings/config.ts';
import { TOKEN_STATE } from '../subgraphs/identity/authentication/access-token.verifier.ts';
import { OPEN_ACCOUNT } from '../subgraphs/identity/authentication/account-scope.ts';
import { asForeground, isForeground } from './support/asker.ts';
import { migratedDatabase, ownDatabase, TEST_SECRET_KEY } from './support/own-database.ts';
import { PgBouncer } from './support/pgbouncer.ts';
import { Tenant } from './tenant.ts';

/**
 * The whole platform, running in the test process on a real database. Several test files share one rig, so tests create their own
 * organizations.
 */
export interface Rig {
  readonly origin: string;
  /** Address of the database server, without a pooler. Undefined if the database is embedded. */
  readonly databaseUrl: string | undefined;
  readonly assembly: FullAssembly;
  /** Folder in which the platform stores files. */
  readonly dataDir: string;
  readonly clock: TestClock;
  /** Lines that the platform has logged, for tests which check that something is not logged. */
  readonly logged: readonly string[];
  /** Mails that the platform has sent. */
  readonly mails: readonly Mail[];
  /** Errors by email address. Each attempt to send to the address throws the next error; after the last, sending succeeds. */
  readonly mailFailures: Map<string, Error[]>;
  /** TXT records of the fake DNS by name; an Error makes the lookup fail. */
  readonly dns: Map<string, string[] | Error>;
  /** Text messages that the platform has sent. */
  readonly messages: readonly Sms[];
  /** Advances the clock of the platform and the job queues by `ms` milliseconds. */
  advance(ms: number): Promise<void>;
  /** A new organization with an unrestricted key. */
  organization(options?: { plan?: Plan }): Promise<Tenant>;
  /** Closes the platform. A test closes only a platform that it created with `start`, because `rig` returns a shared one. */
  close(): Promise<void>;
  /**
   * Runs `act` and returns the SQL statements of its calls and of the requests that it sends. Leaves out background work and
   * lookups of access tokens, which are repeated after each change of the caller, also when the process reads it again later.
   */
  statements(act: () => Promise<unknown>): Promise<string[]>;
  /** Like `statements`, but returns one array for each round trip to the database server. Empty on the embedded database. */
  roundTrips(act: () => Promise<unknown>): Promise<(readonly string[])[]>;
}

/** The platform's time. Other tests may have moved it, so tests compute times from here and not from the machine's clock. */
export const clock = new TestClock();

/**
 * The number of test files that share a rig. Each organization that a test leaves behind slows down tests that move the clock,
 * because the platform then does the work of the passed time for all organizations.
 */
const FILES_PER_RIG = 6;

const TOKEN_LOOKUPS: ReadonlySet<string> = new Set([TOKEN_STATE, OPEN_ACCOUNT]);
/** True for the lookup of an access token, and for the refresh of the keys that verify it. */
const isTokenLookup = (sql: string): boolean => TOKEN_LOOKUPS.has(sql) || sql.includes('"signing_key"');

let shared: Promise<Rig> | undefined;
/** Paths of the test files that have used the shared rig. */
const served = new Set<string | undefined>();

const instead = new AsyncLocalStorage<Rig>();

/** Returns the shared platform. It is a new one after `FILES_PER_RIG` test files. */
export const rig = (): Promise<Rig> => {
  const other = instead.getStore();
  if (other) return Promise.resolve(other);
  const { testPath } = expect.getState();
  if (!served.has(testPath) && served.size === FILES_PER_RIG) {
    shared = shared?.then((last) => last.close()).then(startShared);
    served.clear();
  }
  served.add(testPath);
  shared ??= startShared();
  return shared;
};

const startShared = async (): Promise<Rig> => startOn(await migratedDatabase());

/** Runs `act`. Meanwhile `rig()` returns `platform`, so that helpers use a platform that the test created with `start`. */
export const onRig = <T>(platform: Rig, act: () => Promise<T>): Promise<T> => instead.run(platform, act);

/**
 * A platform with its own settings, so that no other platform runs its jobs. It has its own database, or uses `DATABASE_URL`. The test
 * closes it.
 */
export const start = async ({ DATABASE_URL, ...settings }: ConfigSource = {}, ownClock = clock): Promise<Rig> =>
  startOn(
    DATABASE_URL ?? (await (settings.SECRET_KEY ? ownDatabase : migratedDatabase)()),
    { DATABASE_POOL_SIZE: '1', ...settings },
    ownClock,
  );

async function startOn(databaseUrl: string | undefined, settings: ConfigSource = {}, time = clock): Promise<Rig> {
  const config = loadConfig({
    PORT: '0',
    DATA_DIR: scratchFolder(),
    ...reachedBy(databaseUrl),
    // several platforms share the server
    DATABASE_POOL_SIZE: '2',
    REDIS_URL: process.env.TEST_REDIS_URL,
    SECRET_KEY: TEST_SECRET_KEY,
    ALLOW_PRIVATE_URLS: '1',
    // every test calls from one address
    ANONYMOUS_PER_HOUR: '1000000',
    ANONYMOUS_PER_MINUTE: '1000000',
    ...settings,
  });
  const logged: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
  const mails: Mail[] = [];
  const mailFailures = new Map<string, Error[]>();
  const mailer = {
    async send(mail: Mail) {
      const failure = mailFailures.get(mail.to)?.shift();
      if (failure) throw failure;
      mails.push(mail);
    },
    close: async () => undefined,
  };
  const dns = new Map<string, string[] | Error>();
  const resolveTxt = (name: string): Promise<string[]> => {
    const found = dns.get(name) ?? Object.assign(new Error('queryTxt ENOTFOUND'), { code: 'ENOTFOUND' });
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  };
  const messages: Sms[] = [];
  const sms = {
    async send(message: Sms) {
      if (SIMULATED_FAILURES[message.to]) throw new SmsRejected('there is no such number');
      messages.push(message);
    },
    close: async () => undefined,
  };
  let assembly: FullAssembly | undefined;
  const { origin, close } = await startPlatform(
    config,
    async (foundation) => {
      assembly = await assembleWith(foundation, { mailer, sms, resolveTxt, passwordCost: { ln: 10, r: 8, p: 1 } });
      return assembly;
    },
    { clock: time, log },
  );
  const parts = { origin, databaseUrl, close, clock: time, logged, mails, mailFailures, dns, messages, dataDir: config.dataDir };
  return createRig({ ...parts, assembly: assembly as FullAssembly });
}

/**
 * Returns the settings that connect the platform to a database. In `npm run test:pooled`, `DATABASE_URL` is the address of
 * PgBouncer, and `DATABASE_DIRECT_URL` is the address of the database server.
 */
function reachedBy(databaseUrl: string | undefined): ConfigSource {
  const pooler = process.env.TEST_POOLER;
  if (!databaseUrl || !pooler) return { DATABASE_URL: databaseUrl };
  return { DATABASE_URL: PgBouncer.through(pooler, databaseUrl), DATABASE_DIRECT_URL: databaseUrl };
}

type RigParts = Pick<
  Rig,
  'origin' | 'databaseUrl' | 'close' | 'clock' | 'logged' | 'mails' | 'mailFailures' | 'dns' | 'messages' | 'dataDir' | 'assembly'
>;

function createRig({ origin, databaseUrl, close, clock, logged, mails, mailFailures, dns, messages, dataDir, assembly }: RigParts): Rig {
  const { domains, databases } = assembly;
  return {
    origin,
    databaseUrl,
    close,
    clock,
    logged,
    mails,
    mailFailures,
    dns,
    messages,
    dataDir,
    assembly,
    async advance(ms) {
      clock.advance(ms);
      await databases.shiftJobs(clock.offsetMs);
    },
    async organization({ plan = 'enterprise' } = {}) {
      const { organization, apiKey } = await domains.identity.createOrganization({ name: 'Test', plan });
      return new Tenant(origin, organization.id, apiKey);
    },
    async statements(act) {
      const seen: string[] = [];
      await databases.observe(() => asForeground(act), { onStatement: (sql) => void (isForeground() && seen.push(sql)) });
      return seen.filter((sql) => !isTokenLookup(sql));
    },
    async roundTrips(act: () => Promise<unknown>): Promise<(readonly string[])[]> {
      const seen: (readonly string[])[] = [];
      await databases.observe(() => asForeground(act), { onRoundTrip: (batch) => void (isForeground() && seen.push(batch)) });
      return seen;
    },
  };
}

/** The first and the longest pause between two polls. Pauses grow, so that slow conditions are polled less often. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 80];
const WAIT_MS = 60_000;

type Truthy<T> = Exclude<T, false | null | undefined>;

/** Waits until `read` returns a value other than undefined, null or false. Fails with the last error. */
export async function eventually<T>(read: () => Promise<T> | T, timeoutMs = WAIT_MS): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown = new Error('The condition never came true.');
  let pauseMs = FIRST_PAUSE_MS;
  while (performance.now() < deadline) {
    try {
      const value = await read();
      if (value) return value as Truthy<T>;
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS);
  }
  throw failure;
}
