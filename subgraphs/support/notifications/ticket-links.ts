import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';

/** Who was given a link, and to what. */
export type LinkHolder = NotificationRecipient & { ticketId: string };

/** How long the link of a mail holds: 30 days. */
export const LINK_MS = 30 * DAY_MS;

/**
 * Tokens by which whoever was mailed about a ticket reads it, and replies, without a login: of one ticket and one mail. They are
 * stored nowhere, so that nobody finds one in a database or among the sent notifications.
 */
export class TicketLinks {
  readonly #box: SecretBox;

  constructor(private readonly parts: { orm: Orm; clock: Clock; secrets: Secrets }) {
    this.#box = parts.secrets.box('support.ticket-link');
  }

  tokenOf(recipientId: string, ticketId: string): string {
    return `${recipientId}.${this.#box.digest(`${recipientId}.${ticketId}`)}`;
  }

  /** Who was given a token for a ticket; undefined where we gave none, it is too old, or was revoked. */
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
