import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * A file that is being stored, noted before its first byte is written and until its attachment is committed. What stays noted
 * belongs to a change that failed or a process that died: its file is deleted. Of all organizations: no caller sees these.
 */
@Entity({ tableName: 'attachment_upload' })
@Index({ properties: ['createdAt'] })
export class AttachmentUpload {
  /** Of the attachment to be. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
