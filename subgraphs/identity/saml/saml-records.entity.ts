import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A request to which the identity provider has not responded yet. */
@Entity({ tableName: 'saml_request' })
export class SamlRequest {
  /** The ID of the AuthnRequest. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  @Index()
  connectionId!: string;

  /** Digest of the cookie in the browser that began the sign-in. */
  @Property({ type: 'text' })
  browser!: string;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;
}

/** A used assertion. It is stored until it expires, so that it cannot be replayed. */
@Entity({ tableName: 'saml_assertion' })
export class SamlAssertion {
  @PrimaryKey({ type: 'text' })
  hash!: string;

  @Property({ type: 'datetime', length: 3 })
  @Index()
  expiresAt!: Date;
}

/** A one-time code in the URL to which a browser is redirected after sign-in. The page at this URL exchanges the code for tokens. */
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
