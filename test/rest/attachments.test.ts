import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { download, file, keep, PNG, pendingUploads, send, ticket } from './attachments.setup.ts';

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

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const problems = ({ body }: RestResponse): [string, string][] =>
  (body.error?.details.errors ?? []).map(({ field, reason }: { field: string; reason: string }) => [field, reason]);

describe('tickets opened with attachments', () => {
  test('a ticket opened with attachments lists them, and a download returns the uploaded bytes', async () => {
    const record = await keep(tenant, [
      file('modem ✓.png', 'image/png', PNG, { size: PNG.length }),
      file('log.txt', 'text/plain', 'a\nb\n'),
    ]);
    expect(record.attachments).toHaveLength(2);
    const [shown] = record.attachments.filter(({ filename }: Json) => filename === 'modem ✓.png');
    expect(shown).toEqual({
      id: expect.stringMatching(/^att_/),
      filename: 'modem ✓.png',
      content_type: 'image/png',
      size: PNG.length,
      download_url: `${platform.origin}/v1/attachments/${shown.id}`,
    });
    const response = await fetch(shown.download_url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
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

  test('a ticket created over GraphQL with attachments returns them in its attachments field', async () => {
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

  test('opening a ticket over GraphQL with an invalid attachment returns INVALID_PARAMETERS, and the error does not contain the attachment data', async () => {
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
    ['more than ten attachments', Array.from({ length: 11 }, () => file('a.txt', 'text/plain', 'a')), 'attachments'],
    ['an attachment without data', [{ filename: 'a.txt', content_type: 'text/plain' }], 'attachments.0.data'],
    ['an empty attachment', [file('a.txt', 'text/plain', '')], 'attachments.0.data'],
    ['a size that differs from the data', [file('a.txt', 'text/plain', 'abc', { size: 4 })], 'attachments.0.size'],
    ['data with a line break', [file('a.txt', 'text/plain', '', { data: 'YWJj\nYWJj' })], 'attachments.0.data'],
    ['data in the URL-safe alphabet', [file('a.bin', 'application/octet-stream', '', { data: '-_-_' })], 'attachments.0.data'],
    ['data without padding', [file('a.txt', 'text/plain', '', { data: 'YQ' })], 'attachments.0.data'],
    ['data with non-zero trailing bits', [file('a.txt', 'text/plain', '', { data: 'YR==' })], 'attachments.0.data'],
    ['an invalid type', [file('a.txt', 'plain', 'a')], 'attachments.0.content_type'],
    ['an image type for a document', [file('a.png', 'image/png', PDF)], 'attachments.0.content_type'],
    ['an image type for other data', [file('a.png', 'image/png', Buffer.alloc(64))], 'attachments.0.content_type'],
    ['a text type for binary data', [file('a.txt', 'text/plain', Buffer.from([1, 0, 2, 0, 3]))], 'attachments.0.content_type'],
    ['a text type for an image', [file('a.txt', 'text/plain', PNG)], 'attachments.0.content_type'],
    ['a Windows program', [file('a.dat', 'application/octet-stream', PE)], 'attachments.0.data'],
    ['a Linux program', [file('a.dat', 'application/octet-stream', ELF)], 'attachments.0.data'],
    ['a macOS program', [file('a.dat', 'application/octet-stream', MACH_O)], 'attachments.0.data'],
    ['a Windows installer', [file('a.doc', 'application/msword', MSI)], 'attachments.0.data'],
    ['a script', [file('a.txt', 'text/plain', '#!/bin/sh\nrm -rf /\n')], 'attachments.0.data'],
    ['a program type', [file('a.txt', 'application/javascript', 'alert(1)')], 'attachments.0.content_type'],
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
    ['something that is not a list', { filename: 'a.txt', data: 'c2VjcmV0IHRleHQ=' }, 'attachments'],
  ])(
    'opening a ticket with an attachment list that contains %s returns 400 INVALID_PARAMETERS and names the field',
    async (_, attachments, field) => {
      const refused = await send(tenant, attachments);
      expect([refused.status, refused.body.error?.code]).toEqual([400, 'INVALID_PARAMETERS']);
      expect(problems(refused).map(([name]) => name)).toContain(field);
      expect(await pendingUploads(tenant)).toEqual([]);
    },
  );

  test('the error for several invalid attachments lists all of them and does not contain the attachment data', async () => {
    const secret = Buffer.from('a secret of the customer').toString('base64');
    const refused = await send(tenant, [
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
      const { status, body } = await send(tenant, attachments);
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
  ])('the attachment %s that the client declares as %s is stored with its detected content type', async (name, claimed, content, kept) => {
    const { attachments } = await keep(tenant, [file(name, claimed, content)]);
    expect(attachments).toMatchObject([{ filename: name, content_type: kept }]);
    const response = await download(tenant, attachments[0].id);
    expect(response.headers.get('content-type')).toBe(kept);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename/);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
  });

  test('a ticket accepts ten attachments of up to 10 MiB each; a request body over 25 MiB returns 413 BODY_TOO_LARGE', async () => {
    const most = Buffer.alloc(10 * 1024 * 1024, 'a');
    const { attachments } = await keep(tenant, [
      file('most.txt', 'text/plain', most),
      ...Array.from({ length: 9 }, () => file('a.txt', 'text/plain', 'a')),
    ]);
    expect(attachments).toHaveLength(10);
    const [big] = attachments.filter(({ size }: Json) => size === most.length);
    const response = await download(tenant, big.id);
    expect(
      createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(most).digest('hex'));
    expect(problems(await send(tenant, [file('more.txt', 'text/plain', Buffer.alloc(most.length + 1, 'a'))]))[0]?.[0]).toBe(
      'attachments.0.data',
    );
    const beyond = await send(tenant, [file('a.txt', 'text/plain', most), file('b.txt', 'text/plain', most)]);
    expect([beyond.status, beyond.body.error.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});
