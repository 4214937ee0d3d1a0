import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import type { Client } from 'graphql-ws';
import { beforeEach, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { operationOf, routes } from '../support/operations.ts';
import type { Json, Tenant } from '../tenant.ts';
import { challengeOf, enrolled, totp, verifyCode } from './mfa.setup.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

const RENAME = 'mutation ($name: String!) { updateOrganization(input: { name: $name }) { name } }';
const VERIFY = `mutation ($input: MfaVerifyInput!) { verifyMfaChallenge(input: $input) { verified method validUntil backupCodesLeft } }`;
const DEMAND = {
  message: expect.stringContaining('/v1/auth/mfa/verify'),
  extensions: {
    code: 'MFA_REQUIRED',
    details: { challenge_id: expect.stringMatching(/^mfac_/), methods: ['totp'] },
    request_id: expect.stringMatching(/^req_/),
  },
};

const ask = async (socket: Client, query: string, variables: Record<string, unknown> = {}): Promise<Json> => {
  for await (const result of socket.iterate({ query, variables })) return result;
};

describe('second-factor errors', () => {
  test('a GraphQL operation that needs a second factor returns MFA_REQUIRED with a challenge that a mutation can verify', async () => {
    const { user, secret } = await enrolled(tenant);
    const { data, errors } = await user.graphql(RENAME, { name: 'Renamed' });
    expect(data).toBeNull();
    expect(errors).toMatchObject([DEMAND]);
    const challengeId = errors?.[0].extensions.details.challenge_id;
    const input = { challengeId, method: 'TOTP', code: await totp(secret) };
    expect((await user.graphql(VERIFY, { input })).data.verifyMfaChallenge).toMatchObject({ verified: true, method: 'TOTP' });
    expect((await user.graphql(RENAME, { name: 'Renamed' })).data.updateOrganization.name).toBe('Renamed');
  });

  test('several fields of one GraphQL request that return MFA_REQUIRED share one challenge', async () => {
    const { user } = await enrolled(tenant);
    const { errors = [] } = await user.graphql(
      'mutation { a: updateOrganization(input: { name: "A" }) { name } b: createBackupCodes { backupCodes } }',
    );
    const ids = errors.map(({ extensions }) => extensions.details.challenge_id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids)).toEqual(new Set([await challengeOf(user)]));
  });

  test('an operation on a WebSocket returns MFA_REQUIRED until the challenge is verified, and then succeeds on the open socket', async () => {
    const { advance } = await rig();
    const { user, secret } = await enrolled(tenant);
    const socket = user.socket();
    try {
      const { errors } = await ask(socket, RENAME, { name: 'Over a socket' });
      expect(errors).toMatchObject([DEMAND]);
      expect((await verifyCode(user, errors[0].extensions.details.challenge_id, await totp(secret))).status).toBe(200);
      expect((await ask(socket, RENAME, { name: 'Over a socket' })).data.updateOrganization.name).toBe('Over a socket');
      await advance(16 * 60_000);
      const again = await ask(socket, RENAME, { name: 'Later' });
      expect(again.errors).toMatchObject([DEMAND]);
      const input = { challengeId: again.errors[0].extensions.details.challenge_id, method: 'TOTP', code: await totp(secret) };
      expect((await ask(socket, VERIFY, { input })).data.verifyMfaChallenge.verified).toBe(true);
      expect((await ask(socket, RENAME, { name: 'Later' })).data.updateOrganization.name).toBe('Later');
    } finally {
      await socket.dispose();
    }
    const { body } = await tenant.rest('GET', `/auth/audit?user_id=${user.id}&event_type=mfa_verified`);
    expect(body.data.map(({ ip_address }: Json) => ip_address)).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

describe('mutations that require a second factor', () => {
  /**
   * Name patterns for the mutations listed in docs/decisions/second-factors.md. A new mutation with a matching name is
   * covered automatically.
   */
  const PROTECTED = [
    /(ApiKey|Certificate|SamlConnection|TrustedIssuer|UserRestrictions)$/,
    /OAuthClient(Secret)?$/,
    /^(order|deploy|scale|endService$|decommission|cancel(?!Maintenance))|Provision|^updateService(Features|Configuration)?$|^updateNetwork$|Bulk/i,
    /(Payment|Refund|PaymentMethod|BillingPreferences|CreditNote|UsagePrice|RecurringBilling|Subscription)$/,
    /^(grantCredit|writeOffInvoice)$/,
    /User$/,
    /^(create|change|suspend|resume|close|export|clear|withdraw)Organization|^(setPlatformAccess|withdrawSamlDomain)$/,
    /^(create|update|replace|retire|restore|delete)(Catalog(Service|Category|TermDiscounts)|CoverageArea|Carrier)$/,
    /^(changePassword|deleteMfaMethod|createBackupCodes|resetUserMfa|updateOrganization|updateInvoiceSettings)$/,
  ];
  /** Mutations that match a pattern but require no second factor, with the reason. */
  const EXEMPT: Readonly<Record<string, string>> = {};

  const mutations = parse(readFileSync('schema/supergraph.graphql', 'utf8')).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === 'Mutation' ? (definition.fields ?? []) : [],
  );

  test.each(mutations.map((field) => [field.name.value, field] as const))(
    'a mutation requires a second factor if and only if docs/decisions/second-factors.md lists its kind: %s',
    (name, { directives = [] }) => {
      const isProtected = directives.some((one) => one.name.value === 'policy' && JSON.stringify(one.arguments).includes('second_factor'));
      const isListed = PROTECTED.some((pattern) => pattern.test(name)) && !(name in EXEMPT);
      if (isListed) expect(isProtected, 'its kind is listed in docs/decisions/second-factors.md').toBe(true);
      else expect(isProtected, 'add its kind here and to docs/decisions/second-factors.md').toBe(false);
    },
  );

  test('the OpenAPI document marks an operation with x-second-factor if and only if its GraphQL field requires a second factor', () => {
    const protectedFields = mutations.filter(({ directives = [] }) => JSON.stringify(directives).includes('second_factor'));
    const fields = new Set(protectedFields.map(({ name }) => name.value));
    const marked = routes.filter((route) => operationOf(route)['x-second-factor']);
    expect(marked.map(({ operationId }) => operationId)).toEqual(
      routes.filter(({ field }) => fields.has(field)).map(({ operationId }) => operationId),
    );
    expect(marked.map(({ operationId }) => operationId)).toContain('createApiKey');
  });

  test('the name patterns for mutations that require a second factor match more than four mutations', () => {
    expect(mutations.filter(({ name }) => PROTECTED.some((pattern) => pattern.test(name.value))).length).toBeGreaterThan(4);
  });
});
