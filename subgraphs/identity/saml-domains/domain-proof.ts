import { createHash } from 'node:crypto';
import { Resolver } from 'node:dns/promises';

const PREFIX = '_saml-verification';

/** A name of its own below the domain, which nobody has who merely has a page or a mailbox there. */
export const proofName = (domain: string): string => `${PREFIX}.${domain}`;

/** Bound to the organization, and says nothing about which it is. */
export const proofValue = (organizationId: string, domain: string): string =>
  `saml-domain-verification=${createHash('sha256').update(`${organizationId}\0${domain}`).digest('hex').slice(0, 40)}`;

/** The TXT records of a name, each as one text. Rejects as Node's resolver does. */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** Whether a proof stands in DNS; undefined where DNS could not be asked. */
export type Published = ((organizationId: string) => boolean) | undefined;

/** How domains are proven. */
export interface DomainProof {
  published(domain: string): Promise<Published>;
}

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** DNS has answered, and there is no such record. Whatever else fails says nothing about the record. */
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

/** SAML_DOMAIN_PROOF=none: whoever claims a domain first has it. */
export const trustedWithoutProof: DomainProof = { published: () => Promise.resolve(() => true) };

function systemResolver(): ResolveTxt {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  // a record longer than 255 bytes comes in parts
  return async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
}
