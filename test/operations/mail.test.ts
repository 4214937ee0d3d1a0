import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { ATTACHMENTS_MAX_BYTES, FolderMailer, MailRejected, SmtpMailer } from '../../kernel/messages/mail.ts';
import { MessageRejected } from '../../kernel/messages/rejected.ts';

const MAIL = { to: 'grace@example.com', subject: 'Choose a password', text: 'Here: https://example.com/password?token=abc\n' };

/** Starts a local mail server. It accepts an email if `accepts` returns true; otherwise it responds with `refusal`. */
async function mailServer(accepts: () => boolean = () => true, refusal = { message: 'Mailbox busy', responseCode: 450 }) {
  const taken: string[] = [];
  const recipients: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData(stream, { envelope }, done) {
      recipients.push(...envelope.rcptTo.map(({ address }) => address));
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (!accepts()) return done(Object.assign(new Error(refusal.message), refusal));
        taken.push(Buffer.concat(chunks).toString());
        return done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, taken, recipients, close: () => new Promise<void>((resolve) => server.close(resolve)) };
}

test('the SMTP mailer sends an email with its sender, recipient and text', async () => {
  const server = await mailServer();
  const mailer = new SmtpMailer(server.url, 'Platform <no-reply@example.com>');
  await mailer.send(MAIL);
  expect(server.taken).toHaveLength(1);
  expect(server.taken[0]).toMatch(/^From: Platform <no-reply@example.com>/m);
  expect(server.taken[0]).toMatch(/^To: grace@example.com/m);
  expect(server.taken[0]).toContain('https://example.com/password?token=');
  await mailer.close();
  await server.close();
});

test('the SMTP mailer sends HTML and attachments, and a file name with a line break adds no header', async () => {
  const server = await mailServer();
  const mailer = new SmtpMailer(server.url, 'no-reply@example.com');
  const file = { filename: 'invoice"\r\nBcc: victim@example.com.txt', contentType: 'text/plain', content: Buffer.from('Total: 120.00') };
  await mailer.send({ ...MAIL, html: '<p>Here</p>', attachments: [file] });
  expect(server.taken[0]).toContain('<p>Here</p>');
  expect(server.taken[0]).toContain(Buffer.from('Total: 120.00').toString('base64'));
  expect(server.taken[0]).not.toMatch(/^Bcc:/m);
  expect(server.recipients).toEqual([MAIL.to]);
  await mailer.close();
  await server.close();
});

test('a mail whose attachments are too large is refused before it is sent to the mail server, and is not retried', async () => {
  const server = await mailServer();
  const attachments = [1, 2].map((n) => ({
    filename: `${n}.bin`,
    contentType: 'application/octet-stream',
    content: Buffer.alloc(ATTACHMENTS_MAX_BYTES / 2 + 1),
  }));
  const folder = scratchFolder();
  const mailers = [new SmtpMailer(server.url, 'no-reply@example.com'), new FolderMailer(folder, 'no-reply@example.com')];
  for (const mailer of mailers) {
    await expect(mailer.send({ ...MAIL, attachments })).rejects.toThrow(MessageRejected);
    await mailer.close();
  }
  expect([server.taken, readdirSync(folder)]).toEqual([[], []]);
  await server.close();
});

test('the SMTP mailer throws an error if the mail server temporarily rejects an email or is unreachable', async () => {
  const server = await mailServer(() => false);
  const mailer = new SmtpMailer(server.url, 'no-reply@example.com');
  await expect(mailer.send(MAIL)).rejects.toThrow('Mailbox busy');
  await mailer.close();
  await server.close();
  const gone = new SmtpMailer(server.url, 'no-reply@example.com');
  await expect(gone.send(MAIL)).rejects.toThrow();
  await gone.close();
});

test("the SMTP mailer throws MailRejected with the server's message if the mail server permanently rejects an email", async () => {
  const server = await mailServer(() => false, { message: '5.1.1 No such mailbox', responseCode: 550 });
  const mailer = new SmtpMailer(server.url, 'no-reply@example.com');
  const error = await mailer.send(MAIL).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(MailRejected);
  expect(String(error)).toContain('550 5.1.1 No such mailbox');
  await mailer.close();
  await server.close();
});

test('an email has the given Message-ID, refers to the given thread, and has the header Auto-Submitted', async () => {
  const server = await mailServer();
  const mailer = new SmtpMailer(server.url, 'no-reply@example.com');
  const ids = { messageId: 'nrec_1@example.com', thread: 'ticket_1@example.com' };
  await mailer.send({ ...MAIL, ...ids, toName: 'Grace, "the" Hopper <x@example.com>\r\nBcc: victim@example.com' });
  const [head = ''] = (server.taken[0] ?? '').split('\r\n\r\n');
  expect(head).toMatch(/^Message-ID: <nrec_1@example.com>$/m);
  expect(head).toMatch(/^In-Reply-To: <ticket_1@example.com>$/m);
  expect(head).toMatch(/^References: <ticket_1@example.com>$/m);
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(head).not.toMatch(/^Bcc:/m);
  expect(server.recipients).toEqual(['grace@example.com']);
  await mailer.close();
  await server.close();
});

test('a line break in the subject of an email adds no header', async () => {
  const server = await mailServer();
  const mailer = new SmtpMailer(server.url, 'no-reply@example.com');
  await mailer.send({ ...MAIL, subject: 'Hello\r\nBcc: victim@example.com' });
  expect(server.taken[0]).not.toMatch(/^Bcc:/m);
  await mailer.close();
  await server.close();
});

test('the folder mailer writes each email to its own file', async () => {
  const folder = join(scratchFolder(), 'mail');
  const mailer = new FolderMailer(folder, 'Platform <no-reply@localhost>');
  await mailer.send(MAIL);
  await mailer.send(MAIL);
  const files = readdirSync(folder);
  expect(files).toHaveLength(2);
  const text = readFileSync(join(folder, files[0] ?? ''), 'utf8');
  expect(text).toMatch(/^Subject: Choose a password/m);
  expect(text).toContain('https://example.com/password?token=');
});
