import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { htmlOf, type MailDocument, textOf } from '../../../kernel/messages/mail.document.ts';
import { OrganizationFilter } from '../../../kernel/records/organization.filter.ts';

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

  textFor(recipientName: string | null): string {
    return this.document ? textOf(this.document, recipientName) : (this.message ?? '');
  }

  /** Null of an SMS. */
  htmlFor(recipientName: string | null): string | null {
    return this.document && htmlOf(this.document, recipientName);
  }
}
