import { IsISO31661Alpha2, IsOptional, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';

export const EMAIL_REASON = 'must be an e-mail address';
export const PHONE = /^\+?[0-9][0-9 ().-]{3,30}[0-9]$/;
export const PHONE_REASON = 'must be a telephone number such as +1 212 555 0100';
const COUNTRY_REASON = 'must be a country code of two letters (ISO 3166-1) such as US';

@ObjectType({ description: 'Whom to turn to about an account.' })
@InputType('AccountContactInput')
export class AccountContact {
  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  email?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@ObjectType({ description: 'A postal address.' })
@InputType('AccountAddressInput')
export class AccountAddress {
  @Field(() => String)
  @Characters(1, 300)
  street!: string;

  @Field(() => String)
  @Characters(1, 100)
  city!: string;

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  @IsOptional()
  @Characters(1, 100)
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  @IsOptional()
  @Characters(1, 20)
  zip?: string | null;

  @Field(() => String, { description: 'ISO 3166-1, two letters.' })
  @Matches(/^[A-Z]{2}$/, { message: COUNTRY_REASON })
  @IsISO31661Alpha2({ message: COUNTRY_REASON })
  country!: string;
}
