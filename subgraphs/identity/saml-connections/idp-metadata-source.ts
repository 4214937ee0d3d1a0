import { type FieldProblem, InvalidParameters } from '../../../kernel/errors/errors.ts';
import { HttpClient } from '../../../kernel/outbound/http.client.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { MalformedXml } from '../saml-xml/saml-xml.ts';
import { certificatePem, type IdentityProvider, readIdpMetadata } from './idp-metadata.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * An identity provider as an administrator describes it: by a metadata URL, by the metadata document, or by its
 * separate settings.
 */
export interface GivenIdentityProvider {
  idpEntityId?: string | null;
  ssoUrl?: string | null;
  certificates?: readonly (string | null)[] | null;
  metadataUrl?: string | null;
  metadataXml?: string | null;
}

/** Reads the configuration of identity providers. Metadata is fetched from public addresses only. */
export class IdpMetadataSource {
  readonly #client: HttpClient;

  constructor(
    private readonly guard: UrlGuard,
    private readonly allowPrivate: boolean,
  ) {
    this.#client = new HttpClient({ guard, timeouts: { connectMs: TIMEOUT_MS, wholeMs: TIMEOUT_MS }, maxBytes: MAX_BYTES });
  }

  problemsOf({ metadataUrl, metadataXml, idpEntityId, ssoUrl, certificates }: GivenIdentityProvider): FieldProblem[] {
    const sources = [metadataUrl, metadataXml, idpEntityId ?? ssoUrl ?? certificates].filter(Boolean);
    const reason = 'cannot be combined: send metadata_xml, metadata_url, or the parts (idp_entity_id, sso_url, certificates)';
    const ofUrl = ssoUrl && this.#problemWith(ssoUrl);
    return [
      ...(sources.length > 1 ? [{ field: 'metadataXml', reason }] : []),
      ...(ofUrl ? [{ field: 'ssoUrl', value: ssoUrl, reason: ofUrl }] : []),
      ...(certificates ?? []).flatMap((text, index) =>
        text === null || certificatePem(text) ? [] : [{ field: `certificates.${index}`, reason: UNUSABLE }],
      ),
    ];
  }

  /**
   * Returns entity id, sign-in URL and certificates. If metadata is given, reads all three values from the metadata.
   * Otherwise returns only the values that the administrator entered.
   * @throws InvalidParameters if the metadata cannot be read or used
   */
  async resolve({
    metadataUrl,
    metadataXml,
    idpEntityId,
    ssoUrl,
    certificates,
  }: GivenIdentityProvider): Promise<Partial<IdentityProvider>> {
    if (metadataUrl) return this.#checked('metadataUrl', await this.#read('metadataUrl', await this.#fetch(metadataUrl)));
    if (metadataXml) return this.#checked('metadataXml', await this.#read('metadataXml', metadataXml));
    const pems = certificates?.flatMap((text) => certificatePem(text ?? '') ?? []);
    return { ...(idpEntityId && { idpEntityId }), ...(ssoUrl && { ssoUrl }), ...(pems && { certificates: [...new Set(pems)] }) };
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  async #read(field: string, text: string): Promise<IdentityProvider> {
    try {
      return await readIdpMetadata(text);
    } catch (error) {
      throw error instanceof MalformedXml ? invalid(field, error.message) : error;
    }
  }

  #checked(field: string, provider: IdentityProvider): IdentityProvider {
    const problem = this.#problemWith(provider.ssoUrl);
    if (problem) throw invalid(field, `contains a sign-in URL that ${problem}`);
    return provider;
  }

  /** Checks the sign-in URL. It may be a private address, as in company networks, because only browsers open it. */
  #problemWith(text: string): string | undefined {
    const url = URL.parse(text);
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an https URL';
    if (url.username || url.password || url.hash) return 'must not contain a user name, password or fragment';
    if (url.protocol === 'https:') return undefined;
    const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
    return this.allowPrivate && isLoopback ? undefined : 'must be an https URL';
  }

  async #fetch(url: string): Promise<string> {
    const reason = await this.guard.problemWith(url);
    if (reason) throw new InvalidParameters([{ field: 'metadataUrl', value: url, reason }]);
    try {
      const { status, isCut, bytes } = await this.#client.send({ url });
      if (status === 200 && !isCut) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // the response does not contain this error, because it would reveal the platform's network
    }
    throw invalid('metadataUrl', `must respond with status 200 and at most ${MAX_BYTES} bytes of metadata`);
  }
}

const invalid = (field: string, reason: string): InvalidParameters => new InvalidParameters([{ field, reason } satisfies FieldProblem]);
const UNUSABLE = 'must be an X.509 certificate, as PEM, with an RSA key of at least 2048 bits';
