import { type Adapter, type AdapterPayload, type Client, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type Grant, type Plan, Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { isSecretOf } from '../oauth-clients/oauth-client.entity.ts';
import { OAuthGrantType } from '../oauth-clients/oauth-client-grant-types.ts';

/** Client data that oidc-provider has no metadata fields for. The provider gets all of it in one extra field. */
export interface ClientState {
  organizationId: string;
  organizationName: string;
  plan: Plan;
  permissions: Grant[];
  /** Grant under which the client's own tokens are issued. */
  grantId: string;
  secretHash: string | null;
  previousSecretHash: string | null;
  previousSecretUntil: string | null;
}

export const CLIENT_STATE = 'platform_standing';

interface Row extends Omit<ClientState, 'previousSecretUntil'> {
  id: string;
  name: string;
  isConfidential: boolean;
  redirectUris: string[];
  grantTypes: OAuthGrantType[];
  homepageUrl: string | null;
  logoUrl: string | null;
  previousSecretUntil: Date | null;
}

const CLIENT = `select c."id", c."name", c."is_confidential" as "isConfidential", c."redirect_uris" as "redirectUris",
    c."grant_types" as "grantTypes", c."permissions", c."grant_id" as "grantId", c."homepage_url" as "homepageUrl", c."logo_url" as "logoUrl",
    c."secret_hash" as "secretHash", c."previous_secret_hash" as "previousSecretHash", c."previous_secret_until" as "previousSecretUntil",
    o."id" as "organizationId", o."name" as "organizationName", o."plan"
  from "identity"."oauth_client" c join "identity"."organization" o on o."id" = c."organization_id"
  where c."id" = $1 and c."active" and o."status" = 'active'`;

const GRANT_TYPES: Readonly<Record<OAuthGrantType, string>> = {
  [OAuthGrantType.AUTHORIZATION_CODE]: 'authorization_code',
  [OAuthGrantType.REFRESH_TOKEN]: 'refresh_token',
  [OAuthGrantType.CLIENT_CREDENTIALS]: 'client_credentials',
  [OAuthGrantType.DEVICE_CODE]: 'urn:ietf:params:oauth:grant-type:device_code',
};

/**
 * Loads clients for the provider, without a cache. Does not find inactive clients or clients of an organization that is
 * not active. There is no dynamic client registration, so all write operations fail.
 */
export function clientAdapter(rows: Rows): Adapter {
  const refuse = async (): Promise<never> => {
    throw new Error('Only administrators register clients.');
  };
  return {
    async find(id) {
      const [row] = id.includes('\0') ? [] : await rows.query<Row>(CLIENT, [id]);
      return row && metadataOf(row, asksForDevice());
    },
    findByUid: refuse,
    findByUserCode: refuse,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

/**
 * Returns whether the request starts a device flow without the client's secret. The platform allows this, since redeeming the device code
 * requires the secret. The provider would refuse a confidential client without its secret, so the provider gets a public client for this
 * request.
 */
function asksForDevice(): boolean {
  const ctx = Provider.ctx as KoaContextWithOIDC | undefined;
  return ctx?.oidc.route === 'device_authorization' && !ctx.headers.authorization && !ctx.oidc.params?.client_secret;
}

function metadataOf(row: Row, withoutSecret: boolean): AdapterPayload {
  const { id, name, isConfidential, redirectUris, grantTypes, homepageUrl, logoUrl, secretHash, previousSecretUntil, ...rest } = row;
  const takesCodes = grantTypes.includes(OAuthGrantType.AUTHORIZATION_CODE);
  const state: ClientState = {
    ...rest,
    secretHash,
    previousSecretUntil: previousSecretUntil && new Date(previousSecretUntil).toJSON(),
  };
  return {
    client_id: id,
    client_name: name,
    redirect_uris: takesCodes ? redirectUris : [],
    response_types: takesCodes ? ['code'] : [],
    grant_types: grantTypes.map((type) => GRANT_TYPES[type]),
    token_endpoint_auth_method: isConfidential && !withoutSecret ? 'client_secret_basic' : 'none',
    // the provider requires a value here, but `compareClientSecret` uses only the hashes in `ClientState`
    ...(isConfidential && !withoutSecret && { client_secret: secretHash ?? undefined }),
    ...(homepageUrl && { client_uri: homepageUrl }),
    ...(logoUrl && { logo_uri: logoUrl }),
    [CLIENT_STATE]: state,
  } as AdapterPayload;
}

export const clientStateOf = (client: Client): ClientState => client[CLIENT_STATE] as ClientState;

export const nameOf = (client: Client): string => client.clientName ?? client.clientId;

/** Returns a principal with the permissions that a client may request. */
export function holderOf({ organizationId, plan, permissions }: Pick<ClientState, 'organizationId' | 'plan' | 'permissions'>): Principal {
  return new Principal({ kind: 'client', id: 'client', organizationId, plan, grants: permissions });
}

export function isClientSecret(client: Client, shown: string, clock: Clock): boolean {
  const { previousSecretUntil, ...hashes } = clientStateOf(client);
  const until = previousSecretUntil ? new Date(previousSecretUntil) : null;
  return isSecretOf({ ...hashes, previousSecretUntil: until }, shown, clock.now());
}
