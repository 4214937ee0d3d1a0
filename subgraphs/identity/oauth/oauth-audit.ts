import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ClientInfo } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { clientStateOf } from './oauth-client-source.ts';
import { scopesIn } from './scopes.ts';

type Client = NonNullable<KoaContextWithOIDC['oidc']['client']>;

/**
 * Writes audit records of the authorization server (specification 5.9). Audit records never contain a code, secret or
 * token.
 */
export class OAuthAudit {
  constructor(private readonly trail: AuditTrail) {}

  /** Records that a token was issued. */
  async issued(ctx: KoaContextWithOIDC): Promise<void> {
    const { client, account, params, entities } = ctx.oidc;
    if (!client) return;
    const token = entities.AccessToken ?? entities.ClientCredentials;
    await this.trail.record({
      eventType: 'authentication_success',
      organizationId: clientStateOf(client).organizationId,
      userId: account?.accountId,
      clientId: client.clientId,
      client: clientInfo(ctx),
      authenticationMethod: String(params?.grant_type),
      tokenType: 'access_token',
      scopes: scopesIn(token?.scope),
      sessionId: entities.AccessToken?.grantId ?? clientStateOf(client).grantId,
    });
  }

  /** Queues an audit record for an error at the token endpoint or at the device authorization endpoint. */
  refused(ctx: KoaContextWithOIDC, error: Error & { error_detail?: string }): void {
    const { client, params } = ctx.oidc;
    this.trail.note({
      eventType: 'authentication_failure',
      organizationId: client && clientStateOf(client).organizationId,
      clientId: client?.clientId,
      client: clientInfo(ctx),
      authenticationMethod: typeof params?.grant_type === 'string' ? params.grant_type.slice(0, 100) : ctx.oidc.route,
      tokenType: 'access_token',
      reason: [error.message, error.error_detail].filter(Boolean).join(': '),
    });
  }

  /** Records that a user signed in, or allowed or denied access, on a page. */
  async user(eventType: string, client: Client, userId: string, { info, ...more }: UserEvent): Promise<void> {
    const { organizationId } = clientStateOf(client);
    await this.trail.record({ eventType, organizationId, userId, clientId: client.clientId, client: info, ...more });
  }
}

export interface UserEvent {
  info: ClientInfo;
  authenticationMethod?: string;
  scopes?: readonly string[];
  sessionId?: string | undefined;
  reason?: string;
}

const clientInfo = (ctx: KoaContextWithOIDC): ClientInfo => ({ ip: ctx.ip, userAgent: ctx.get('user-agent') || undefined });
