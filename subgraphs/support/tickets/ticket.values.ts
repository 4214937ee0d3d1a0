import { IsOptional, Length, MaxLength } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';

@ObjectType('TicketContact')
@InputType('TicketContactInput')
export class TicketContact {
  @Field(() => String)
  @Length(1, 200)
  name!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @EmailAddress()
  email?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(40)
  phone?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(100)
  role?: string | null;
}

@ObjectType('TicketLocation')
@InputType('TicketLocationInput')
export class TicketLocation {
  @Field(() => ID, { nullable: true })
  @IsOptional()
  @MaxLength(100)
  siteId?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(500)
  address?: string | null;

  @Field(() => String, { nullable: true, description: 'IANA zone name, such as America/New_York.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
}

@ObjectType({ description: 'Who works on a ticket.' })
export class TicketAssignee {
  @Field(() => ID)
  agentId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  email!: string;

  @Field(() => String)
  specialization!: string;
}

@ObjectType()
export class TicketUrls {
  @Field(() => String)
  self!: string;

  @Field(() => String)
  customerPortal!: string;
}
