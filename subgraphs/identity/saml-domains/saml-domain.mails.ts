import type { EntityManager } from '../../../kernel/database/database.ts';
import { mailTo } from '../../../kernel/messages/mail-document.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import type { SamlDomainClaim } from './saml-domain-claim.entity.ts';

/** Tells those who run an organization about its e-mail domains: its active owners, or its administrators where it has none. */
export class DomainMails {
  constructor(private readonly mails: MailQueue) {}

  /** The domains work for now, and will not without proof. */
  async unproven(tx: EntityManager, claims: readonly SamlDomainClaim[]): Promise<void> {
    const until = claims[0]?.worksUntil;
    await this.#tell(tx, claims, 'Prove your e-mail domains, or sign-in by SAML ends', [
      `your users sign in by SAML with addresses of these domains. From ${dayOf(until)} on that works only for domains whose DNS holds a TXT record that proves they are yours. Add these records:`,
      recordsOf(claims),
      'Nothing else is to be done: the records are found by themselves, and must stay. Users sign in as before meanwhile.',
    ]);
  }

  /** The record of a proven domain is missing. */
  async missing(tx: EntityManager, claim: SamlDomainClaim): Promise<void> {
    await this.#tell(tx, [claim], `The DNS record of ${claim.domain} is missing`, [
      `the TXT record that proves ${claim.domain} is not in DNS any more. If it is not back by ${dayOf(claim.worksUntil)}, sign-in by SAML ends for addresses of this domain. Add it again:`,
      recordsOf([claim]),
    ]);
  }

  /** Nobody signs in by the domain any more. */
  async ended(tx: EntityManager, claim: SamlDomainClaim, why: string): Promise<void> {
    await this.#tell(tx, [claim], `Sign-in by SAML has ended for ${claim.domain}`, [
      `addresses of ${claim.domain} are not signed in by SAML any more: ${why}. It works again once this TXT record is in DNS and was found there:`,
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
