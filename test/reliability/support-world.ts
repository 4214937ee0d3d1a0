import { scratchFolder } from '../../bench/scratch-folder.ts';
import type { Accounts } from '../../kernel/access/principal.ts';
import { Secrets } from '../../kernel/access/secrets.ts';
import { FolderFiles } from '../../kernel/files/files.ts';
import type { Mail } from '../../kernel/messages/mail.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { DomainProcess, DomainWorld, SECRET_KEY, type Store, storeFor } from '../support/domain-world.ts';
import type { Json } from '../tenant.ts';

/** The support domain without the other domains, for tests with several processes. */
export class SupportWorld extends DomainWorld {
  /** Mails that any process has sent. */
  readonly mails: Mail[] = [];
  /** Runs before the mail server accepts an email. */
  beforeMail: (mail: Mail) => Promise<void> = async () => undefined;

  static async open(store?: Store): Promise<SupportWorld> {
    return new SupportWorld(store ?? (await storeFor(support)));
  }

  /** Starts another process of the support domain on the same database. */
  async start(): Promise<SupportProcess> {
    const ports = this.ports();
    const running = support.start({
      ...ports,
      secrets: new Secrets([SECRET_KEY]),
      allowPrivateUrls: true,
      mailer: {
        send: async (mail) => {
          await this.beforeMail(mail);
          this.mails.push(mail);
        },
        close: async () => undefined,
      },
      sms: { send: async () => undefined, close: async () => undefined },
      files: new FolderFiles(scratchFolder()),
      notificationRetentionDays: 90,
    });
    return new SupportProcess(this, running, ports.jobs).begin();
  }
}

export class SupportProcess extends DomainProcess {
  /**
   * Runs a GraphQL operation.
   * @throws the first GraphQL error
   */
  async graphql(source: string, variables: Record<string, unknown> = {}, accounts: Accounts = null): Promise<Json> {
    const { data, errors } = await this.execute(source, variables, accounts);
    if (errors?.[0]) throw errors[0];
    return data;
  }
}
