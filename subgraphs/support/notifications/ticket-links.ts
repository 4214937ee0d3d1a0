import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';

/** The recipient of a mail with a link, and the ticket to which the link gives access. */
export type LinkHolder = NotificationRecipient & { ticketId: string };

/** Time for which the link in a mail is valid: 30 days. */
export const LINK_MS = 30 * DAY_MS;

/**
 * Tokens in mail links, which let the recipient read one ticket and reply to it without a login. A token belongs to one
 * recipient of one mail about one ticket. Tokens are computed and never stored, so that nobody can find a token in a
 * database or in the list of sent notifications.
 */
export class TicketLinks {
  readonly #box: SecretBox;

  constructor(private readonly parts: { orm: Orm; clock: Clock; secrets: Secrets }) {
    this.#box = parts.secrets.box('support.ticket-link');
  }

  tokenOf(recipientId: string, ticketId: string): string {
    return `${recipientId}.${this.#box.digest(`${recipientId}.${ticketId}`)}`;
  }

  /** Returns the recipient that a token was created for; undefined if the token is invalid, expired or revoked. */
  async holderOf(token: string, ticketId: string): Promise<LinkHolder | undefined> {
    const [id = '', digest = '', ...rest] = token.split('.');
    if (rest.length > 0 || !this.#box.isDigest(digest, `${id}.${ticketId}`)) return undefined;
    const { orm, clock } = this.parts;
    const since = new Date(clock.now().getTime() - LINK_MS);
    const where = { id, ticketId, linkRevokedAt: null, createdAt: { $gt: since } };
    const recipient = await orm.em.fork().findOne(NotificationRecipient, where, EVERYWHERE);
    return recipient ? Object.assign(recipient, { ticketId }) : undefined;
  }
}
