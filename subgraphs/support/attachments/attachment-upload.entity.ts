import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * A file that is being stored. The row is committed before the first byte is written, and deleted in the transaction that creates
 * the attachment. A row that remains belongs to a failed change or a dead process, so its file is deleted. Rows belong to no
 * tenant scope; callers never see them.
 */
@Entity({ tableName: 'attachment_upload' })
@Index({ properties: ['createdAt'] })
export class AttachmentUpload {
  /** Id of the future attachment. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
