import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { createAccount } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { RestResponse, Tenant } from '../tenant.ts';
import { login, PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

/** Requests that store an email address, by the kind of record. Each response contains the stored address. */
const WRITTEN: Readonly<Record<string, (email: string) => Promise<RestResponse>>> = {
  'an account': (email) => tenant.rest('POST', '/accounts', { body: { name: 'Acme', email } }),
  'a contact of an account': (email) =>
    tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example.com', billing_contact: { name: 'Grace', email } } }),
  'a user': async (email) => tenant.rest('POST', `/accounts/${(await createAccount(tenant)).id}/users`, { body: { email, name: 'Grace' } }),
  'an agent': (email) => tenant.rest('POST', '/support/agents', { body: { name: 'Grace', email, specialization: 'connectivity' } }),
  'a contact of a ticket': (email) =>
    tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'Dead', contact: { name: 'Grace', email } } }),
};

describe.each(Object.entries(WRITTEN))('email address of %s', (_, write) => {
  test.each([
    ['a zero width space', 'gra\u200bce'],
    ['a right-to-left override', 'grace\u202e'],
    ['a soft hyphen', 'gra\u00adce'],
  ])('storing an email address with %s returns 400', async (__, local) => {
    const { status, body } = await write(`${local}@example.com`);
    expect([status, body.error.details.reason], JSON.stringify(body)).toEqual([400, expect.stringContaining('e-mail address')]);
  });

  test('the domain of an email address is stored in Punycode and lower case', async () => {
    const local = newId('user').toLowerCase();
    const { status, body } = await write(`${local}@BÜCHER.Example`);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(JSON.stringify(body)).toContain(`${local}@xn--bcher-kva.example`);
    expect(JSON.stringify(body)).not.toMatch(/bücher/i);
  });
});

test('a user can log in with the email domain in Unicode or Punycode, and adding the user again in either form returns 409', async () => {
  const account = await createAccount(tenant);
  const local = newId('user').toLowerCase();
  const unicode = `${local}@bücher.example`;
  const path = `/accounts/${account.id}/users`;
  expect((await tenant.rest('POST', path, { body: { email: unicode, name: 'Grace' } })).status).toBe(201);
  const stored = `${local}@xn--bcher-kva.example`;
  const token = await tokenMailedTo(stored);
  await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
  for (const email of [unicode, stored, unicode.toUpperCase()]) expect((await login(tenant, email)).status, email).toBe(200);
  for (const email of [unicode, stored]) expect((await tenant.rest('POST', path, { body: { email, name: 'Grace' } })).status).toBe(409);
});

test('a user whose email domain is stored in Unicode can log in with the Unicode or Punycode spelling', async () => {
  const user = await userOf(tenant);
  const legacy = `${newId('user').toLowerCase()}@bücher.example`;
  await (await rows()).query('update identity."user" set email = $2, address = $2 where id = $1', [user.id, legacy]);
  for (const email of [legacy, legacy.replace('bücher', 'xn--bcher-kva')])
    expect((await login(tenant, email)).body.data?.user.id, email).toBe(user.id);
});
