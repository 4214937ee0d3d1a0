import type { InteractionResults, Grant as OAuthGrant } from 'oidc-provider';
import { narrowed, scopeOf } from '../../../kernel/access/principal.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { html } from '../../../kernel/messages/html.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { clientInfoOf, type PageResponse } from '../../../kernel/pages/page-requests.ts';
import { consentPage } from '../pages/consent.page.ts';
import type { InteractionsParts, Waiting } from './interactions.ts';
import { RequestExpired } from './oauth.errors.ts';
import { clientStateOf, nameOf } from './oauth-client-source.ts';
import { findAccount, type OAuthAccount } from './oauth-users.ts';
import { grantsIn, inWords } from './scopes.ts';

/**
 * Asks a user whether a client may act for the user. Stores the consent as a grant of the requested scopes, limited to
 * the user's permissions.
 */
export class Consent {
  constructor(private readonly parts: Pick<InteractionsParts, 'orm' | 'gate' | 'audit'>) {}

  async show(waiting: Waiting): Promise<PageResponse> {
    const { client, action, formTargets, interaction } = waiting;
    const account = await this.#account(waiting);
    const allowed = narrowed(grantsIn(missingScopes(waiting).map(([, scope]) => scope)), account.holder);
    if (allowed.length === 0) return nothingToAllow(waiting);
    const page = consentPage({
      action,
      clientName: nameOf(client),
      homepage: client.clientUri,
      organizationName: clientStateOf(client).organizationName,
      email: account.user.email,
      scopes: allowed.map(inWords),
      destination: typeof interaction.params.redirect_uri === 'string' ? new URL(interaction.params.redirect_uri).host : undefined,
    });
    return { page, formTargets };
  }

  async decide(waiting: Waiting, isAllowed: boolean, finish: (result: InteractionResults) => Promise<PageResponse>): Promise<PageResponse> {
    const { client, request } = waiting;
    const { user, holder } = await this.#account(waiting);
    const info = clientInfoOf(request);
    if (!isAllowed) {
      await this.parts.audit.user('consent_denied', client, user.id, { info });
      return finish({ error: 'access_denied', error_description: 'The user denied access.' });
    }
    const grant = await this.#grantOf(waiting, user.id);
    const scopes: string[] = [];
    for (const [resource, scope] of missingScopes(waiting)) {
      const [allowed] = narrowed(grantsIn([scope]), holder);
      if (allowed) scopes.push(scopeOf(allowed));
      if (allowed) grant.addResourceScope(resource, scope);
      else grant.rejectResourceScope(resource, scope);
    }
    const grantId = await grant.save();
    const shownMs = await secondFactorAge(waiting);
    if (shownMs !== undefined) await this.parts.gate.elevate(grantId, user.id, shownMs);
    await this.parts.audit.user('consent_granted', client, user.id, { info, scopes, sessionId: grantId });
    return finish({ consent: { grantId } });
  }

  async #grantOf({ provider, interaction, client }: Waiting, accountId: string): Promise<OAuthGrant> {
    const known = interaction.grantId ? await provider.Grant.find(interaction.grantId) : undefined;
    return known ?? new provider.Grant({ accountId, clientId: client.clientId });
  }

  /** Loads the user who has signed in. @throws RequestExpired if the user no longer exists */
  async #account({ interaction }: Waiting): Promise<OAuthAccount> {
    const account = interaction.session && (await findAccount(this.parts.orm as Orm, interaction.session.accountId));
    if (!account) throw new RequestExpired();
    return account;
  }
}

/** Returns the scopes that the user has not decided on, each with its resource. */
function missingScopes({ interaction }: Waiting): [string, string][] {
  const missing = (interaction.prompt.details.missingResourceScopes ?? {}) as Record<string, string[]>;
  return Object.entries(missing).flatMap(([resource, scopes]) => scopes.map((scope): [string, string] => [resource, scope]));
}

/**
 * Returns how many milliseconds ago the user verified a second factor. Returns undefined if this sign-in included no
 * second factor.
 */
async function secondFactorAge({ provider, interaction }: Waiting): Promise<number | undefined> {
  if (!interaction.session?.amr?.includes('otp')) return undefined;
  const session = await provider.Session.findByUid(interaction.session.uid);
  return session?.loginTs === undefined ? undefined : Math.max(0, Date.now() - session.loginTs * 1000);
}

function nothingToAllow({ client, action, formTargets }: Waiting): PageResponse {
  const text = `${nameOf(client)} requests only permissions that you do not have. Ask an administrator of your organization.`;
  const more = html`<form method="post" action="${action}/abort"><div class="actions"><button type="submit">Go back</button></div></form>`;
  return { page: messagePage({ title: 'There is nothing to allow', text, more }), formTargets };
}
