import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Answer, Json, Tenant } from '../tenant.ts';

const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
const ZIP = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
const PE = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(58), Buffer.from([64, 0, 0, 0]), Buffer.from('PE\0\0'), Buffer.alloc(64)]);
const ELF = Buffer.concat([Buffer.from('7f454c460201010000000000000000000200', 'hex'), Buffer.alloc(64)]);
const MACH_O = Buffer.concat([Buffer.from('cffaedfe07000001', 'hex'), Buffer.alloc(64)]);
const MSI = Buffer.concat([
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  Buffer.alloc(600),
  Buffer.from('84100c0000000000c000000000000046', 'hex'),
]);

const file = (filename: string, content_type: string, content: Buffer | string, more: object = {}) => ({
  filename,
  content_type,
  data: Buffer.from(content).toString('base64'),
  ...more,
});

let platform: Rig;
let tenant: Tenant;
/** Where attachments lie. */
let files: string;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
  files = join(platform.dataDir, 'files', 'attachments');
});

const send = (attachments: unknown, caller = tenant) => caller.rest('POST', '/support/tickets', { body: { ...ticket, attachments } });
async function keep(attachments: unknown, caller = tenant): Promise<Json> {
  const answer = await send(attachments, caller);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.ticket;
}
const problems = ({ body }: Answer): [string, string][] =>
  (body.error?.details.errors ?? []).map(({ field, reason }: { field: string; reason: string }) => [field, reason]);
const download = (id: string, headers: Record<string, string> = {}, { method = 'GET', by = tenant } = {}) =>
  fetch(`${platform.origin}/v1/attachments/${id}`, { method, headers: { authorization: `Bearer ${by.apiKey}`, ...headers } });
const noted = async ({ organizationId } = tenant) =>
  (await rows()).query<{ id: string }>('select "id" from "support"."attachment_upload" where "organization_id" = $1', [organizationId]);

describe('a ticket that is opened with files', () => {
  test('shows them, and gives the bytes back as they were', async () => {
    const record = await keep([file('modem ✓.png', 'image/png', PNG, { size: PNG.length }), file('log.txt', 'text/plain', 'a\nb\n')]);
    expect(record.attachments).toHaveLength(2);
    const [shown] = record.attachments.filter(({ filename }: Json) => filename === 'modem ✓.png');
    expect(shown).toEqual({
      id: expect.stringMatching(/^att_/),
      filename: 'modem ✓.png',
      content_type: 'image/png',
      size: PNG.length,
      download_url: `${platform.origin}/v1/attachments/${shown.id}`,
    });
    const answer = await fetch(shown.download_url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-disposition': `attachment; filename="modem ?.png"; filename*=UTF-8''modem%20%E2%9C%93.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-cache',
      etag: `"${createHash('sha256').update(PNG).digest('hex')}"`,
      'x-request-id': expect.stringMatching(/^req_/),
    });
    const read = await tenant.rest('GET', `/support/tickets/${record.id}`);
    expect(read.body.ticket.attachments).toEqual(record.attachments);
  });

  test('over GraphQL has them as a relation', async () => {
    const input = { ...ticket, attachments: [{ filename: 'log.txt', contentType: 'text/plain', data: 'YQo=' }] };
    const { data, errors } = await tenant.graphql(
      'mutation($input: TicketCreateInput!) { createTicket(input: $input) { id attachments { filename sha256 commentId } } }',
      { input },
    );
    expect(errors).toBeUndefined();
    expect(data.createTicket.attachments).toEqual([
      { filename: 'log.txt', sha256: createHash('sha256').update('a\n').digest('hex'), commentId: null },
    ]);
  });

  test('over GraphQL that do not fit are refused without what was sent', async () => {
    const data = Buffer.from('a secret of the customer').toString('base64');
    const query = 'mutation($input: TicketCreateInput!) { createTicket(input: $input) { id } }';
    for (const attachment of [
      { contentType: 'text/plain', data },
      { filename: 'a', contentType: 'text/plain', data, more: 1 },
      { filename: 'a.exe', contentType: 'x', data },
      data,
    ]) {
      const { errors } = await tenant.graphql(query, { input: { ...ticket, attachments: [attachment] } });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
      expect(JSON.stringify(errors)).not.toContain(data);
    }
    const large = { filename: 'a.txt', contentType: 'text/plain', data: Buffer.alloc(800_000, 'a').toString('base64') };
    const { errors } = await tenant.graphql(query, { input: { ...ticket, attachments: [large] } });
    expect(errors).toMatchObject([{ extensions: { code: 'BODY_TOO_LARGE' } }]);
  });

  test.each([
    ['more than ten', Array.from({ length: 11 }, () => file('a.txt', 'text/plain', 'a')), 'attachments'],
    ['one without data', [{ filename: 'a.txt', content_type: 'text/plain' }], 'attachments.0.data'],
    ['one that is empty', [file('a.txt', 'text/plain', '')], 'attachments.0.data'],
    ['a size that is not that of the data', [file('a.txt', 'text/plain', 'abc', { size: 4 })], 'attachments.0.size'],
    ['data with a line break', [file('a.txt', 'text/plain', '', { data: 'YWJj\nYWJj' })], 'attachments.0.data'],
    ['data in the alphabet of URLs', [file('a.bin', 'application/octet-stream', '', { data: '-_-_' })], 'attachments.0.data'],
    ['data without padding', [file('a.txt', 'text/plain', '', { data: 'YQ' })], 'attachments.0.data'],
    ['data with something in its last bits', [file('a.txt', 'text/plain', '', { data: 'YR==' })], 'attachments.0.data'],
    ['a type that is none', [file('a.txt', 'plain', 'a')], 'attachments.0.content_type'],
    ['a picture that is a document', [file('a.png', 'image/png', PDF)], 'attachments.0.content_type'],
    ['a picture that is none', [file('a.png', 'image/png', Buffer.alloc(64))], 'attachments.0.content_type'],
    ['text that is none', [file('a.txt', 'text/plain', Buffer.from([1, 0, 2, 0, 3]))], 'attachments.0.content_type'],
    ['a text that is a picture', [file('a.txt', 'text/plain', PNG)], 'attachments.0.content_type'],
    ['a program of Windows', [file('a.dat', 'application/octet-stream', PE)], 'attachments.0.data'],
    ['a program of Linux', [file('a.dat', 'application/octet-stream', ELF)], 'attachments.0.data'],
    ['a program of macOS', [file('a.dat', 'application/octet-stream', MACH_O)], 'attachments.0.data'],
    ['an installer of Windows', [file('a.doc', 'application/msword', MSI)], 'attachments.0.data'],
    ['a script', [file('a.txt', 'text/plain', '#!/bin/sh\nrm -rf /\n')], 'attachments.0.data'],
    ['a type that says program', [file('a.txt', 'application/javascript', 'alert(1)')], 'attachments.0.content_type'],
    ...[
      'setup.exe',
      'run.BAT',
      'page.pdf.js',
      'x.vbs',
      'x.ps1',
      'x.jar',
      'x.sh',
      'x.lnk',
      'x.scr',
      'x.msi',
      'x.cmd',
      'x.com',
      'x.dll',
      'x.app',
    ].map((name): [string, unknown[], string] => [`the name ${name}`, [file(name, 'text/plain', 'a')], 'attachments.0.filename']),
    ...[
      '../passwd',
      'a/b.txt',
      'C:\\x.txt',
      '..',
      '',
      ' ',
      'a\u0001.txt',
      'a\n.txt',
      'exe.\u202egpj',
      'setup.exe.',
      'setup.exe ',
      'x'.repeat(256),
    ].map((name): [string, unknown[], string] => [
      `the name ${JSON.stringify(name)}`,
      [file(name, 'text/plain', 'a')],
      'attachments.0.filename',
    ]),
    ['no list', { filename: 'a.txt', data: 'c2VjcmV0IHRleHQ=' }, 'attachments'],
  ])('with %s is refused, naming it', async (_, attachments, field) => {
    const refused = await send(attachments);
    expect([refused.status, refused.body.error?.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(problems(refused).map(([name]) => name)).toContain(field);
    expect(await noted()).toEqual([]);
  });

  test('that are wrong in several ways is told of all at once, without what was sent', async () => {
    const secret = Buffer.from('a secret of the customer').toString('base64');
    const refused = await send([
      { filename: 'a.png', content_type: 'image/png', data: secret },
      file('b.txt', 'text/plain', 'b'),
      { filename: 'c.txt', content_type: 'text/plain', data: `${secret}!` },
    ]);
    expect(problems(refused).map(([name]) => name)).toEqual(['attachments.0.content_type', 'attachments.2.data']);
    for (const attachments of [
      [secret],
      { data: secret },
      Array.from({ length: 11 }, () => file('a', 'text/plain', 'a secret of the customer')),
      [{ data: secret }],
    ]) {
      const { status, body } = await send(attachments);
      expect(status).toBe(400);
      if (!Array.isArray(attachments) || typeof attachments[0] !== 'string') expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  test.each([
    ['photo.jpg', 'image/jpeg', PNG, 'image/png'],
    ['photo.png', 'application/octet-stream', PNG, 'image/png'],
    ['a.pdf', 'application/pdf', PDF, 'application/pdf'],
    [
      'a.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ZIP,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['a.zip', 'application/zip', ZIP, 'application/zip'],
    ['a.csv', 'text/csv; charset=utf-8', 'a;b\n1;ü\n', 'text/csv'],
    ['a.csv', 'application/vnd.ms-excel', 'a;b\n', 'application/vnd.ms-excel'],
    ['old.txt', 'text/plain', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/plain'],
    ['mz.log', 'text/plain', 'MZ-1000 is down', 'text/plain'],
    ['a.eml', 'message/rfc822', 'Subject: x\r\n\r\nx', 'message/rfc822'],
    ['a.json', 'application/json', '{}', 'application/json'],
    ['a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['page.html', 'text/html', '<script>alert(1)</script>', 'text/html'],
    ['dump.dat', 'application/x-vendor', Buffer.from([1, 0, 2, 0, 3]), 'application/octet-stream'],
    ['Straße 日本.txt', 'text/plain', 'a', 'text/plain'],
  ])('%s, said to be %s, is kept as what it is', async (name, claimed, content, kept) => {
    const { attachments } = await keep([file(name, claimed, content)]);
    expect(attachments).toMatchObject([{ filename: name, content_type: kept }]);
    const answer = await download(attachments[0].id);
    expect(answer.headers.get('content-type')).toBe(kept);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename/);
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
  });

  test('may have ten of them, and 10 MiB in one; a byte more is refused, and so is a body beyond 25 MiB', async () => {
    const most = Buffer.alloc(10 * 1024 * 1024, 'a');
    const { attachments } = await keep([
      file('most.txt', 'text/plain', most),
      ...Array.from({ length: 9 }, () => file('a.txt', 'text/plain', 'a')),
    ]);
    expect(attachments).toHaveLength(10);
    const [big] = attachments.filter(({ size }: Json) => size === most.length);
    const answer = await download(big.id);
    expect(
      createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(most).digest('hex'));
    expect(problems(await send([file('more.txt', 'text/plain', Buffer.alloc(most.length + 1, 'a'))]))[0]?.[0]).toBe('attachments.0.data');
    const beyond = await send([file('a.txt', 'text/plain', most), file('b.txt', 'text/plain', most)]);
    expect([beyond.status, beyond.body.error.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});

describe('a download', () => {
  let id: string;
  beforeAll(async () => {
    id = (await keep([file('modem.png', 'image/png', PNG)])).attachments[0].id;
  });

  test('that the caller has already is 304, and HEAD tells of it without its bytes', async () => {
    const etag = (await download(id)).headers.get('etag') ?? '';
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect((await download(id, { 'if-none-match': sent })).status).toBe(304);
    expect((await download(id, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await download(id, {}, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(PNG.length), '']);
    const [alias, refused, options] = await Promise.all([
      fetch(`${platform.origin}/api/v1/attachments/${id}`, { headers: { 'x-api-key': tenant.apiKey } }),
      download(id, {}, { method: 'DELETE' }),
      download(id, {}, { method: 'OPTIONS' }),
    ]);
    expect([alias.status, refused.status, options.headers.get('allow')]).toEqual([200, 405, 'GET, HEAD, OPTIONS']);
    expect((await download(id, { 'api-version': '7' })).status).toBe(400);
  });

  test('needs support:read; what another organization has, or nobody, is 404', async () => {
    const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as Json).error.code];
    expect(await codeOf(await fetch(`${platform.origin}/v1/attachments/${id}`))).toEqual([401, 'INVALID_CREDENTIALS']);
    const writer = await tenant.limitedTo('support:write');
    expect(await codeOf(await download(id, {}, { by: writer }))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    const stranger = await platform.organization();
    expect(await codeOf(await download(id, {}, { by: stranger }))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    for (const none of ['att_01JQ8Z6V4T9M3N2B1C0D9E8F7G', '..%2f..%2fsecret', 'x'])
      expect(await codeOf(await download(none))).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  test.each([
    ['missing', async (path: string) => rm(path)],
    ['of another size', async (path: string) => writeFile(path, 'short')],
  ])('of a file that is %s in the store is 500 with the standard body, and the log says which', async (_, damage) => {
    const { attachments } = await keep([file('a.txt', 'text/plain', 'content')]);
    await damage(join(files, tenant.organizationId, attachments[0].id));
    const answer = await download(attachments[0].id);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8']);
    expect(await answer.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR', request_id: answer.headers.get('x-request-id') } });
    for (const header of ['etag', 'content-disposition']) expect(answer.headers.get(header)).toBeNull();
    expect(platform.logged.some((line) => line.includes(attachments[0].id) && line.includes('file store'))).toBe(true);
  });

  test('that its client breaks off leaves no file open', async () => {
    const { attachments } = await keep([file('most.txt', 'text/plain', Buffer.alloc(9 * 1024 * 1024, 'a'))]);
    const path = join(files, tenant.organizationId, attachments[0].id);
    const opened = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd) === path).length;
    const leaving = new AbortController();
    const answer = await fetch(attachments[0].download_url, {
      headers: { authorization: `Bearer ${tenant.apiKey}` },
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    await eventually(() => opened() === 0);
  });
});

describe('a file that nobody has', () => {
  const kept = async (by: Tenant) => readdir(join(files, by.organizationId)).catch(() => []);

  test('does not stay of a change that failed', async () => {
    const own = await platform.organization();
    const { connection, drop } = await refusing('ticket');
    const { status } = await send([file('a.txt', 'text/plain', 'a')], own).finally(drop);
    expect([connection, status]).toEqual(['ticket', 500]);
    expect(await kept(own)).toEqual([]);
    expect(await noted(own)).toEqual([]);
  });

  test('is swept away an hour after a process died over it, and one that somebody has is not', async () => {
    const own = await platform.organization();
    const { attachments } = await keep([file('a.txt', 'text/plain', 'a')], own);
    const left = newId('attachment');
    await (await rows()).query('insert into "support"."attachment_upload" values ($1, $2, $3)', [
      left,
      own.organizationId,
      platform.clock.now(),
    ]);
    await writeFile(join(files, own.organizationId, left), 'half of it');
    const { support } = platform.assembly.domains;
    await support.attachments.sweep();
    expect((await kept(own)).toSorted()).toEqual([attachments[0].id, left].toSorted());
    await platform.advance(3_600_001);
    await support.attachments.sweep();
    expect(await kept(own)).toEqual([attachments[0].id]);
    expect(await noted(own)).toEqual([]);
  });
});

/** Has the database refuse every new row of a table. */
async function refusing(table: string): Promise<{ connection: string; drop: () => Promise<void> }> {
  const { query } = await rows();
  await query(`alter table "support"."${table}" add constraint "refused_by_test" check (false) not valid`, []);
  return {
    connection: table,
    drop: async () => void (await query(`alter table "support"."${table}" drop constraint "refused_by_test"`, [])),
  };
}

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
