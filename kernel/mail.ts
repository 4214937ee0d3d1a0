import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from './ids.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** Hands mails to whoever delivers them. */
export interface Mailer {
  /** @throws Error where it was not taken: to be tried again. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

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
    await this.#transport.sendMail({ from: this.from, ...mail });
  }

  async close(): Promise<void> {
    this.#transport.close();
  }
}

/** Where there is no mail server: each mail becomes a file that mail programs open, for whoever develops or tries the platform. */
export class FolderMailer implements Mailer {
  readonly #build = createTransport({ streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  async send(mail: Mail): Promise<void> {
    const { message } = await this.#build.sendMail({ from: this.from, ...mail });
    mkdirSync(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${newId('mail')}.eml`), message as Buffer, { mode: 0o600 });
  }

  async close(): Promise<void> {}
}
