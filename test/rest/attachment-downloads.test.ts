import { readdirSync, readlinkSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { download, file, keep, PNG, pendingUploads, send } from './attachments.setup.ts';

let platform: Rig;
let tenant: Tenant;
/** The folder where attachments are stored. */
let files: string;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
  files = join(platform.dataDir, 'files', 'attachments');
});

describe('attachment downloads', () => {
  let id: string;
  beforeAll(async () => {
    id = (await keep(tenant, [file('modem.png', 'image/png', PNG)])).attachments[0].id;
  });

  test('downloading an attachment with a matching If-None-Match returns 304, and HEAD returns the headers without a body', async () => {
    const etag = (await download(tenant, id)).headers.get('etag') ?? '';
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect((await download(tenant, id, { 'if-none-match': sent })).status).toBe(304);
    expect((await download(tenant, id, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await download(tenant, id, {}, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(PNG.length), '']);
    const [alias, refused, options] = await Promise.all([
      fetch(`${platform.origin}/api/v1/attachments/${id}`, { headers: { 'x-api-key': tenant.apiKey } }),
      download(tenant, id, {}, { method: 'DELETE' }),
      download(tenant, id, {}, { method: 'OPTIONS' }),
    ]);
    expect([alias.status, refused.status, options.headers.get('allow')]).toEqual([200, 405, 'GET, HEAD, OPTIONS']);
    expect((await download(tenant, id, { 'api-version': '7' })).status).toBe(400);
  });

  test('downloading an attachment without support:read returns 403, and downloading an attachment of another organization returns 404', async () => {
    const codeOf = async (response: Response) => [response.status, ((await response.json()) as Json).error.code];
    expect(await codeOf(await fetch(`${platform.origin}/v1/attachments/${id}`))).toEqual([401, 'INVALID_CREDENTIALS']);
    const writer = await tenant.limitedTo('support:write');
    expect(await codeOf(await download(writer, id))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    const stranger = await platform.organization();
    expect(await codeOf(await download(stranger, id))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    for (const none of ['att_01JQ8Z6V4T9M3N2B1C0D9E8F7G', '..%2f..%2fsecret', 'x'])
      expect(await codeOf(await download(tenant, none))).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  test.each([
    ['missing', async (path: string) => rm(path)],
    ['of another size', async (path: string) => writeFile(path, 'short')],
  ])('downloading an attachment whose stored file is %s returns 500 INTERNAL_ERROR, and the log names the file', async (_, damage) => {
    const { attachments } = await keep(tenant, [file('a.txt', 'text/plain', 'content')]);
    await damage(join(files, tenant.organizationId, attachments[0].id));
    const response = await download(tenant, attachments[0].id);
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR', request_id: response.headers.get('x-request-id') } });
    for (const header of ['etag', 'content-disposition']) expect(response.headers.get(header)).toBeNull();
    expect(platform.logged.some((line) => line.includes(attachments[0].id) && line.includes('file store'))).toBe(true);
  });

  test('the server closes the file of an attachment when the client aborts the download', async () => {
    const { attachments } = await keep(tenant, [file('most.txt', 'text/plain', Buffer.alloc(9 * 1024 * 1024, 'a'))]);
    const path = join(files, tenant.organizationId, attachments[0].id);
    const opened = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd) === path).length;
    const leaving = new AbortController();
    const response = await fetch(attachments[0].download_url, {
      headers: { authorization: `Bearer ${tenant.apiKey}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await eventually(() => opened() === 0);
  });
});

describe('attachment files without a database record', () => {
  const kept = async (by: Tenant) => readdir(join(files, by.organizationId)).catch(() => []);

  test('the stored file of an attachment is deleted if creating its ticket fails', async () => {
    const own = await platform.organization();
    const { connection, drop } = await refusing('ticket');
    const { status } = await send(own, [file('a.txt', 'text/plain', 'a')]).finally(drop);
    expect([connection, status]).toEqual(['ticket', 500]);
    expect(await kept(own)).toEqual([]);
    expect(await pendingUploads(own)).toEqual([]);
  });

  test('an attachment file without a database record is deleted after an hour, and files with a record are kept', async () => {
    const own = await platform.organization();
    const { attachments } = await keep(own, [file('a.txt', 'text/plain', 'a')]);
    const left = newId('attachment');
    await (await rows()).query('insert into "support"."attachment_upload" values ($1, $2, $3)', [
      left,
      own.organizationId,
      platform.clock.now(),
    ]);
    await writeFile(join(files, own.organizationId, left), 'half of it');
    const { support } = platform.assembly.domains;
    await support.attachments.retained.delete();
    expect((await kept(own)).toSorted()).toEqual([attachments[0].id, left].toSorted());
    await platform.advance(3_600_001);
    await support.attachments.retained.delete();
    expect(await kept(own)).toEqual([attachments[0].id]);
    expect(await pendingUploads(own)).toEqual([]);
  });
});

/** Makes the database refuse every insert into a table. */
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
