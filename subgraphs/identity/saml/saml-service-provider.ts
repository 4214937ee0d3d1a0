import { deflateRawSync } from 'node:zlib';
import { type CacheProvider, SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import type { Clock } from '../../../kernel/clock.ts';
import type { SamlConnection } from '../saml-connections/saml-connection.entity.ts';
import { SignInRefused } from './saml.errors.ts';
import type { SamlAddresses } from './saml-addresses.ts';
import type { UnverifiedResponse } from './saml-response.ts';
import { isSignedByOneOf } from './saml-signature.ts';

export const CLOCK_SKEW_MS = 30_000;
/** Whatever an assertion says of itself, it holds no longer than this after it was issued. */
const ASSERTION_AGE_MS = 5 * 60_000;

export interface ProviderParts {
  addresses: SamlAddresses;
  clock: Clock;
  cache: CacheProvider;
  /** The response answers a request of ours. */
  isAnswer: boolean;
}

/** node-saml as the service provider of one connection, by the platform's clock. */
export class ServiceProvider extends SAML {
  private readonly trusted: readonly string[];

  constructor(
    connection: SamlConnection,
    private readonly parts: ProviderParts,
  ) {
    super(configOf(connection, parts));
    this.trusted = connection.certificates;
  }

  /** A request, as XML; the cache has its id. */
  authnRequest(): Promise<string> {
    return this.generateAuthorizeRequestAsync(false, false);
  }

  /** The text of the one assertion whose signature, and that of the response around it, holds. @throws SignInRefused */
  async signedAssertion(response: UnverifiedResponse): Promise<string> {
    // refuses a forger without the key before anything is digested
    if (!isSignedByOneOf(this.trusted, response)) throw new SignInRefused('signature by none of the keys of the connection');
    try {
      const { profile } = await this.validatePostResponseAsync({ SAMLResponse: response.encoded });
      const text: unknown = profile?.getAssertionXml?.();
      if (typeof text === 'string') return text;
    } catch (error) {
      // its messages may repeat what was sent, which is nobody's to keep
      throw new SignInRefused(reasonOf(error));
    }
    throw new SignInRefused('no assertion');
  }

  protected override checkTimestampsValidityError(
    _: number,
    notBefore: string,
    notOnOrAfter: string,
    maxTimeLimitMs?: number,
  ): Error | null {
    return super.checkTimestampsValidityError(this.parts.clock.now().getTime(), notBefore, notOnOrAfter, maxTimeLimitMs);
  }
}

function configOf({ id, ssoUrl, certificates }: SamlConnection, { addresses, cache, isAnswer }: ProviderParts): SamlConfig {
  const entityId = addresses.entityIdOf(id);
  return {
    issuer: entityId,
    audience: entityId,
    callbackUrl: addresses.acsUrl,
    entryPoint: ssoUrl ?? '',
    idpCert: certificates,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: true,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    maxAssertionAgeMs: ASSERTION_AGE_MS,
    validateInResponseTo: isAnswer ? ValidateInResponseTo.always : ValidateInResponseTo.never,
    cacheProvider: cache,
    signatureAlgorithm: 'sha256',
    // how it authenticates its users, with a second factor or without, is the identity provider's business
    disableRequestedAuthnContext: true,
  };
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/InResponseTo/i, 'no request of ours waits for it'],
  [/audience/i, 'audience'],
  [/not yet valid/i, 'not yet valid'],
  [/expired|too old|subject confirmation/i, 'expired'],
  [/signature/i, 'signature'],
];

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'not valid';
}

/** Where a browser takes a request to (SAML 2.0 Bindings, 3.4). */
export function redirectUrl(ssoUrl: string, requestXml: string, relayState: string | undefined): string {
  const url = new URL(ssoUrl);
  url.searchParams.set('SAMLRequest', deflateRawSync(requestXml).toString('base64'));
  if (relayState) url.searchParams.set('RelayState', relayState);
  return url.href;
}
