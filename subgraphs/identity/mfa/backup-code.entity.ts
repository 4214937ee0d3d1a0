import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A backup code, which replaces a lost second factor once. Only its hash is stored. */
@Entity({ tableName: 'backup_code' })
export class BackupCode {
  @PrimaryKey({ type: 'text' })
  userId!: string;

  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
