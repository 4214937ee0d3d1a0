import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** A customer's authorization server. Its tokens authenticate programs of the organization (specification 5.4). */
@ObjectType({
  description: 'Your own authorization server. Its tokens act for your organization with at most the permissions in `permissions`.',
})
@Entity({ tableName: 'trusted_issuer' })
@OrganizationFilter()
@Unique({ properties: ['issuer', 'audience'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class TrustedIssuer {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'Claim `iss` of the tokens of the issuer. It is compared exactly.' })
  @Property({ type: 'text' })
  issuer!: string;

  @Field(() => String, {
    description: 'Value that the claim `aud` of the tokens must contain. The same issuer and audience cannot belong to two organizations.',
  })
  @Property({ type: 'text' })
  audience!: string;

  @Field(() => String, { description: 'Address of the public keys (JWKS) of the issuer.' })
  @Property({ type: 'text' })
  jwksUri!: string;

  @Field(() => [String], { description: 'Maximum permissions of the tokens of the issuer, as `<area>:<action>`, `<area>:*` or `*:*`.' })
  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], {
    nullable: true,
    description: 'Accounts that its tokens are limited to (`acc_…`). Null means the whole organization.',
  })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      'Claim that narrows the permissions of a token, such as `scope`: a list, or words separated by spaces. Null if there is none.',
  })
  @Property({ type: 'text', nullable: true })
  permissionsClaim: string | null = null;

  @Field(() => [String], { description: 'Subjects (claim `sub`) whose tokens are accepted. A subject can end with `*`. Empty means all.' })
  @Property({ type: 'json' })
  subjects: string[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
