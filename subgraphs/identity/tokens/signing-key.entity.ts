import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JWK } from 'jose';

/** A key that signs access tokens. It belongs to the platform, not to an organization. Its private key is encrypted at rest. */
@Entity({ tableName: 'signing_key' })
export class SigningKey {
  /** The key id (`kid`) in the header of the tokens that the key signs. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'json' })
  publicJwk!: JWK;

  /** Encrypted JSON of the private JWK. */
  @Property({ type: 'text' })
  privateJwk!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /**
   * Time from which the key signs tokens. It is published earlier, so that clients with a cached key set have it in
   * time.
   */
  @Property({ type: 'datetime', length: 3 })
  signsFrom!: Date;
}
