import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What stands for a second factor that is lost, once. Only its hash is kept. */
@Entity({ tableName: 'backup_code' })
export class BackupCode {
  @PrimaryKey({ type: 'text' })
  userId!: string;

  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
