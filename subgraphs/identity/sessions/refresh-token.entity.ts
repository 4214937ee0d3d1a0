import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A refresh token, which continues a session once and is then replaced. Only its hash is stored. */
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
