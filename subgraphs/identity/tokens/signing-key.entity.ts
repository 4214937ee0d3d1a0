import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JWK } from 'jose';

/** A key that access tokens are signed with, of the platform and no organization. Its private half is encrypted at rest. */
@Entity({ tableName: 'signing_key' })
export class SigningKey {
  /** The `kid` of tokens. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'json' })
  publicJwk!: JWK;

  /** Sealed JSON of the private JWK. */
  @Property({ type: 'text' })
  privateJwk!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** It is published before: whoever keeps the key set for a while must know it when the first token comes. */
  @Property({ type: 'datetime', length: 3 })
  signsFrom!: Date;
}
