import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { htmlOf, type MailDocument, textOf } from '../../../kernel/messages/mail-document.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * Text of a notification, stored once for all its recipients. It has its own table for two reasons: lists of
 * notifications do not read the text, and the text is deleted earlier than the notification.
 */
@Entity({ tableName: 'notification_content' })
@OrganizationFilter()
@Index({ properties: ['createdAt'] })
export class NotificationContent {
  /** Id of the content. It is equal to the id of the notification. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  /** Content of an e-mail. Null for an SMS. A greeting is added for each recipient. */
  @Property({ type: 'json', nullable: true })
  document: MailDocument | null = null;

  /** Text of an SMS. Null for an e-mail. */
  @Property({ type: 'text', nullable: true })
  message: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /**
   * Returns the plain text for one recipient. If `linkToken` is given, the link in the mail opens the ticket's page
   * without a login. It must be given only for the message that is sent, never for display.
   */
  textFor(recipientName: string | null, linkToken?: string): string {
    return this.document ? textOf(withToken(this.document, linkToken), recipientName) : (this.message ?? '');
  }

  /** Returns the HTML of an e-mail for one recipient; null for an SMS. */
  htmlFor(recipientName: string | null, linkToken?: string): string | null {
    return this.document && htmlOf(withToken(this.document, linkToken), recipientName);
  }
}

function withToken({ link, ...document }: MailDocument, token: string | undefined): MailDocument {
  return { ...document, ...(link && { link: token ? { ...link, url: `${link.url}?token=${token}` } : link }) };
}
