import { IsISO31661Alpha2, IsOptional, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';

export const EMAIL_REASON = 'must be an e-mail address';
export const PHONE = /^\+?[0-9][0-9 ().-]{3,30}[0-9]$/;
export const PHONE_REASON = 'must be a telephone number such as +1 212 555 0100';
const COUNTRY_REASON = 'must be a country code of two letters (ISO 3166-1) such as US';

@ObjectType({ description: 'Person to contact about an account.' })
@InputType('AccountContactInput', { description: 'Person to contact about an account.' })
export class AccountContact {
  @Field(() => String, { description: 'Full name.' })
  @Name(200)
  name!: string;

  @Field(() => String, { nullable: true, description: 'E-mail address. Null if unknown.' })
  @IsOptional()
  @EmailAddress(EMAIL_REASON)
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Telephone number. Null if unknown.' })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@ObjectType({ description: 'A postal address.' })
@InputType('AccountAddressInput', { description: 'A postal address.' })
export class AccountAddress {
  @Field(() => String, { description: 'Street and number.' })
  @Characters(1, 300)
  street!: string;

  @Field(() => String, { description: 'Name of the city or town.' })
  @Characters(1, 100)
  city!: string;

  @Field(() => String, { nullable: true, description: 'State, province or region. Null if there is none.' })
  @IsOptional()
  @Characters(1, 100)
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code. Null if there is none.' })
  @IsOptional()
  @Characters(1, 20)
  zip?: string | null;

  @Field(() => String, { description: 'ISO 3166-1 code of the country with two letters, such as US.' })
  @Matches(/^[A-Z]{2}$/, { message: COUNTRY_REASON })
  @IsISO31661Alpha2({ message: COUNTRY_REASON })
  country!: string;
}
