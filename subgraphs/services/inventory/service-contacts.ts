import { IsOptional } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';

const REASON = 'must be an e-mail address';

@ObjectType('ServiceContacts', { description: 'People to contact about a service.' })
@InputType('ServiceContactsInput', { description: 'People to contact about a service.' })
export class ServiceContacts {
  @Field(() => String, { nullable: true, description: 'E-mail address for technical questions.' })
  @IsOptional()
  @EmailAddress(REASON)
  technical?: string | null;

  @Field(() => String, { nullable: true, description: 'E-mail address for questions about invoices.' })
  @IsOptional()
  @EmailAddress(REASON)
  billing?: string | null;
}
