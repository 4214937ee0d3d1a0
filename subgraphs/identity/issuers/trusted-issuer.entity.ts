import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** An authorization server of the customer's own whose tokens are taken as those of programs of the organization (specification 5.4). */
@ObjectType({
  description: "An authorization server of the organization's own. Its tokens act for the organization, within `permissions`.",
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

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'The claim `iss` of its tokens, to the letter.' })
  @Property({ type: 'text' })
  issuer!: string;

  @Field(() => String, { description: 'The claim `aud` of its tokens, or one of them. Of one issuer an audience is one organization.' })
  @Property({ type: 'text' })
  audience!: string;

  @Field(() => String, { description: 'Where its public keys are.' })
  @Property({ type: 'text' })
  jwksUri!: string;

  @Field(() => [String], { description: 'What its tokens may do at most.' })
  @Property({ type: 'json' })
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: 'The accounts that it is limited to; null: it sees the whole organization.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'The claim that narrows this for one token, such as `scope`: a list, or words with spaces between. Null: none does.',
  })
  @Property({ type: 'text', nullable: true })
  permissionsClaim: string | null = null;

  @Field(() => [String], { description: 'The subjects whose tokens are taken; one may end with `*`. Empty: all of them.' })
  @Property({ type: 'json' })
  subjects: string[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
