import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { htmlOf, type MailDocument, textOf } from '../../../kernel/messages/mail-document.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** What a notification says, once for all its recipients and apart from them: it is read where it is shown, and kept for a time only. */
@Entity({ tableName: 'notification_content' })
@OrganizationFilter()
@Index({ properties: ['createdAt'] })
export class NotificationContent {
  /** That of the notification. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  /** Of an e-mail; a recipient adds a greeting to it. */
  @Property({ type: 'json', nullable: true })
  document: MailDocument | null = null;

  /** Of an SMS. */
  @Property({ type: 'text', nullable: true })
  message: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** `linkToken` opens the page that the mail leads to. It stands in what is sent, and in nothing that is shown elsewhere. */
  textFor(recipientName: string | null, linkToken?: string): string {
    return this.document ? textOf(withToken(this.document, linkToken), recipientName) : (this.message ?? '');
  }

  /** Null of an SMS. */
  htmlFor(recipientName: string | null, linkToken?: string): string | null {
    return this.document && htmlOf(withToken(this.document, linkToken), recipientName);
  }
}

function withToken({ link, ...document }: MailDocument, token: string | undefined): MailDocument {
  return { ...document, ...(link && { link: token ? { ...link, url: `${link.url}?token=${token}` } : link }) };
}
