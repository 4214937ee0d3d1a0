import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { invited, userOf } from '../users.setup.ts';
import { type Enrolled, enrolled, newChallenge, totp, verifyCode } from './mfa.setup.ts';

let tenant: Tenant;
let admin: Enrolled;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  admin = await enrolled(tenant, 'admin');
});

/** One operation that changes permissions in the organization, over REST and GraphQL. */
interface Attempt {
  rest(by: Tenant): Promise<RestResponse>;
  graphql: [query: string, variables: Json];
}

const restPath = ({ account, user }: Json): string => `/accounts/${account.id}/users/${user.id}`;
const UPDATE = 'mutation ($id: ID!, $input: UserUpdateInput!) { updateUser(id: $id, input: $input) { id role status } }';

const ATTEMPTS: Readonly<Record<string, (by: Json) => Promise<Attempt>>> = {
  'inviting an administrator': async ({ account }) => {
    const input = { email: `${newId('user')}@example.com`.toLowerCase(), name: 'New Admin', role: 'admin' };
    return {
      rest: (by) => by.rest('POST', `/accounts/${account.id}/users`, { body: input }),
      graphql: [
        'mutation ($on: ID!, $input: UserInviteInput!) { inviteUser(accountId: $on, input: $input) { id } }',
        { on: account.id, input: { ...input, role: 'ADMIN' } },
      ],
    };
  },
  'changing a role': async (target) => ({
    rest: (by) => by.rest('PUT', restPath(target), { body: { role: 'admin' } }),
    graphql: [UPDATE, { id: target.user.id, input: { role: 'ADMIN' } }],
  }),
  'suspending a user': async (target) => ({
    rest: (by) => by.rest('PUT', restPath(target), { body: { status: 'suspended' } }),
    graphql: [UPDATE, { id: target.user.id, input: { status: 'SUSPENDED' } }],
  }),
  'removing a user': async (target) => ({
    rest: (by) => by.rest('DELETE', restPath(target)),
    graphql: ['mutation ($id: ID!) { removeUser(id: $id) { id } }', { id: target.user.id }],
  }),
};

const usersOf = async (): Promise<Json> =>
  (await tenant.graphql('{ users(page: { limit: 200 }) { nodes { id email role status } } }')).data.users.nodes;

describe('administrator session without a verified second factor', () => {
  test.each(Object.keys(ATTEMPTS))(
    'an administrator without a verified second factor gets mfa_required over REST, GraphQL and WebSocket when %s',
    async (name) => {
      const attempt = await ATTEMPTS[name]?.(await invited(tenant, 'member'));
      if (!attempt) throw new Error(name);
      const before = await usersOf();

      const refused = await attempt.rest(admin.user);
      expect([refused.status, refused.body.error]).toEqual([403, 'mfa_required']);
      const [query, variables] = attempt.graphql;
      expect((await admin.user.graphql(query, variables)).errors).toMatchObject([{ extensions: { code: 'MFA_REQUIRED' } }]);
      const socket = admin.user.socket();
      for await (const { errors } of socket.iterate({ query, variables }))
        expect(errors).toMatchObject([{ extensions: { code: 'MFA_REQUIRED' } }]);
      await socket.dispose();
      expect(await usersOf()).toEqual(before);

      expect((await verifyCode(admin.user, await newChallenge(admin.user), await totp(admin.secret))).status).toBe(200);
      expect((await attempt.rest(admin.user)).status).toBeLessThan(300);
      expect(await usersOf()).not.toEqual(before);
    },
  );

  test('administrators can delete their own sessions without a second factor but get mfa_required for sessions of other users', async () => {
    const member = await userOf(tenant, 'member');
    const sessionOf = async (user: Tenant) => (await user.rest('GET', '/auth/verify')).body.data.session_id;
    const path = `/auth/sessions/${await sessionOf(member)}`;
    const refused = await admin.user.rest('DELETE', path);
    expect([refused.status, refused.body.error]).toEqual([403, 'mfa_required']);
    expect((await member.rest('GET', '/auth/verify')).status).toBe(200);

    const other = await admin.user.again();
    expect((await admin.user.rest('DELETE', `/auth/sessions/${await sessionOf(other)}`)).status).toBe(200);
    expect((await verifyCode(admin.user, await newChallenge(admin.user), await totp(admin.secret))).status).toBe(200);
    expect((await admin.user.rest('DELETE', path)).status).toBe(200);
    expect((await member.rest('GET', '/auth/verify')).status).toBe(401);
  });
});
