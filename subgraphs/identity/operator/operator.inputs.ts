import { IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import type { Plan } from '../../../kernel/access/principal.ts';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { ORGANIZATION_PLANS } from '../organizations/organization.entity.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';

@InputType({ description: 'Person who is invited as the first owner of an organization.' })
export class FirstAdministratorInput {
  @Field(() => String, { description: 'Full name, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => String, { description: 'E-mail address that the invitation is sent to.' })
  @EmailAddress('must be an e-mail address')
  email!: string;
}

@InputType({ description: 'Organization to create.' })
export class OrganizationCreateInput {
  @Field(() => String, { description: 'Name of the organization, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => ORGANIZATION_PLANS, { description: 'Plan, which determines the limits.' })
  plan!: Plan;

  @Field(() => FirstAdministratorInput, { description: 'Person who is invited as the first owner.' })
  @ValidateNested()
  administrator!: FirstAdministratorInput;
}

@InputType({ description: 'Reason of a suspension.' })
export class OrganizationSuspendInput {
  @Field(() => String, {
    nullable: true,
    description: 'Reason that is stored in the audit records of that organization and of the operator organization, 1 to 500 characters.',
  })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;
}

@InputType({ description: 'Reason why an organization is closed.' })
export class OrganizationCloseInput extends OrganizationSuspendInput {}

@InputType({ description: 'Conditions for a list of organizations. An organization must meet all of them.' })
export class OrganizationFilter {
  @Field(() => [ORGANIZATION_PLANS], { nullable: true, description: 'Only organizations with one of these plans.' })
  plan?: Plan[];

  @Field(() => [OrganizationStatus], { nullable: true })
  status?: OrganizationStatus[];

  @Field(() => Boolean, {
    nullable: true,
    description: 'True returns only organizations under review. False returns only organizations that are not under review.',
  })
  underReview?: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Only organizations whose name contains this text, ignoring case. 1 to 200 characters.',
  })
  @IsOptional()
  @Characters(1, 200)
  search?: string;
}

export enum OrganizationSortField {
  CREATED_AT = 'createdAt',
  NAME = 'name',
}
export const OrganizationSort = sortOf('Organization', OrganizationSortField);
