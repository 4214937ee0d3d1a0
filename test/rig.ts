import { AsyncLocalStorage } from 'node:async_hooks';
import { assembleWith, type FullAssembly } from '../apps/platform/assemble.ts';
import { startPlatform } from '../apps/platform/platform.ts';
import { scratchFolder } from '../bench/scratch-folder.ts';
import type { Plan } from '../kernel/access/principal.ts';
import { TestClock } from '../kernel/clock.ts';
import { createLogger } from '../kernel/log/log.ts';
import type { Mail } from '../kernel/messages/mail.ts';
import { SIMULATED_FAILURES, type Sms, SmsRejected } from '../kernel/messages/sms.ts';
import { type ConfigSource, loadConfig } from '../kernel/settings/config.ts';
import { asked, isAskedFor } from './support/asker.ts';
import { ownDatabase } from './support/own-database.ts';
import { PgBouncer } from './support/pgbouncer.ts';
import { Tenant } from './tenant.ts';

/** The platform, whole, in this process, with a real database: once for each worker. Tests keep apart by organization. */
export interface Rig {
  readonly origin: string;
  readonly assembly: FullAssembly;
  /** Where it keeps files. */
  readonly dataDir: string;
  readonly clock: TestClock;
  /** Lines that the platform logged, for tests of what must not stand in them. */
  readonly logged: readonly string[];
  /** Mails that left. */
  readonly mails: readonly Mail[];
  /** By address: what the mail server fails with, once each, before it takes mails for it. */
  readonly mailFailures: Map<string, Error[]>;
  /** TXT records of the internet, by name; an Error is what DNS fails with. */
  readonly dns: Map<string, string[] | Error>;
  /** Text messages that left. */
  readonly messages: readonly Sms[];
  /** Moves time for everything: the domain's clock and the job queues. */
  advance(ms: number): Promise<void>;
  /** An organization of the test's own, with a key that may do everything. */
  organization(options?: { plan?: Plan }): Promise<Tenant>;
  /** Only of one that the test started for itself. */
  close(): Promise<void>;
  /** The SQL statements that records are read and written with while `act` runs, for the requests and calls in it: not what runs by itself. */
  statements(act: () => Promise<unknown>): Promise<string[]>;
  /** The same by round trips to a server; none where the database is embedded. */
  roundTrips(act: () => Promise<unknown>): Promise<(readonly string[])[]>;
}

/** The platform's time; other tests may have moved it, so a test reckons from here and not from the machine's clock. */
export const clock = new TestClock();

let started: Promise<Rig> | undefined;

const instead = new AsyncLocalStorage<Rig>();

export const rig = (): Promise<Rig> => {
  const other = instead.getStore();
  if (other) return Promise.resolve(other);
  started ??= startOn(process.env.TEST_DATABASE_URL);
  return started;
};

/** Makes `platform` the rig of everything that `act` calls: for helpers that ask for the rig, on a platform that a test started for itself. */
export const onRig = <T>(platform: Rig, act: () => Promise<T>): Promise<T> => instead.run(platform, act);

/** One with settings and a database of its own, beside the one that tests share: who works on its jobs is nobody else. The test closes it. */
export const start = async (settings: ConfigSource = {}, ownClock = clock): Promise<Rig> =>
  startOn(await ownDatabase(), { DATABASE_POOL_SIZE: '1', ...settings }, ownClock);

async function startOn(databaseUrl: string | undefined, settings: ConfigSource = {}, time = clock): Promise<Rig> {
  const config = loadConfig({
    PORT: '0',
    DATA_DIR: scratchFolder(),
    ...reachedBy(databaseUrl),
    // several platforms share the server
    DATABASE_POOL_SIZE: '2',
    REDIS_URL: process.env.TEST_REDIS_URL,
    SECRET_KEY: 'a secret for tests that is long enough',
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
  const parts = { origin, close, clock: time, logged, mails, mailFailures, dns, messages, dataDir: config.dataDir };
  return createRig({ ...parts, assembly: assembly as FullAssembly });
}

/** Through the pooler that stands before the server in `npm run test:pooled`. */
function reachedBy(databaseUrl: string | undefined): ConfigSource {
  const pooler = process.env.TEST_POOLER;
  if (!databaseUrl || !pooler) return { DATABASE_URL: databaseUrl };
  return { DATABASE_URL: PgBouncer.through(pooler, databaseUrl), DATABASE_DIRECT_URL: databaseUrl };
}

type RigParts = Pick<Rig, 'origin' | 'close' | 'clock' | 'logged' | 'mails' | 'mailFailures' | 'dns' | 'messages' | 'dataDir' | 'assembly'>;

function createRig({ origin, close, clock, logged, mails, mailFailures, dns, messages, dataDir, assembly }: RigParts): Rig {
  const { domains, databases } = assembly;
  return {
    origin,
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
      await databases.observe(() => asked(act), { onStatement: (sql) => void (isAskedFor() && seen.push(sql)) });
      return seen;
    },
    async roundTrips(act: () => Promise<unknown>): Promise<(readonly string[])[]> {
      const seen: (readonly string[])[] = [];
      await databases.observe(() => asked(act), { onRoundTrip: (batch) => void (isAskedFor() && seen.push(batch)) });
      return seen;
    },
  };
}

/** The first pause between two looks, and the longest: what takes long is not asked for all the time. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 80];
const WAIT_MS = 30_000;

type Truthy<T> = Exclude<T, false | null | undefined>;

/** Waits until `read` answers something other than undefined, null or false; fails with what it last threw. */
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
