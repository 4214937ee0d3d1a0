import { scratchFolder } from '../../bench/scratch-folder.ts';
import { Secrets } from '../../kernel/access/secrets.ts';
import { TestClock } from '../../kernel/clock.ts';
import type { Database, Orm } from '../../kernel/database/database.ts';
import { FolderFiles } from '../../kernel/files/files.ts';
import { Graph } from '../../kernel/graph.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { OrganizationData } from '../../kernel/records/organization-data.ts';
import { ApiKey } from '../../subgraphs/identity/api-keys/api-key.entity.ts';
import { generateApiKey } from '../../subgraphs/identity/api-keys/api-key-secret.ts';
import { identity, type RunningIdentity } from '../../subgraphs/identity/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';

/** The identity domain without other domains, on a separate database. */
export interface IdentityRig {
  database: Database;
  orm: Orm;
  clock: TestClock;
  logged: string[];
  /**
   * Starts an identity domain with its own in-memory state, as in a separate process. All domains that one rig starts
   * share its database and its clock.
   */
  startProcess(options?: { sandbox?: boolean }): RunningIdentity;
  addKey(organizationId: string, members?: Partial<ApiKey>): Promise<{ text: string; id: string }>;
  removeKey(id: string): Promise<void>;
  storedKey(id: string): Promise<ApiKey>;
  /** Returns the number of SQL statements that `act` runs. */
  statements(act: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

export async function createIdentityRig(): Promise<IdentityRig> {
  const logged: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
  const { database, drop } = await emptyDatabase(log);
  const { orm, rows } = await database.attach({ ...identity, schema: identity.name });
  const clock = new TestClock();
  const parts = { orm, rows, database, clock, log, jobs: new Jobs(database, log), graph: new Graph(), origin: 'http://127.0.0.1' };
  const access = {
    secrets: new Secrets(['a secret for tests that is long enough']),
    authOrigin: 'http://127.0.0.1',
    serviceOrigin: 'https://platform.test',
    allowPrivateUrls: true,
    mailer: { send: async () => undefined, close: async () => undefined },
    sms: { send: async () => undefined, close: async () => undefined },
    files: new FolderFiles(scratchFolder()),
    organizationData: new OrganizationData([]),
    samlDomainProof: 'none' as const,
    requestsPerMinute: () => 100,
    auditRetentionDays: 400,
    rateLimits: { limitsOf: () => Promise.reject(new Error('There is no edge here.')) },
  };
  const everywhere = { filters: { organization: false } };
  return {
    database,
    orm,
    clock,
    logged,
    startProcess: ({ sandbox = false } = {}) => identity.start({ ...parts, sandbox, ...access }),
    async addKey(organizationId, members = {}) {
      const text = generateApiKey(false);
      const key = ApiKey.issue(text, {
        organizationId,
        name: 'Key',
        description: null,
        permissions: ['services:read'],
        rateLimit: null,
        ipWhitelist: [],
        expiresAt: null,
        createdAt: clock.now(),
        ...members,
      });
      await orm.em.fork().transactional(async (tx) => void tx.persist(key));
      return { text, id: key.id };
    },
    async removeKey(id) {
      await orm.em.fork().nativeDelete(ApiKey, { id }, everywhere);
    },
    storedKey: (id) => orm.em.fork().findOneOrFail(ApiKey, { id }, everywhere),
    async statements(act) {
      const seen: string[] = [];
      // audit records are not counted, because they are written once a second in the background
      database.onStatement = (sql) => void (sql.includes('"audit_record"') || seen.push(sql));
      await act();
      database.onStatement = undefined;
      return seen.length;
    },
    close: drop,
  };
}

/** The bearer credentials of a caller with this token and IP address. */
export const bearer = (token: string, ip = '192.0.2.1') => ({ kind: 'bearer' as const, token, ip, userAgent: undefined });
