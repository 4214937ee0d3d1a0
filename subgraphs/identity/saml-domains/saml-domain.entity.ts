import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * The connection that signs in users of an e-mail domain. A domain has at most one connection, over all organizations.
 */
@Entity({ tableName: 'saml_domain' })
export class SamlDomain {
  @PrimaryKey({ type: 'text' })
  domain!: string;

  @Property({ type: 'text' })
  @Index()
  connectionId!: string;
}
