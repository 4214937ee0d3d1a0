import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * A file that is being stored. The row is committed before the first byte is written, and deleted in the transaction
 * that creates the attachment. If the request fails or the process dies, the row remains, and the retention task
 * deletes its file. The entity has no organization filter, because no response contains its rows.
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
