import type { EntityManager } from '../../../kernel/database/database.ts';
import { mailTo } from '../../../kernel/messages/mail-document.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import type { SamlDomainClaim } from './saml-domain-claim.entity.ts';

/**
 * Sends an organization mails about its e-mail domains. The recipients are the active owners of the organization, or
 * its administrators if no owner is active.
 */
export class DomainMails {
  constructor(private readonly mails: MailQueue) {}

  /** Warns about domains in a grace period. When the grace period ends, users can sign in only with proven domains. */
  async unproven(tx: EntityManager, claims: readonly SamlDomainClaim[]): Promise<void> {
    const until = claims[0]?.worksUntil;
    await this.#tell(tx, claims, 'Prove your e-mail domains to keep SAML sign-in', [
      `your users sign in through SAML with e-mail addresses of the domains below. From ${dayOf(until)} on, this works only for domains with a TXT record in DNS that proves that they are yours. Add these records:`,
      recordsOf(claims),
      'You do not have to do anything else: we find the records automatically. Do not remove them later. Until then, users sign in as before.',
    ]);
  }

  /** Warns that the TXT record of a proven domain is missing in DNS. */
  async missing(tx: EntityManager, claim: SamlDomainClaim): Promise<void> {
    await this.#tell(tx, [claim], `The DNS record of ${claim.domain} is missing`, [
      `the TXT record that proves that ${claim.domain} is yours is no longer in DNS. If it is not back by ${dayOf(claim.worksUntil)}, users with addresses of this domain can no longer sign in through SAML. Add the record again:`,
      recordsOf([claim]),
    ]);
  }

  /** Reports that users can no longer sign in with the domain. */
  async ended(tx: EntityManager, claim: SamlDomainClaim, why: string): Promise<void> {
    await this.#tell(tx, [claim], `SAML sign-in has ended for ${claim.domain}`, [
      `users with addresses of ${claim.domain} can no longer sign in through SAML: ${why}. It will work again when we find this TXT record in DNS:`,
      recordsOf([claim]),
    ]);
  }

  async #tell(tx: EntityManager, claims: readonly SamlDomainClaim[], subject: string, paragraphs: readonly string[]): Promise<void> {
    const organizationId = claims[0]?.organizationId;
    if (!organizationId) return;
    for (const user of await recipients(tx, organizationId))
      await this.mails.enqueue(tx, mailTo(user, subject, { paragraphs }), { organizationId });
  }
}

async function recipients(tx: EntityManager, organizationId: string): Promise<User[]> {
  for (const role of [UserRole.OWNER, UserRole.ADMIN]) {
    const found = await tx.find(User, { organizationId, role, status: UserStatus.ACTIVE }, { ...EVERYWHERE, orderBy: { id: 'asc' } });
    if (found.length > 0) return found;
  }
  return [];
}

const recordsOf = (claims: readonly SamlDomainClaim[]): string =>
  claims.map(({ txtName, txtValue }) => `${txtName}  TXT  "${txtValue}"`).join('\n');
const dayOf = (at: Date | null | undefined): string => (at ? dateOf(at) : 'now');
