import { createHash } from 'node:crypto';
import { Resolver } from 'node:dns/promises';

const PREFIX = '_saml-verification';

/**
 * Returns the name of the TXT record. It is below the domain, so that somebody who controls only a page or a mailbox at
 * the domain cannot create it.
 */
export const proofName = (domain: string): string => `${PREFIX}.${domain}`;

/** Returns the value of the TXT record. It is different for each organization, but does not reveal the organization. */
export const proofValue = (organizationId: string, domain: string): string =>
  `saml-domain-verification=${createHash('sha256').update(`${organizationId}\0${domain}`).digest('hex').slice(0, 40)}`;

/** Returns the TXT records of a name, as one string for each record. Rejects with the errors of Node's resolver. */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** Function that returns whether the proof of an organization is in DNS. Undefined if DNS could not be queried. */
export type Published = ((organizationId: string) => boolean) | undefined;

/** A way to prove the ownership of domains. */
export interface DomainProof {
  published(domain: string): Promise<Published>;
}

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** Error codes for a record that does not exist. After any other error, it is unknown whether the record exists. */
const ABSENT = ['ENOTFOUND', 'ENODATA'];
const RECORDS_MAX = 100;

export class DnsProof implements DomainProof {
  constructor(private readonly resolveTxt: ResolveTxt = systemResolver()) {}

  async published(domain: string): Promise<Published> {
    try {
      const values = new Set((await this.resolveTxt(proofName(domain))).slice(0, RECORDS_MAX).map((value) => value.trim()));
      return (organizationId) => values.has(proofValue(organizationId, domain));
    } catch (error) {
      return ABSENT.includes(String(Object(error).code)) ? () => false : undefined;
    }
  }
}

/**
 * Proof for `SAML_DOMAIN_PROOF=none`. It accepts every claim, so the first organization that claims a domain gets the
 * domain.
 */
export const trustedWithoutProof: DomainProof = { published: () => Promise.resolve(() => true) };

function systemResolver(): ResolveTxt {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  // a value longer than 255 bytes is split into several strings
  return async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
}
