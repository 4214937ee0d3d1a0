import type { Plan } from '../../kernel/access/principal.ts';
import { newId } from '../../kernel/records/ids.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { Tenant } from '../tenant.ts';
import { login, PASSWORD, tokenMailedTo } from '../users.setup.ts';

/** The credentials of the first owner of a new organization, which a reader of the guide needs. */
export interface FirstOwner {
  key: string;
  email: string;
  password: string;
}

/** Creates an organization as the operator. Its first owner sets a password, logs in and creates an API key. */
export async function firstOwner(plan: Plan = 'enterprise'): Promise<FirstOwner> {
  const email = `${newId('user').toLowerCase()}@example.com`;
  const body = { name: 'Northwind', plan, administrator: { name: 'Grace Hopper', email } };
  await expectDone((await operator()).rest('POST', '/operator/organizations', { body }));
  const visitor = new Tenant((await rig()).origin, '', '');
  const token = await tokenMailedTo(email);
  await expectDone(visitor.rest('POST', '/auth/password', { body: { token, password: PASSWORD } }));
  const tokens = await expectDone(login(visitor, email));
  const owner = new Tenant(visitor.origin, '', tokens.body.data.access_token);
  const created = await expectDone(owner.rest('POST', '/auth/api-keys', { body: { name: 'Guide', permissions: ['*:*'] } }));
  return { key: created.body.api_key.key, email, password: PASSWORD };
}

async function expectDone(sent: ReturnType<Tenant['rest']>): ReturnType<Tenant['rest']> {
  const response = await sent;
  if (response.status >= 300) throw new Error(JSON.stringify(response.body));
  return response;
}
