import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../records/ids.ts';
import { MessageRejected } from './rejected.ts';

export interface Mail {
  /** The address alone. */
  to: string;
  /** Shown beside the address. */
  toName?: string;
  subject: string;
  text: string;
  html?: string;
  attachments?: { filename: string; contentType: string; content: Buffer }[];
  /** The same at each attempt, without angle brackets, so that mail programs show a mail that came twice once: `nrec_01…@api.example.com`. */
  messageId?: string;
  /** What mails that belong together have in common, without angle brackets: mail programs show them as one conversation. */
  thread?: string;
}

/** Hands mails to whoever delivers them. */
export interface Mailer {
  /** True where what it takes reaches nobody. */
  readonly isSimulated?: boolean;
  /** @throws MailRejected where trying again cannot help; another Error where it may. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

/** The mail server will not take this mail: there is no such mailbox, or it does not want the content. */
export class MailRejected extends MessageRejected {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The mail server refused the mail: ${reason}`, options);
    this.name = 'MailRejected';
  }
}

const TIMEOUT_MS = 10_000;
const REASON_LENGTH = 200;

/** Sends by SMTP, over kept connections. */
export class SmtpMailer implements Mailer {
  readonly #transport;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    this.#transport = createTransport({ url, pool: true, disableFileAccess: true, disableUrlAccess: true, ...timeouts } as object);
  }

  async send(mail: Mail): Promise<void> {
    try {
      await this.#transport.sendMail(messageOf(mail, this.from));
    } catch (error) {
      const reason = refusalIn(error);
      throw reason === undefined ? error : new MailRejected(reason, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#transport.close();
  }
}

/** Where there is no mail server: each mail becomes a file that mail programs open, for whoever develops or tries the platform. */
export class FolderMailer implements Mailer {
  readonly isSimulated = true;
  readonly #build = createTransport({ streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  async send(mail: Mail): Promise<void> {
    const { message } = await this.#build.sendMail(messageOf(mail, this.from));
    mkdirSync(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${newId('mail')}.eml`), message as Buffer, { mode: 0o600 });
  }

  async close(): Promise<void> {}
}

/** Address and name apart, so that nothing in a name is read as another address. Absence notes are not to be answered to a machine. */
function messageOf({ to, toName, messageId, thread, ...content }: Mail, from: string) {
  return {
    ...content,
    from,
    to: toName ? { name: toName, address: to } : to,
    ...(messageId && { messageId: `<${messageId}>` }),
    ...(thread && { inReplyTo: `<${thread}>`, references: [`<${thread}>`] }),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Which steps of SMTP are about this mail; the others are about the connection. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];

/** What a server said that refuses this very mail for good (RFC 5321, 4.2.1: 5yz); undefined where another try may fare better. */
function refusalIn(error: unknown): string | undefined {
  const { code = '', responseCode = 0, response = '' } = error as { code?: string; responseCode?: number; response?: string };
  return ABOUT_THE_MAIL.includes(code) && responseCode >= 500 ? response.slice(0, REASON_LENGTH) : undefined;
}
