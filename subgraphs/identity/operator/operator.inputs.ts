import { IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import type { Plan } from '../../../kernel/access/principal.ts';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { ORGANIZATION_PLANS } from '../organizations/organization.entity.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';

@InputType({ description: 'Who is invited as the first owner of an organization.' })
export class FirstAdministratorInput {
  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => String)
  @EmailAddress('must be an e-mail address')
  email!: string;
}

@InputType()
export class OrganizationCreateInput {
  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => ORGANIZATION_PLANS)
  plan!: Plan;

  @Field(() => FirstAdministratorInput)
  @ValidateNested()
  administrator!: FirstAdministratorInput;
}

@InputType()
export class OrganizationSuspendInput {
  @Field(() => String, { nullable: true, description: 'For the audit records of both organizations.' })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;
}

@InputType()
export class OrganizationCloseInput extends OrganizationSuspendInput {}

@InputType()
export class OrganizationFilter {
  @Field(() => [ORGANIZATION_PLANS], { nullable: true })
  plan?: Plan[];

  @Field(() => [OrganizationStatus], { nullable: true })
  status?: OrganizationStatus[];

  @Field(() => Boolean, { nullable: true, description: 'Whether it is looked into for exceeding the burst limit again and again.' })
  underReview?: boolean;

  @Field(() => String, { nullable: true, description: 'Part of the name, in any case.' })
  @IsOptional()
  @Characters(1, 200)
  search?: string;
}

export enum OrganizationSortField {
  CREATED_AT = 'createdAt',
  NAME = 'name',
}
export const OrganizationSort = sortOf('Organization', OrganizationSortField);
