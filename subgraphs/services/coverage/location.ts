import { IsOptional, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';

export const IsState = (): PropertyDecorator => Matches(/^[A-Za-z]{2}$/, { message: 'must be the two letters of a state, such as NY' });
export const IsZip = (): PropertyDecorator => Matches(/^\d{5}(-\d{4})?$/, { message: 'must be a ZIP code such as 10118' });

/** A street address in the United States (specification 2.5). */
@ObjectType('ServiceLocation', { description: 'Street address in the United States.' })
@InputType('ServiceLocationInput', { description: 'Street address in the United States.' })
export class ServiceLocation {
  @Field(() => String, { description: 'Street and number, 1 to 500 characters.' })
  @Characters(1, 500)
  address!: string;

  @Field(() => String, { description: 'City, 1 to 100 characters.' })
  @Characters(1, 100)
  city!: string;

  @Field(() => String, { description: 'Two-letter code of the state, such as NY.' })
  @IsState()
  state!: string;

  @Field(() => String, { description: 'ZIP code with 5 or 9 digits, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;
}

/** The parts of an address that determine coverage. */
@InputType({ description: 'Place to check, by ZIP code.' })
export class CoverageLocationInput {
  @Field(() => String, { description: 'ZIP code with 5 or 9 digits, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Two-letter code of the state, such as NY. Rejected if the ZIP code is in another state.',
  })
  @IsOptional()
  @IsState()
  state?: string | null;
}

/**
 * An address of which only the ZIP code is required. This is enough to check availability, but not enough for an order.
 */
@ObjectType('PartialLocation', { description: 'Address in the United States of which at least the ZIP code is known.' })
@InputType('PartialLocationInput', { description: 'Address in the United States. Only the ZIP code is required.' })
export class PartialLocation {
  @Field(() => String, { nullable: true, description: 'Street and number, 1 to 500 characters.' })
  @IsOptional()
  @Characters(1, 500)
  address?: string | null;

  @Field(() => String, { nullable: true, description: 'City, 1 to 100 characters.' })
  @IsOptional()
  @Characters(1, 100)
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'Two-letter code of the state, such as NY.' })
  @IsOptional()
  @IsState()
  state?: string | null;

  @Field(() => String, { description: 'ZIP code with 5 or 9 digits, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;
}

/** Converts a location to the form that is stored: a plain object with the state in upper case. */
export const plainLocation = ({ address, city, state, zip }: ServiceLocation): ServiceLocation => ({
  address,
  city,
  state: state.toUpperCase(),
  zip,
});
