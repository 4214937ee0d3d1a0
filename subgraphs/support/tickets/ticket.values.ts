import { IsOptional, Length, MaxLength } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';

@ObjectType('TicketContact', { description: 'Person to contact about a ticket.' })
@InputType('TicketContactInput', { description: 'Person to contact about a ticket.' })
export class TicketContact {
  @Field(() => String, { description: 'Full name, 1 to 200 characters.' })
  @Length(1, 200)
  name!: string;

  @Field(() => String, { nullable: true, description: 'E-mail address. Null if not stated.' })
  @IsOptional()
  @EmailAddress()
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Telephone number, at most 40 characters. Null if not stated.' })
  @IsOptional()
  @MaxLength(40)
  phone?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Role in the company, such as `it_manager`, at most 100 characters. Null if not stated.',
  })
  @IsOptional()
  @MaxLength(100)
  role?: string | null;
}

@ObjectType('TicketLocation', { description: 'Site that a ticket is about.' })
@InputType('TicketLocationInput', { description: 'Site that a ticket is about.' })
export class TicketLocation {
  @Field(() => ID, { nullable: true, description: 'Id of the site in a system of your own, at most 100 characters. Null if not stated.' })
  @IsOptional()
  @MaxLength(100)
  siteId?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal address as a single text, at most 500 characters. Null if not stated.' })
  @IsOptional()
  @MaxLength(500)
  address?: string | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone, such as America/New_York. Null if not stated.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
}

@ObjectType({ description: 'Agent or desk that works on a ticket, as customers see it.' })
export class TicketAssignee {
  @Field(() => ID, { description: 'Id of the agent or desk (`agent_…`).' })
  agentId!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => String, { description: 'Id of the category that the agent works on, such as `connectivity`.' })
  specialization!: string;
}

@ObjectType({ description: 'Web pages of a ticket.' })
export class TicketUrls {
  @Field(() => String, { description: 'Address of the ticket in the REST API.' })
  self!: string;

  @Field(() => String, { description: 'Web page of the ticket for customers.' })
  customerPortal!: string;
}
