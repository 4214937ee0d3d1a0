import { beforeAll, describe, expect, test } from 'vitest';
import { domains } from '../../apps/platform/domains.ts';
import { createAccount } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { file, keep } from '../rest/attachments.setup.ts';
import { eventually, rig } from '../rig.ts';
import { freshEmail, recordKinds } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import { copiesOf, rows, rowsWith, tables } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

const DAY_MS = 24 * 3_600_000;
/** Tables whose rows are kept or pseudonymized when an organization is deleted. */
const STAYING = new Set(
  Object.values(domains).flatMap(({ name, organizationData }) =>
    organizationData.tables.filter(({ end }) => end !== 'deleted').map(({ table }) => `${name}.${table}`),
  ),
);
/** Tables with jobs, stored responses and change records, which expire within a day. */
const FOR_A_DAY = /^(pgboss|bridge)\.|^identity\.change$/;

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const act = (what: string, { organizationId }: Tenant): Promise<RestResponse> =>
  platform.rest('POST', `/operator/organizations/${organizationId}/${what}`);
const read = async ({ organizationId }: Tenant): Promise<Json> =>
  (await platform.rest('GET', `/operator/organizations/${organizationId}`)).body.data;
const sql = async <R extends object = Json>(text: string, ...values: unknown[]): Promise<R[]> => (await rows()).query<R>(text, values);

/** Sets all services to decommissioned and all provisioning requests to cancelled. */
async function ended({ organizationId }: Tenant): Promise<void> {
  await sql(`update services.service set status = 'decommissioned' where organization_id = $1`, organizationId);
  await sql(`update services.provisioning_request set status = 'cancelled' where organization_id = $1`, organizationId);
}

async function closeAndWait(tenant: Tenant): Promise<void> {
  const { advance, assembly } = await rig();
  // write usage that is counted in memory now; otherwise it would be written on the day of the deletion
  await assembly.domains.identity.core.usage.flush();
  const closed = await act('close', tenant);
  expect(closed.status, JSON.stringify(closed.body)).toBe(200);
  // events reach the log long before the deletion
  const outboxes = (await tables()).filter((table) => table.endsWith('.outbox'));
  await eventually(async () => {
    const waiting = await Promise.all(outboxes.map((table) => rowsWith(table, tenant.organizationId)));
    return waiting.every((count) => count === 0);
  });
  await advance(30 * DAY_MS + 1_000);
}

const deleted = (tenant: Tenant): Promise<Json> =>
  eventually(async () => {
    const found = await read(tenant);
    return found.deleted_at && found;
  });

/** Tables that contain a text, except tables whose rows expire within a day. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tables()) if (!FOR_A_DAY.test(table) && (await rowsWith(table, text)) > 0) found.push(table);
  return found;
}

describe('deletion 30 days after closing', () => {
  test('30 days after closing, all records and files of an organization are deleted, and kept rows contain no personal data', async () => {
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const { organizationId } = tenant;
    const label = `Label ${organizationId.toLowerCase()}`;
    const own = new Records(tenant, label);
    for (const kind of Object.keys(recordKinds).filter((one) => one !== 'organization_id')) await own.id(kind);
    const user = await userOf(tenant);
    const [email, phone] = [freshEmail(), '+14155550142'];
    const body = { name: label, email, phone, billing_contact: { name: label, email }, metadata: { owner: label } };
    const account = await tenant.rest('POST', '/accounts', { body });
    expect(account.status, JSON.stringify(account.body)).toBe(201);
    const ticket = await keep(tenant, [file('notes.txt', 'text/plain', label)]);
    const [attachment] = await sql<{ id: string }>('select id from support.attachment where ticket_id = $1', ticket.id);
    await platform.rest('POST', `/operator/organizations/${organizationId}/export`);
    await eventually(
      async () => (await platform.rest('GET', `/operator/organizations/${organizationId}/export`)).body.data.status === 'ready',
    );
    await sql(
      `insert into identity.audit_record (id, organization_id, timestamp, event_type, scopes, ip_address, user_agent, reason, client_id)
      values ($1, $2, now(), 'test', '[]', '203.0.113.77', $3, $4, 'ak_1:' || $5)`,
      `aud_${organizationId}`,
      organizationId,
      label,
      `by ${email}`,
      email,
    );
    const { files } = (await rig()).assembly.domains.identity.core.ports;
    const [exported] = await sql<{ id: string }>('select id from identity.organization_export where organization_id = $1', organizationId);
    const keys = [`attachments/${organizationId}/${attachment?.id}`, `exports/${organizationId}/${exported?.id}/1.tar.gz`];
    for (const key of keys) (await files.open(key))?.stream.destroy() ?? expect.fail(key);

    await ended(tenant);
    await closeAndWait(tenant);
    expect(await deleted(tenant)).toMatchObject({ status: 'closed', name: 'Test' });

    expect((await tablesWith(organizationId)).filter((table) => !STAYING.has(table))).toEqual([]);
    // invoices keep the name of the customer, and their lines the name of the service
    expect((await tablesWith(label)).filter((table) => !['billing.invoice', 'billing.invoice_line'].includes(table))).toEqual([]);
    for (const person of [email, user.email, user.id, phone]) {
      const found = await tablesWith(person);
      expect(
        found.filter((table) => person !== user.id || table !== 'identity.audit_record'),
        person,
      ).toEqual([]);
    }
    for (const key of keys) expect(await files.open(key), key).toBeUndefined();
    expect(await sql('select id from billing.invoice where organization_id = $1', organizationId)).not.toEqual([]);
    const [kept] = await sql('select * from identity.account where id = $1', account.body.data.id);
    expect(kept).toMatchObject({ name: expect.stringMatching(/^deleted-/), phone: null, billing_contact: null, metadata: {} });
    const [record] = await sql('select * from identity.audit_record where id = $1', `aud_${organizationId}`);
    expect(record).toMatchObject({ ip_address: expect.stringMatching(/^deleted-/), user_agent: null, reason: 'by (address deleted)' });
    const [trace] = await sql(
      'select pseudonym_key, deletion_position, deletion_due_at from identity.organization where id = $1',
      organizationId,
    );
    expect(trace).toEqual({ pseudonym_key: null, deletion_position: null, deletion_due_at: null });
  });

  test('deleting an organization does not change records of another organization', async () => {
    const [tenant, other] = [await (await rig()).organization(), await (await rig()).organization()];
    const bystander = new Records(other, `Label ${other.organizationId}`);
    const account = await bystander.id('account_id');
    const ticket = await bystander.id('ticket_id');
    const before = await bystander.read('ticket_id');
    await closeAndWait(tenant);
    await deleted(tenant);
    expect(await bystander.read('ticket_id')).toMatchObject({ ticket: { id: ticket, title: before.ticket.title } });
    expect((await other.rest('GET', `/accounts/${account}`)).body.data.name).toBe(`Label ${other.organizationId}`);
  });

  test('equal values get the same pseudonym within a deleted organization, but a different pseudonym in another organization', async () => {
    const tenants = [await (await rig()).organization(), await (await rig()).organization()];
    for (const tenant of tenants) {
      const { id } = await createAccount(tenant, 'Somebody');
      await copiesOf('identity.account', id, 1, 'customer_id');
    }
    for (const tenant of tenants) await act('close', tenant);
    await (await rig()).advance(30 * DAY_MS + 1_000);
    const names: string[] = [];
    for (const tenant of tenants) {
      await deleted(tenant);
      const found = await sql<{ name: string }>(
        'select distinct name from identity.account where organization_id = $1 and not own',
        tenant.organizationId,
      );
      names.push(...found.map(({ name }) => name));
    }
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(2);
  });

  test("operator actions on a deleted organization return 409, and its users' email addresses can be used again", async () => {
    const tenant = await (await rig()).organization();
    const user = await userOf(tenant);
    await closeAndWait(tenant);
    await deleted(tenant);
    for (const what of ['resume', 'export', 'close', 'suspend']) expect((await act(what, tenant)).status, what).toBe(409);
    for (const of of [tenant, platform]) expect((await of.rest('GET', '/auth/verify')).status).toBe(of === platform ? 200 : 401);
    const own = (await platform.rest('GET', '/auth/audit?event_type=organization_deleted')).body.data;
    expect(own.filter(({ reason }: Json) => reason.includes(tenant.organizationId))).toHaveLength(1);
    const inIts = `select reason from identity.audit_record where organization_id = $1 and event_type = 'organization_deleted'`;
    expect(await sql(inIts, tenant.organizationId)).toEqual([{ reason: 'after it was closed' }]);
    const body = { name: 'New', plan: 'developer', administrator: { name: 'Grace', email: user.email } };
    expect((await platform.rest('POST', '/operator/organizations', { body })).status).toBe(201);
  });

  test('an organization that is resumed 29 days after closing is not deleted', async () => {
    const { advance } = await rig();
    const tenant = await (await rig()).organization();
    const { id } = await createAccount(tenant, 'Acme');
    await act('close', tenant);
    await advance(29 * DAY_MS);
    await act('resume', tenant);
    await advance(2 * DAY_MS);
    const other = await (await rig()).organization();
    await closeAndWait(other);
    await deleted(other);
    expect((await tenant.rest('GET', `/accounts/${id}`)).body.data.name).toBe('Acme');
  });

  test('a closed organization with an active service is not deleted until the service is decommissioned', async () => {
    const { advance, logged } = await rig();
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const own = new Records(tenant, 'Label');
    const serviceId = await own.id('service_id');
    await ended(tenant);
    await act('close', tenant);
    await sql(`update services.service set status = 'operational' where id = $1`, serviceId);
    await sql(
      `update pgboss.job set state = 'cancelled' where name = 'identity.organization-closing' and data->>'organizationId' = $1`,
      tenant.organizationId,
    );
    await advance(30 * DAY_MS + 1_000);
    await eventually(() => logged.some((line) => line.includes(tenant.organizationId) && line.includes('its records are not deleted')));
    expect(await sql('select 1 as one from services.service where id = $1', serviceId)).toHaveLength(1);
    expect((await read(tenant)).deleted_at).toBeNull();
    await ended(tenant);
    await advance(DAY_MS + 1_000);
    await deleted(tenant);
  });
});

test.each([
  ['', { table: 0, after: null }],
  [', also if it was interrupted by an earlier release, which has other tables', { table: 2, after: ['a key', 'of', 'another', 'table'] }],
  [', also if the tables have another order now', { table: 2, name: 'identity.account', after: ['a key', 'of', 'another', 'table'] }],
])('an interrupted deletion of an organization is completed later and keeps the pseudonyms that it already wrote%s', async (_, stored) => {
  const { advance } = await rig();
  const tenant = await (await rig()).organization();
  const { id } = await createAccount(tenant, 'Somebody');
  await act('close', tenant);
  // the state after a crash in which one record already had its pseudonym
  const [mark] = await sql<{ name: string }>(
    `update identity.organization set pseudonym_key = 'k', deletion_position = $2 where id = $1
     returning 'deleted-' || substr(encode(sha256(convert_to('k' || 'somebody', 'UTF8')), 'hex'), 1, 16) as name`,
    tenant.organizationId,
    JSON.stringify({ pass: 1, deleted: 0, ...stored }),
  );
  await sql(`update identity.account set name = $2 where id = $1`, id, mark?.name);
  await copiesOf('identity.account', id, 1, 'customer_id');
  await sql(`update identity.account set name = 'Somebody' where organization_id = $1 and id <> $2 and not own`, tenant.organizationId, id);
  await advance(30 * DAY_MS + 1_000);
  await deleted(tenant);
  const names = await sql<{ name: string }>(
    'select distinct name from identity.account where organization_id = $1 and not own',
    tenant.organizationId,
  );
  expect(names).toEqual([{ name: mark?.name }]);
});

test('the database allows removing the IP address from audit records only while their organization is being deleted', async () => {
  const tenant = await (await rig()).organization();
  const { organizationId } = tenant;
  await sql(
    `insert into identity.audit_record (id, organization_id, timestamp, event_type, scopes) values ($1, $1, now(), 'test', '[]')`,
    organizationId,
  );
  const change = (what: string) => sql(`update identity.audit_record set ${what} where id = $1`, organizationId);
  await expect(change('ip_address = null')).rejects.toThrow(/not changed/);
  await sql(`update identity.organization set pseudonym_key = 'k' where id = $1`, organizationId);
  await expect(change(`event_type = 'other'`)).rejects.toThrow(/not changed/);
  await change('ip_address = null');
  await sql('update identity.organization set pseudonym_key = null where id = $1', organizationId);
});
