import { ArrayMaxSize, IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { BANDWIDTH_FORM } from './bandwidth.ts';
import { IsBandwidth } from './is-bandwidth.ts';
import { PartialLocation, ServiceLocation } from './location.ts';
import { AccessTechnology, TECHNOLOGIES } from './technology.ts';

@InputType({ description: 'What is wanted of the access to a location.' })
export class AccessRequirementsInput {
  @Field(() => [AccessTechnology], { nullable: true, description: 'Default: all.' })
  @IsOptional()
  @ArrayMaxSize(TECHNOLOGIES.length, { message: `must have at most ${TECHNOLOGIES.length} entries` })
  serviceTypes?: AccessTechnology[];

  @Field(() => String, { nullable: true, description: `At least this much, ${BANDWIDTH_FORM}. Default: any.` })
  @IsOptional()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidthRequirements?: string;
}

@InputType({ description: 'What is wanted, and where (specification 2.5).' })
export class AvailabilityCheckInput extends AccessRequirementsInput {
  @Field(() => ServiceLocation)
  @ValidateNested()
  location!: ServiceLocation;
}

@ObjectType({ description: 'Whether one technology reaches a location.' })
export class TechnologyAvailability {
  @Field(() => AccessTechnology)
  serviceType!: AccessTechnology;

  @Field(() => Boolean, { description: 'It reaches the location and carries what is required.' })
  available!: boolean;

  @Field(() => String, { nullable: true, description: 'The most that it carries there; null where it does not reach.' })
  bandwidth!: string | null;
}

@ObjectType()
abstract class Answer {
  @Field(() => Boolean, { description: 'Whether anything of ours reaches the location.' })
  serviceable!: boolean;

  @Field(() => [TechnologyAvailability], { description: 'One for each technology that was asked about.' })
  services!: TechnologyAvailability[];
}

@ObjectType({ description: 'What reaches a location.' })
export class Availability extends Answer {
  @Field(() => ServiceLocation)
  location!: ServiceLocation;
}

@ObjectType({ description: 'What reaches a location of which at least the ZIP code is known.' })
export class AvailabilityByZip extends Answer {
  @Field(() => PartialLocation, { description: 'As it was asked about.' })
  location!: PartialLocation;
}
