import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * A file that is being stored. Its row is committed before the first byte of the file is written. The transaction that
 * creates the attachment deletes the row. If the request fails or the process dies, the row remains, and the retention
 * task deletes its file. The entity has no organization filter, because no response contains its rows.
 */
@Entity({ tableName: 'attachment_upload' })
@Index({ properties: ['createdAt'] })
export class AttachmentUpload {
  /** Id that the attachment will have. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
