import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A request to an identity provider that waits for its answer. */
@Entity({ tableName: 'saml_request' })
export class SamlRequest {
  /** The ID of the AuthnRequest. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  @Index()
  connectionId!: string;

  /** Digest of what the browser that began keeps in a cookie. */
  @Property({ type: 'text' })
  browser!: string;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;
}

/** An assertion that was used; kept for as long as it would hold. */
@Entity({ tableName: 'saml_assertion' })
export class SamlAssertion {
  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;
}

/** A code that a page exchanges for tokens. */
@Entity({ tableName: 'saml_code' })
export class SamlCode {
  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'text' })
  userId!: string;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;
}
