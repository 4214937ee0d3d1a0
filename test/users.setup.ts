import { newId } from '../kernel/records/ids.ts';
import { createAccount } from './billing.setup.ts';
import { eventually, rig } from './rig.ts';
import { type Json, type RestResponse, Tenant } from './tenant.ts';

export const PASSWORD = 'correct horse battery';

/** A logged-in user of an organization: calls REST, GraphQL and WebSocket with an access token. */
export class TestUser extends Tenant {
  constructor(
    origin: string,
    organizationId: string,
    /** Response of the login, with the tokens. */
    readonly tokens: Json,
    readonly account: Json,
    readonly email: string,
  ) {
    super(origin, organizationId, tokens.access_token);
  }

  get id(): string {
    return this.tokens.user.id;
  }

  /** The same user in another session. */
  async again(): Promise<TestUser> {
    const { body } = await login(this, this.email);
    return new TestUser(this.origin, this.organizationId, body.data, this.account, this.email);
  }
}

export const login = (to: Tenant, email: string, password = PASSWORD): Promise<RestResponse> =>
  to.rest('POST', '/auth/login', { body: { email, password }, headers: { authorization: '' } });

/** Invites a user, accepts the invitation, and returns the logged-in user. */
export async function userOf(tenant: Tenant, role = 'owner', phone?: string): Promise<TestUser> {
  const { account, email } = await invited(tenant, role, phone);
  const token = await tokenMailedTo(email);
  const chosen = await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
  if (chosen.status !== 200) throw new Error(JSON.stringify(chosen.body));
  const { body } = await login(tenant, email);
  return new TestUser(tenant.origin, tenant.organizationId, body.data, account, email);
}

/** An invited user who has not accepted yet. */
export async function invited(tenant: Tenant, role = 'member', phone?: string): Promise<{ user: Json; account: Json; email: string }> {
  const account = await createAccount(tenant);
  const email = `${newId('user').toLowerCase()}@example.com`;
  const accounts = role === 'account_admin' ? undefined : null;
  const body = { email, name: 'Test User', role, phone, accounts };
  const answer = await tenant.rest('POST', `/accounts/${account.id}/users`, { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { user: answer.body.data, account, email };
}

/** Waits for an email to this address with a matching subject, and returns the token in the link of the newest email. */
export async function tokenMailedTo(email: string, subject = /./): Promise<string> {
  const platform = await rig();
  return eventually(() => {
    const mail = platform.mails.findLast((one) => one.to === email && subject.test(one.subject));
    return mail && /token=([\w-]+)/.exec(mail.text)?.[1];
  });
}
