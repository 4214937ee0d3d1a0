import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export enum TokenPurpose {
  INVITATION = 'invitation',
  PASSWORD_RESET = 'password_reset',
}

/** Token of a link in a mail. It allows the user to choose a password once. Only its hash is stored. */
@Entity({ tableName: 'one_time_token' })
export class OneTimeToken {
  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Enum({ items: () => TokenPurpose, type: 'text' })
  purpose!: TokenPurpose;

  @Property({ type: 'text' })
  @Index()
  userId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
