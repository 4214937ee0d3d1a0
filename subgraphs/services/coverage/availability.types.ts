import { ArrayMaxSize, IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { BANDWIDTH_FORM } from './bandwidth.ts';
import { IsBandwidth } from './is-bandwidth.ts';
import { ServiceLocation } from './location.ts';
import { AccessTechnology, TECHNOLOGIES } from './technology.ts';

@InputType({ description: 'What is wanted, and where (specification 2.5).' })
export class AvailabilityCheckInput {
  @Field(() => ServiceLocation)
  @ValidateNested()
  location!: ServiceLocation;

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

@ObjectType({ description: 'Whether one technology reaches a location.' })
export class TechnologyAvailability {
  @Field(() => AccessTechnology)
  serviceType!: AccessTechnology;

  @Field(() => Boolean, { description: 'It reaches the location and carries what is required.' })
  available!: boolean;

  @Field(() => String, { nullable: true, description: 'The most that it carries there; null where it does not reach.' })
  bandwidth!: string | null;
}

@ObjectType({ description: 'What reaches a location.' })
export class Availability {
  @Field(() => ServiceLocation)
  location!: ServiceLocation;

  @Field(() => Boolean, { description: 'Whether anything of ours reaches the location.' })
  serviceable!: boolean;

  @Field(() => [TechnologyAvailability], { description: 'One for each technology that was asked about.' })
  services!: TechnologyAvailability[];
}
