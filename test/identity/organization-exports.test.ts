import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { file, keep } from '../rest/attachments.setup.ts';
import { eventually, rig } from '../rig.ts';
import { unpack } from '../support/archive.ts';
import { recordKinds } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import { copiesOf, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { PASSWORD, userOf } from '../users.setup.ts';

const [MINUTE_MS, DAY_MS] = [60_000, 24 * 3_600_000];

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const pathOf = ({ organizationId }: Pick<Tenant, 'organizationId'>): string => `/operator/organizations/${organizationId}/export`;
const exportOf = async (tenant: Pick<Tenant, 'organizationId'>): Promise<Json> => (await platform.rest('GET', pathOf(tenant))).body.data;
const readyOf = (tenant: Tenant): Promise<Json> =>
  eventually(async () => {
    const found = await exportOf(tenant);
    return found.status === 'ready' && found;
  });
const fetched = (tenant: Pick<Tenant, 'organizationId'>, by = platform, method = 'GET'): Promise<Response> =>
  fetch(`${by.origin}/v1${pathOf(tenant)}/file`, { method, headers: { authorization: `Bearer ${by.apiKey}` } });
const downloaded = async (tenant: Tenant): Promise<Buffer> => Buffer.from(await (await fetched(tenant)).arrayBuffer());

/** Creates an organization whose export archive has several parts. */
async function withLargeData(): Promise<Tenant> {
  const tenant = await (await rig()).organization();
  const { id } = await createAccount(tenant, 'x'.repeat(100));
  await (await rows()).query(
    `update "identity"."account" set "metadata" = jsonb_build_object('text', repeat('y', 30000)) where "id" = $1`,
    [id],
  );
  await copiesOf('identity.account', id, 1_000, 'customer_id');
  return tenant;
}

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];

describe('organization export', () => {
  test('an organization export contains records of every kind and attachments, but no secrets', async () => {
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const label = `Label ${tenant.organizationId}`;
    const own = new Records(tenant, label);
    for (const kind of Object.keys(recordKinds)) await own.id(kind);
    const user = await userOf(tenant);
    const text = 'the content of a file';
    const ticket = await keep(tenant, [file('notes.txt', 'text/plain', text)]);

    const begun = await platform.rest('POST', pathOf(tenant));
    expect(begun.status, JSON.stringify(begun.body)).toBe(201);
    expect(begun.body.data).toMatchObject({ status: 'writing', organization_id: tenant.organizationId, download_url: null });
    const ready = await readyOf(tenant);
    expect(ready.download_url).toBe(`${platform.origin}/v1${pathOf(tenant)}/file`);
    const response = await fetched(tenant);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${ready.id}.tar.gz"`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([bytes.length, Number(response.headers.get('content-length'))]).toEqual([ready.bytes, ready.bytes]);

    const { records, manifest, names, read } = unpack(bytes);
    const count = [...records.values()].reduce((sum, list) => sum + list.length, 0);
    expect(ready.records).toBe(count);
    expect(manifest).toMatchObject({ organization_id: tenant.organizationId, export_id: ready.id });
    for (const [table, list] of records) expect(manifest.records[table.replace('/', '.')], table).toBe(list.length);
    const idsIn = (table: string): string[] => (records.get(table) ?? []).map(({ id }) => id);
    expect(idsIn('support/ticket')).toEqual(expect.arrayContaining([ticket.id, await own.id('ticket_id')]));
    expect(idsIn('billing/invoice')).toContain(await own.id('invoice_id'));
    expect(idsIn('services/service')).toContain(await own.id('service_id'));
    expect(idsIn('events/webhook')).toContain(await own.id('webhook_id'));
    expect(records.get('identity/user')?.map(({ email }) => email)).toContain(user.email);
    const attachment = records.get('support/attachment')?.find(({ filename }) => filename === 'notes.txt');
    expect(read(`files/attachments/${tenant.organizationId}/${attachment.id}`).toString()).toBe(text);

    const everything = names.map((name) => read(name).toString('latin1')).join('\n');
    expect(everything).toContain(label);
    const secret = await rows();
    for (const [table, column] of [
      ['identity.api_key', 'hash'],
      ['identity.api_key', 'signing_secret'],
      ['identity."user"', 'password_hash'],
      ['identity.oauth_client', 'secret_hash'],
      ['identity.mfa_method', 'secret'],
      ['events.webhook', 'sealed_secret'],
      ['support.jira_integration', 'sealed_api_token'],
      ['support.slack_integration', 'sealed_webhook_url'],
    ] as const) {
      const found = await secret.query<{ value: string }>(
        `select "${column}" as value from ${table} where "organization_id" = $1 and "${column}" is not null`,
        [tenant.organizationId],
      );
      for (const { value } of found) expect(everything.includes(value), `${table}.${column}`).toBe(false);
    }
    for (const value of [tenant.apiKey, PASSWORD]) expect(everything).not.toContain(value);
  });

  test('an organization export contains no record of another organization', async () => {
    const [tenant, other] = [await (await rig()).organization(), await (await rig()).organization()];
    await createAccount(other, 'Somebody else');
    await createAccount(tenant, 'Acme');
    await platform.rest('POST', pathOf(tenant));
    await readyOf(tenant);
    const { records } = unpack(await downloaded(tenant));
    for (const [table, list] of records)
      for (const { id, organization_id } of list) expect([organization_id ?? id], table).toEqual([tenant.organizationId]);
    expect(records.get('identity/account')?.map(({ name }) => name)).toContain('Acme');
  });

  test('a large organization export has several parts that form one archive', async () => {
    const tenant = await withLargeData();
    await platform.rest('POST', pathOf(tenant));
    const { id: exportId } = await readyOf(tenant);
    const [{ parts } = { parts: 0 }] = await (await rows()).query<{ parts: number }>(
      'select "parts" from "identity"."organization_export" where "id" = $1',
      [exportId],
    );
    expect(parts).toBeGreaterThan(2);
    const { records, names } = unpack(await downloaded(tenant));
    expect(new Set(records.get('identity/account')?.map((account) => account.id)).size).toBe(1_002);
    expect(names.filter((name) => name.startsWith('records/identity/account/')).length).toBeGreaterThan(2);
  });

  test('a second concurrent export of an organization returns 409, and a later export replaces the previous export', async () => {
    const tenant = await (await rig()).organization();
    const both = await Promise.all([platform.rest('POST', pathOf(tenant)), platform.rest('POST', pathOf(tenant))]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const first = await readyOf(tenant);
    const { body } = await platform.rest('POST', pathOf(tenant));
    expect((await readyOf(tenant)).id).toBe(body.data.id);
    await eventually(async () =>
      (await rows())
        .query('select 1 from "identity"."organization_export" where "id" = $1', [first.id])
        .then((found) => found.length === 0),
    );
    for (const of of [tenant, platform]) {
      const records = (await of.rest('GET', '/auth/audit?event_type=organization_exported')).body.data;
      expect(records.filter(({ reason }: Json) => reason.includes(body.data.id))).toHaveLength(1);
    }
  });

  test('an export of a closed organization succeeds and expires no later than the deletion of the organization', async () => {
    const tenant = await (await rig()).organization();
    const { body } = await platform.rest('POST', `/operator/organizations/${tenant.organizationId}/close`);
    await platform.rest('POST', pathOf(tenant));
    const ready = await readyOf(tenant);
    expect(Date.parse(ready.expires_at)).toBeLessThanOrEqual(Date.parse(body.data.delete_after));
    expect(unpack(await downloaded(tenant)).records.get('identity/organization')).toMatchObject([{ status: 'closed' }]);
  });
});

describe('export downloads and expiry', () => {
  test('downloading the export of an organization requires platform:admin and a second factor, and the audit logs of the operator and of the organization record it', async () => {
    const tenant = await (await rig()).organization();
    await platform.rest('POST', pathOf(tenant));
    const { id } = await readyOf(tenant);
    const { body } = await platform.rest('POST', '/auth/api-keys', { body: { name: 'Watcher', permissions: ['platform:read'] } });
    const watcher = Object.assign(Object.create(Object.getPrototypeOf(platform)), platform, { apiKey: body.api_key.key }) as Tenant;
    expect((await watcher.rest('GET', pathOf(tenant))).status).toBe(200);
    for (const caller of [tenant, watcher]) expect((await fetched(tenant, caller)).status).toBe(403);
    expect((await watcher.rest('POST', pathOf(tenant))).status).toBe(403);

    const user = await userOf(platform, 'owner');
    const set = 'mutation ($id: ID!) { setPlatformAccess(userId: $id, access: ADMIN) { id } }';
    await platform.graphql(set, { id: user.id });
    const refused = await fetched(tenant, user);
    expect([refused.status, ((await refused.json()) as Json).error]).toEqual([403, 'mfa_required']);

    expect((await fetched(tenant, platform, 'HEAD')).headers.get('content-length')).toBe(String((await exportOf(tenant)).bytes));
    await downloaded(tenant);
    for (const of of [tenant, platform]) {
      const records = (await of.rest('GET', '/auth/audit?event_type=organization_export_downloaded')).body.data;
      expect(records.filter(({ reason }: Json) => reason.includes(id))).toHaveLength(1);
    }
  });

  test('reading or downloading an export that does not exist returns 404', async () => {
    const tenant = await (await rig()).organization();
    for (const { organizationId } of [tenant, { organizationId: 'org_none' }]) {
      expect((await platform.rest('GET', pathOf({ organizationId }))).status).toBe(404);
      expect((await fetched({ organizationId })).status).toBe(404);
    }
    expect((await platform.rest('POST', pathOf({ organizationId: 'org_none' }))).status).toBe(404);
    expect((await fetched({ organizationId: '%00' })).status).toBe(400);
  });

  test('an export that fails ten times gets the status failed, its files are deleted, and a new export succeeds', async () => {
    const { advance, assembly, dataDir, logged } = await rig();
    const tenant = await withLargeData();
    const { files } = assembly.domains.identity.core.ports;
    const real = files.put.bind(files);
    const put = vi.spyOn(files, 'put').mockImplementation(async (key, content) => {
      if (!key.includes(tenant.organizationId) || key.endsWith('/1.tar.gz')) return real(key, content);
      await real(key, content.subarray(0, content.length / 2));
      throw new Error('/mnt/files is full');
    });
    const storedFiles = (): string[] => filesBelow(join(dataDir, 'files', 'exports', tenant.organizationId));
    try {
      const { body } = await platform.rest('POST', pathOf(tenant));
      expect(body.data.error).toBeNull();
      await eventually(() => storedFiles().length === 2);
      const failed = await eventually(async () => {
        await advance(10 * MINUTE_MS);
        const found = await exportOf(tenant);
        return found.status === 'failed' && found;
      });
      expect(failed).toMatchObject({ id: body.data.id, download_url: null, error: expect.stringContaining('could not be written') });
      const query = 'query ($id: ID!) { organizationExport(id: $id) { id status error downloadUrl } }';
      expect((await platform.graphql(query, { id: tenant.organizationId })).data.organizationExport).toEqual({
        id: failed.id,
        status: 'FAILED',
        error: failed.error,
        downloadUrl: null,
      });
      expect(JSON.stringify(failed)).not.toContain('full');
      const attempts = put.mock.calls.filter(([key]) => key.endsWith(`${failed.id}/2.tar.gz`));
      expect(attempts).toHaveLength(10);
      expect(logged.some((line) => line.includes(failed.id) && line.includes('given up') && line.includes('full'))).toBe(true);
      expect((await fetched(tenant)).status).toBe(404);
      await eventually(() => storedFiles().length === 0);
      expect((await exportOf(tenant)).id).toBe(failed.id);
    } finally {
      put.mockRestore();
    }
    expect((await platform.rest('POST', pathOf(tenant))).status).toBe(201);
    const { id } = await readyOf(tenant);
    const parts = storedFiles();
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((path) => path.includes(id))).toBe(true);
    expect(unpack(await downloaded(tenant)).records.get('identity/account')).toHaveLength(1_002);
  });

  test('an export is deleted with its archive after 30 days', async () => {
    const { advance, assembly } = await rig();
    const tenant = await (await rig()).organization();
    await platform.rest('POST', pathOf(tenant));
    const { id } = await readyOf(tenant);
    const { files } = assembly.domains.identity.core.ports;
    const key = `exports/${tenant.organizationId}/${id}/1.tar.gz`;
    (await files.open(key))?.stream.destroy();
    await advance(30 * DAY_MS + 1_000);
    await eventually(async () => (await platform.rest('GET', pathOf(tenant))).status === 404);
    expect(await files.open(key)).toBeUndefined();
  });
});
