import { deflateRawSync } from 'node:zlib';
import { type CacheProvider, SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import type { Clock } from '../../../kernel/clock.ts';
import type { SamlConnection } from '../saml-connections/saml-connection.entity.ts';
import { SignInRefused } from './saml.errors.ts';
import type { SamlAddresses } from './saml-addresses.ts';
import type { UnverifiedResponse } from './saml-response.ts';
import { isSignedByOneOf } from './saml-signature.ts';

export const CLOCK_SKEW_MS = 30_000;
/** Maximum age of an assertion, even if the assertion states a longer lifetime. */
const ASSERTION_AGE_MS = 5 * 60_000;

export interface ProviderParts {
  addresses: SamlAddresses;
  clock: Clock;
  cache: CacheProvider;
  /** True if the response is for a request of this platform. If false, the identity provider started the sign-in. */
  isAnswer: boolean;
}

/** The service provider of one connection: node-saml with the platform's clock. */
export class ServiceProvider extends SAML {
  private readonly trusted: readonly string[];

  constructor(
    connection: SamlConnection,
    private readonly parts: ProviderParts,
  ) {
    super(configOf(connection, parts));
    this.trusted = connection.certificates;
  }

  /** Creates an AuthnRequest as XML and stores the id of the request. */
  authnRequest(): Promise<string> {
    return this.generateAuthorizeRequestAsync(false, false);
  }

  /**
   * Returns the text of the assertion. Both the assertion and the whole response must have a valid signature.
   * @throws SignInRefused
   */
  async signedAssertion(response: UnverifiedResponse): Promise<string> {
    // refuses a forged response before the expensive digests are computed
    if (!isSignedByOneOf(this.trusted, response)) throw new SignInRefused('signature by none of the keys of the connection');
    try {
      const { profile } = await this.validatePostResponseAsync({ SAMLResponse: response.encoded });
      const text: unknown = profile?.getAssertionXml?.();
      if (typeof text === 'string') return text;
    } catch (error) {
      // error messages of node-saml may contain parts of the response, which must not be stored
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
    // the identity provider decides whether users need a second factor
    disableRequestedAuthnContext: true,
  };
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/InResponseTo/i, 'there is no pending request for it'],
  [/audience/i, 'audience'],
  [/not yet valid/i, 'not yet valid'],
  [/expired|too old|subject confirmation/i, 'expired'],
  [/signature/i, 'signature'],
];

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'not valid';
}

/** Returns the URL to which the browser is redirected with the request `requestXml` (SAML 2.0 Bindings, 3.4). */
export function redirectUrl(ssoUrl: string, requestXml: string, relayState: string | undefined): string {
  const url = new URL(ssoUrl);
  url.searchParams.set('SAMLRequest', deflateRawSync(requestXml).toString('base64'));
  if (relayState) url.searchParams.set('RelayState', relayState);
  return url.href;
}
