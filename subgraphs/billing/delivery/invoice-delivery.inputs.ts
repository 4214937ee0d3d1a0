import { IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';

@InputType({ description: 'How to send an invoice.' })
export class SendInvoiceInput {
  @Field(() => String, {
    nullable: true,
    description: 'E-mail address. Default: the billing contact of the account, or else the address of the account.',
  })
  @IsOptional()
  @EmailAddress()
  to?: string | null;
}
