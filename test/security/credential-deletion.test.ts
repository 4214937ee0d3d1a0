import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../kernel/access/principal.ts';
import { rig } from '../rig.ts';
import { issue } from '../support/certificates.ts';
import { freshIssuer, newDomain } from '../support/record-kinds.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

interface OwnersRecord {
  /** Creates a record that only an owner can create, with an unrestricted key. Returns the REST path of the record. */
  make(): Promise<string>;
  /** Permissions that are enough to call the deletion, but fewer than the record has. */
  holds: Grant[];
}

const created = async (path: string, body: Json): Promise<string> => {
  const response = await tenant.rest('POST', path, { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return `${path}/${(response.body.data ?? response.body.api_key).id}`;
};

/**
 * Every mutation of the identity domain that deletes or resets a credential, session or user, which may have more
 * permissions than the caller.
 */
const RECORDS: Readonly<Record<string, OwnersRecord>> = {
  deleteApiKey: {
    make: () => created('/auth/api-keys', { name: 'Owner', permissions: ['*:*'] }),
    holds: ['credentials:write'],
  },
  revokeCertificate: {
    make: async () => created('/auth/certificates', { certificate: (await issue()).pem, name: 'Owner', permissions: ['*:*'] }),
    holds: ['credentials:write'],
  },
  deleteOAuthClient: {
    make: () => created('/auth/oauth-clients', { name: 'Owner', grant_types: ['client_credentials'], scopes: ['*.*'] }),
    holds: ['credentials:write'],
  },
  deleteSamlConnection: {
    make: () => created('/auth/saml-connections', { name: 'Owner', email_domains: [newDomain()], default_role: 'owner' }),
    holds: ['credentials:write'],
  },
  deleteTrustedIssuer: {
    make: () =>
      created('/auth/trusted-issuers', {
        name: 'Owner',
        issuer: freshIssuer(),
        audience: 'https://api.example.com',
        jwks_uri: 'https://tokens.example.com/jwks.json',
        permissions: ['*:*'],
      }),
    holds: ['credentials:*'],
  },
  resetUserMfa: {
    make: async () => `/auth/mfa/users/${(await userOf(tenant, 'owner')).id}`,
    holds: ['credentials:*'],
  },
  endSession: {
    make: async () => `/auth/sessions/${(await userOf(tenant, 'owner')).tokens.session_id}`,
    holds: ['credentials:*'],
  },
  removeUser: {
    make: async () => {
      const owner = await userOf(tenant, 'owner');
      return `/accounts/${owner.account.id}/users/${owner.id}`;
    },
    holds: ['accounts:*'],
  },
};

/** Mutations that delete a record without comparing permissions, with the reason why they need no comparison. */
const OTHERS: Readonly<Record<string, string>> = {
  deleteAccount: 'an account has no permissions; any caller with accounts:create can create it',
  deleteMfaMethod: 'callers delete only methods of their own',
};

const ENDING = /^(delete|revoke|remove|reset|end)/;

describe('deletion of stronger credentials', () => {
  test.each(Object.entries(RECORDS))(
    '%s returns 403 to a key with fewer permissions than the credential or user that it deletes or resets',
    async (_, record) => {
      const path = await record.make();
      const lesser = await tenant.limitedTo(...record.holds);
      const refused = await lesser.rest('DELETE', path);
      expect([refused.status, refused.body.error.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
      expect(refused.body.error.details.required).toBe('*:*');
      expect((await tenant.rest('DELETE', path)).status).toBe(200);
    },
  );

  test('every mutation of the identity domain that deletes, revokes, resets or ends something is tested or listed as exempt', () => {
    const mutations = parse(readFileSync('schema/identity.graphql', 'utf8')).definitions.flatMap((definition) =>
      'fields' in definition && definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === 'Mutation'
        ? (definition.fields ?? []).map(({ name }) => name.value)
        : [],
    );
    const ending = mutations.filter((name) => ENDING.test(name));
    expect(ending.toSorted()).toEqual([...Object.keys(RECORDS), ...Object.keys(OTHERS)].toSorted());
  });
});

test("a key with fewer permissions than an owner can rename an owner's SAML connection, but changing its sign-in returns 403", async () => {
  const path = await created('/auth/saml-connections', { name: 'Owner', email_domains: [newDomain()] });
  const lesser = await tenant.limitedTo('credentials:write');
  for (const body of [{ active: false }, { email_domains: [newDomain()] }, { idp_entity_id: 'https://evil.example.com' }]) {
    const refused = await lesser.rest('PUT', path, { body });
    expect([refused.status, refused.body.error.code], JSON.stringify(body)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  }
  expect((await lesser.rest('PUT', path, { body: { name: 'Renamed' } })).status).toBe(200);
  expect((await tenant.rest('GET', path)).body.data).toMatchObject({ name: 'Renamed', idp_entity_id: null });
});
