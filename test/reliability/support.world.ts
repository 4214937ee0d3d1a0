import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { graphql } from 'graphql';
import { onTestFinished } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached, Database } from '../../kernel/database.ts';
import type { RunningDomain } from '../../kernel/domain.ts';
import { FolderFiles } from '../../kernel/files.ts';
import { Graph } from '../../kernel/graph.ts';
import { newId } from '../../kernel/ids.ts';
import { Jobs } from '../../kernel/jobs.ts';
import { createLogger } from '../../kernel/log.ts';
import type { Mail } from '../../kernel/mail.ts';
import { Principal } from '../../kernel/principal.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import type { Json } from '../tenant.ts';

const log = createLogger({ level: 'silent' });

/** The support domain alone, on a database of its own: for what happens between processes. */
export class SupportWorld {
  readonly clock = new TestClock();
  readonly organizationId = newId('organization');
  /** Of all processes. */
  readonly mails: Mail[] = [];
  /** What the mail server does before it takes a mail. */
  beforeMail: (mail: Mail) => Promise<void> = async () => undefined;

  private constructor(
    readonly database: Database,
    readonly attached: Attached,
  ) {}

  static async open(): Promise<SupportWorld> {
    const { database, drop } = await emptyDatabase(log);
    onTestFinished(drop);
    const attached = await database.attach({ schema: 'support', entities: support.entities, migrations: support.migrations });
    return new SupportWorld(database, attached);
  }

  /** Starts a process: another one each time. */
  async start(): Promise<SupportProcess> {
    const jobs = new Jobs(this.database, log);
    const running = support.start({
      ...this.attached,
      database: this.database,
      jobs,
      clock: this.clock,
      graph: new Graph(),
      log,
      origin: 'http://127.0.0.1',
      secretKey: 'a secret for tests that is long enough',
      allowPrivateUrls: true,
      mailer: {
        send: async (mail) => {
          await this.beforeMail(mail);
          this.mails.push(mail);
        },
        close: async () => undefined,
      },
      sms: { send: async () => undefined, close: async () => undefined },
      files: new FolderFiles(mkdtempSync(join(tmpdir(), 'support-files-'))),
    });
    await jobs.start();
    await running.start?.();
    const process = new SupportProcess(this, running, jobs);
    onTestFinished(() => process.stop());
    return process;
  }

  /** What the schema of the database would need to be as the entities say. */
  drift(): Promise<string> {
    return this.attached.orm.schema.getUpdateSchemaSQL({ wrap: false });
  }

  query<R extends object>(text: string): Promise<R[]> {
    return this.attached.rows.query<R>(text, []);
  }
}

export class SupportProcess {
  #isStopped = false;

  constructor(
    private readonly world: SupportWorld,
    readonly running: RunningDomain,
    readonly jobs: Jobs,
  ) {}

  /** @throws what the graph answers as its first error */
  async graphql(source: string, variables: Record<string, unknown> = {}): Promise<Json> {
    const { subgraph } = this.running;
    const principal = Principal.system('test', this.world.organizationId);
    const contextValue = subgraph.createContext({ requestId: 'req_1', principal, log });
    const { data, errors } = await graphql({ schema: subgraph.schema, source, variableValues: variables, contextValue });
    if (errors?.[0]) throw errors[0];
    return data;
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.running.stop?.();
    await this.jobs.stop();
  }
}
