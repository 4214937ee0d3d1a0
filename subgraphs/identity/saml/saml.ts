import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { IdpMetadataSource } from '../saml-connections/idp-metadata-source.ts';
import { DomainCheckTask } from '../saml-domains/domain-check-task.ts';
import { DnsProof, type ResolveTxt, trustedWithoutProof } from '../saml-domains/domain-proof.ts';
import { SamlDomains } from '../saml-domains/saml-domains.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { SamlStore } from './saml.store.ts';
import { SamlAddresses } from './saml-addresses.ts';
import { SamlSignIn } from './saml-sign-in.ts';
import { SamlUsers } from './saml-users.ts';

export interface SamlParts {
  orm: Orm;
  clock: Clock;
  trail: AuditTrail;
  feed: ChangeFeed;
  sessions: Sessions;
  mails: MailQueue;
  log: Logger;
  samlDomainProof: 'dns' | 'none';
  resolveTxt?: ResolveTxt | undefined;
  /** Origin of the SAML endpoints, which the specification calls `{service_origin}`. */
  serviceOrigin: string;
  guard: UrlGuard;
  /** True if identity providers may use private addresses and http. For development only. */
  allowPrivateUrls: boolean;
}

/** Objects for SAML sign-in that exist once per process. */
export interface Saml {
  addresses: SamlAddresses;
  metadata: IdpMetadataSource;
  domains: SamlDomains;
  domainCheckTask: DomainCheckTask;
  signIn: SamlSignIn;
}

export function createSaml({ serviceOrigin, guard, allowPrivateUrls, samlDomainProof, resolveTxt, ...parts }: SamlParts): Saml {
  const addresses = new SamlAddresses(serviceOrigin);
  const store = new SamlStore(parts.orm, parts.clock);
  const isOnTrust = samlDomainProof === 'none';
  const domains = new SamlDomains({ ...parts, isOnTrust, proof: isOnTrust ? trustedWithoutProof : new DnsProof(resolveTxt) });
  const users = new SamlUsers({ ...parts, domains });
  return {
    addresses,
    metadata: new IdpMetadataSource(guard, allowPrivateUrls),
    domains,
    domainCheckTask: new DomainCheckTask({ ...parts, domains }),
    signIn: new SamlSignIn({ ...parts, addresses, store, users, domains }),
  };
}
