import { ArrayMaxSize, IsOptional, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { PartialLocation, ServiceLocation } from '../coverage/location.ts';
import { AccessTechnology, TECHNOLOGIES } from '../coverage/technology.ts';

@InputType({ description: 'Requirements for the access to a location.' })
export class AccessRequirementsInput {
  @Field(() => [AccessTechnology], {
    nullable: true,
    description: 'Technologies to check. Default: all technologies. An empty list also means all technologies.',
  })
  @IsOptional()
  @ArrayMaxSize(TECHNOLOGIES.length, { message: `must have at most ${TECHNOLOGIES.length} entries` })
  serviceTypes?: AccessTechnology[];

  @Field(() => String, { nullable: true, description: 'Minimum bandwidth, such as 500mbps or 1gbps. Default: any.' })
  @IsOptional()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidthRequirements?: string;
}

@InputType({ description: 'Address to check, and the required technologies and bandwidth.' })
export class AvailabilityCheckInput extends AccessRequirementsInput {
  @Field(() => ServiceLocation, { description: 'Street address to check.' })
  @ValidateNested()
  location!: ServiceLocation;
}

@ObjectType({ description: 'A carrier that offers a technology at a location.' })
export class AvailabilityProvider {
  @Field(() => ID, { description: 'Identifier of the carrier, such as `atlantic_fiber`.' })
  carrierId!: string;

  @Field(() => String, { description: 'Name of the carrier.' })
  name!: string;

  @Field(() => Int, { description: 'Usual number of days from an order to a working line.' })
  installationDays!: number;
}

@ObjectType({ description: 'Whether one access technology reaches a location.' })
export class TechnologyAvailability {
  @Field(() => AccessTechnology, { description: 'Access technology.' })
  serviceType!: AccessTechnology;

  @Field(() => Boolean, { description: 'True if the technology reaches the location with at least the required bandwidth.' })
  available!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Highest bandwidth at the location, such as `1000mbps`. Null if the technology does not reach the location.',
  })
  bandwidth!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Identifier of the service in the catalog, such as `business_fiber`. Null if the catalog has no such service.',
  })
  catalogId!: string | null;

  @Field(() => [AvailabilityProvider], { description: 'Carriers that offer the technology at the location, sorted by name.' })
  providers!: AvailabilityProvider[];
}

@ObjectType()
abstract class Answer {
  @Field(() => Boolean, { description: 'True if at least one access technology reaches the location.' })
  serviceable!: boolean;

  @Field(() => [TechnologyAvailability], { description: 'One entry for each requested technology.' })
  services!: TechnologyAvailability[];

  @Field(() => [TechnologyAvailability], {
    description: 'Other technologies that are available with the required bandwidth. Empty if all requested technologies are available.',
  })
  alternatives!: TechnologyAvailability[];
}

@ObjectType({ description: 'Access technologies that reach an address.' })
export class Availability extends Answer {
  @Field(() => ServiceLocation, { description: 'Address that was checked.' })
  location!: ServiceLocation;
}

@ObjectType({ description: 'Access technologies that reach a location of which at least the ZIP code is known.' })
export class AvailabilityByZip extends Answer {
  @Field(() => PartialLocation, { description: 'Location that was checked.' })
  location!: PartialLocation;
}
