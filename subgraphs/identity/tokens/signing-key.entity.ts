import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JWK } from 'jose';

/**
 * A key that signs access tokens. The key belongs to the platform, not to an organization. The private key is encrypted
 * at rest.
 */
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
   * Time from which the key signs tokens. The key is published earlier, so that clients that cache the key set already
   * have the key.
   */
  @Property({ type: 'datetime', length: 3 })
  signsFrom!: Date;
}
