import { IsOptional, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';

const IsState = (): PropertyDecorator => Matches(/^[A-Za-z]{2}$/, { message: 'must be the two letters of a state, such as NY' });
const IsZip = (): PropertyDecorator => Matches(/^\d{5}(-\d{4})?$/, { message: 'must be a ZIP code such as 10118' });

/** A street address in the United States (specification 2.5). */
@ObjectType('ServiceLocation')
@InputType('ServiceLocationInput')
export class ServiceLocation {
  @Field(() => String, { description: 'Street and number.' })
  @Characters(1, 500)
  address!: string;

  @Field(() => String)
  @Characters(1, 100)
  city!: string;

  @Field(() => String, { description: 'Two letters, such as NY.' })
  @IsState()
  state!: string;

  @Field(() => String, { description: 'ZIP code, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;
}

/** What of an address coverage depends on. */
@InputType({ description: 'Where something is wanted, as far as it decides what can be had there.' })
export class CoverageLocationInput {
  @Field(() => String, { description: 'ZIP code, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;

  @Field(() => String, { nullable: true, description: 'Two letters, such as NY; refused where the ZIP code lies in another state.' })
  @IsOptional()
  @IsState()
  state?: string | null;
}

/** An address of which only the ZIP code must be known: enough to ask what can be had, too little to order. */
@ObjectType('PartialLocation')
@InputType('PartialLocationInput')
export class PartialLocation {
  @Field(() => String, { nullable: true, description: 'Street and number.' })
  @IsOptional()
  @Characters(1, 500)
  address?: string | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Characters(1, 100)
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'Two letters, such as NY.' })
  @IsOptional()
  @IsState()
  state?: string | null;

  @Field(() => String, { description: 'ZIP code, such as 10118 or 10118-0110.' })
  @IsZip()
  zip!: string;
}

/** As it is kept: the state in capitals, and no class of GraphQL's around it. */
export const plainLocation = ({ address, city, state, zip }: ServiceLocation): ServiceLocation => ({
  address,
  city,
  state: state.toUpperCase(),
  zip,
});
