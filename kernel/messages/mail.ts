import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../records/ids.ts';
import { MessageRejected } from './rejected.ts';

export interface Mail {
  /** E-mail address of the recipient, without a display name. */
  to: string;
  /** Display name of the recipient. */
  toName?: string;
  subject: string;
  text: string;
  html?: string;
  /** Attached files, together at most `ATTACHMENTS_MAX_BYTES`. */
  attachments?: { filename: string; contentType: string; content: Buffer }[];
  /**
   * The Message-ID without angle brackets, such as `nrec_01…@api.example.com`. Each attempt uses the same id, so that
   * mail programs show a duplicate only once.
   */
  messageId?: string;
  /** An id, without angle brackets, that related mails share. Mail programs show these mails as one conversation. */
  thread?: string;
}

/** Sends mails through a mail server (SmtpMailer), or writes them to files (FolderMailer). */
export interface Mailer {
  /** True if mails are not really delivered. */
  readonly isSimulated?: boolean;
  /**
   * Sends a mail.
   * @throws MailRejected if a retry cannot help; another Error if a retry may succeed
   */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if the mail server refuses a mail permanently: the mailbox does not exist, or the content is not accepted. */
export class MailRejected extends MessageRejected {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The mail server refused the mail: ${reason}`, options);
    this.name = 'MailRejected';
  }
}

/** Maximum size of all attachments of a mail. Many mail servers refuse mails with more than 10 MB, and base64 adds a third. */
export const ATTACHMENTS_MAX_BYTES = 7_000_000;

/** Thrown if the attachments of a mail are larger than `ATTACHMENTS_MAX_BYTES`. */
export class AttachmentsTooLarge extends MessageRejected {
  override readonly message = `The attachments are larger than ${ATTACHMENTS_MAX_BYTES / 1_000_000} MB.`;
}

const TIMEOUT_MS = 10_000;
const REASON_LENGTH = 200;

/** Sends mails by SMTP, over pooled connections. */
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

/** Writes each mail to a file that mail programs can open. It is used if no mail server is configured. */
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

/**
 * Converts a mail to a message for the mail library. The message keeps address and name separate, so that a name cannot
 * add another address. A header prevents automatic replies.
 * @throws AttachmentsTooLarge
 */
function messageOf({ to, toName, messageId, thread, ...content }: Mail, from: string) {
  const bytes = (content.attachments ?? []).reduce((sum, file) => sum + file.content.length, 0);
  if (bytes > ATTACHMENTS_MAX_BYTES) throw new AttachmentsTooLarge();
  return {
    ...content,
    from,
    to: toName ? { name: toName, address: to } : to,
    ...(messageId && { messageId: `<${messageId}>` }),
    ...(thread && { inReplyTo: `<${thread}>`, references: [`<${thread}>`] }),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Error codes of the mail library that concern a single mail. All other error codes concern the connection. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];

/**
 * Returns the response of the mail server if it refuses the mail permanently (RFC 5321, 4.2.1: 5yz); undefined if a
 * retry may succeed.
 */
function refusalIn(error: unknown): string | undefined {
  const { code = '', responseCode = 0, response = '' } = error as { code?: string; responseCode?: number; response?: string };
  return ABOUT_THE_MAIL.includes(code) && responseCode >= 500 ? response.slice(0, REASON_LENGTH) : undefined;
}
