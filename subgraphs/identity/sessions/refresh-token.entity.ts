import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What a session is continued with, once: its use makes the next one. Only its hash is kept. */
@Entity({ tableName: 'refresh_token' })
export class RefreshToken {
  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'text' })
  @Index()
  sessionId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
