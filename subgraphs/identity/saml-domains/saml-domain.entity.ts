import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The connection that an e-mail domain belongs to: at most one, over all organizations. */
@Entity({ tableName: 'saml_domain' })
export class SamlDomain {
  @PrimaryKey({ type: 'text' })
  domain!: string;

  @Property({ type: 'text' })
  @Index()
  connectionId!: string;
}
