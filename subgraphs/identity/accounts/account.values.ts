import { IsEmail, IsISO31661Alpha2, IsOptional, Length, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';

export const EMAIL_REASON = 'must be an e-mail address';
export const PHONE = /^\+?[0-9][0-9 ().-]{3,30}[0-9]$/;
export const PHONE_REASON = 'must be a telephone number such as +1 212 555 0100';
const COUNTRY_REASON = 'must be a country code of two letters (ISO 3166-1) such as US';

@ObjectType({ description: 'Whom to turn to about an account.' })
@InputType('AccountContactInput')
export class AccountContact {
  @Field(() => String)
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @Matches(/\S/, { message: 'must not be blank' })
  name!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsEmail({}, { message: EMAIL_REASON })
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
  @Length(1, 300, { message: 'must have 1 to 300 characters' })
  street!: string;

  @Field(() => String)
  @Length(1, 100, { message: 'must have 1 to 100 characters' })
  city!: string;

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  @IsOptional()
  @Length(1, 100, { message: 'must have 1 to 100 characters' })
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  @IsOptional()
  @Length(1, 20, { message: 'must have 1 to 20 characters' })
  zip?: string | null;

  @Field(() => String, { description: 'ISO 3166-1, two letters.' })
  @Matches(/^[A-Z]{2}$/, { message: COUNTRY_REASON })
  @IsISO31661Alpha2({ message: COUNTRY_REASON })
  country!: string;
}
