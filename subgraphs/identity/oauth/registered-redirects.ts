import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * Kinds of records that end with a redirect of the browser. Each function reads the client and the redirect URI from
 * the payload of a record.
 */
const REDIRECTED: Readonly<Record<string, (payload: AdapterPayload) => { clientId: unknown; redirectUri: unknown }>> = {
  AuthorizationCode: ({ clientId, redirectUri }) => ({ clientId, redirectUri }),
  Interaction: ({ params }) => ({ clientId: params?.client_id, redirectUri: params?.redirect_uri }),
};

/**
 * Returns an adapter that hides a pending authorization request or an unused code if its redirect URI was removed from
 * the client. The provider itself compares redirect URIs only when a request starts. A used code is still found, so that
 * its replay revokes the grant.
 */
export function withRegisteredRedirects(kind: string, adapter: Adapter, clients: Pick<Adapter, 'find'>): Adapter {
  const partsOf = REDIRECTED[kind];
  if (!partsOf) return adapter;
  return {
    ...adapter,
    async find(id) {
      const payload = await adapter.find(id);
      if (!payload || payload.consumed) return payload;
      const { clientId, redirectUri } = partsOf(payload);
      // an authorization request of a device has no redirect URI
      if (redirectUri === undefined) return payload;
      const client = await clients.find(String(clientId));
      return client?.redirect_uris?.includes(String(redirectUri)) ? payload : undefined;
    },
  };
}
