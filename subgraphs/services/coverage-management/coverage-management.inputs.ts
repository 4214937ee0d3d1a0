import { Allow, ArrayMaxSize, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { Field, Float, ID, InputType, Int } from 'type-graphql';
import { Characters, MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { IsWord } from '../catalog/is-word.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { IsState } from '../coverage/location.ts';
import { AccessTechnology, TECHNOLOGIES } from '../coverage/technology.ts';
import { MAX_POSITIONS, ringProblems } from './ring-problems.ts';

const MAX_AREAS = 500;
const IsPrefix = (): PropertyDecorator => Matches(/^\d{1,5}$/, { message: 'must be the first 1 to 5 digits of a ZIP code, such as 100' });
const Technologies = (): PropertyDecorator =>
  ArrayMaxSize(TECHNOLOGIES.length, { message: `must have at most ${TECHNOLOGIES.length} entries` });

@InputType({ description: 'A technology that is available in an area.' })
export class CoverageTechnologyInput {
  @Field(() => AccessTechnology, { description: 'Access technology.' })
  technology!: AccessTechnology;

  @Field(() => String, { description: 'Highest bandwidth in the area, such as 500mbps or 10gbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;
}

@InputType()
@Rule<CoverageAreaOptions>(({ outline }) => (outline ? ringProblems('outline', outline) : []))
@Rule<CoverageAreaOptions>(({ technologies }) =>
  repeated(technologies?.map((one) => one?.technology) ?? []).map((index) => ({
    ...{ field: `technologies.${index}.technology`, value: technologies?.[index]?.technology, reason: 'must be unique' },
  })),
)
abstract class CoverageAreaOptions {
  @Field(() => [[Float]], {
    nullable: true,
    description: `Outline for the coverage map: a closed ring of 4 to ${MAX_POSITIONS} positions, each a longitude and a latitude in degrees. Null removes the area from the map.`,
  })
  @IsOptional()
  @Allow(jsonSchema({ minItems: 4, maxItems: MAX_POSITIONS }))
  outline?: number[][] | null;

  @Field(() => [CoverageTechnologyInput], {
    nullable: true,
    description: 'Technologies that are available in the area. If the list is empty, no service can be ordered there.',
  })
  @NotNull()
  @Technologies()
  @ValidateNested({ each: true })
  technologies?: CoverageTechnologyInput[];
}

@InputType({ description: 'New values of a coverage area.' })
export class CoverageAreaUpdateInput extends CoverageAreaOptions {
  @Field(() => String, { nullable: true, description: 'Name of the largest city of the area, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  city?: string;

  @Field(() => String, { nullable: true, description: 'Two-letter code of the state, such as NY.' })
  @NotNull()
  @IsState()
  state?: string;
}

@InputType({ description: 'Coverage area to create.' })
export class CoverageAreaCreateInput extends CoverageAreaOptions {
  @Field(() => String, { description: 'First 1 to 5 digits of the ZIP codes of the area. The longest prefix of a ZIP code applies.' })
  @IsPrefix()
  zipPrefix!: string;

  @Field(() => String, { description: 'Name of the largest city of the area, 1 to 100 characters.' })
  @Name(100)
  city!: string;

  @Field(() => String, { description: 'Two-letter code of the state, such as NY.' })
  @IsState()
  state!: string;
}

@InputType({ description: 'An area that a carrier serves.' })
export class CarrierAreaInput {
  @Field(() => String, { description: 'ZIP prefix of the coverage area, such as `100`.' })
  @IsPrefix()
  zipPrefix!: string;

  @Field(() => [AccessTechnology], {
    description: 'Technologies of the carrier in the area. The coverage area must have these technologies.',
  })
  @Technologies()
  technologies!: AccessTechnology[];
}

@InputType()
@Rule<CarrierOptions>(({ areas }) =>
  repeated(areas?.map((one) => one?.zipPrefix) ?? []).map((index) => ({
    ...{ field: `areas.${index}.zipPrefix`, value: areas?.[index]?.zipPrefix, reason: 'must be unique' },
  })),
)
@Rule<CarrierOptions>(({ uptimePercentage: value }) =>
  value && (value.isNegative() || value.greaterThan(100) || value.decimalPlaces() > 4)
    ? [{ field: 'uptimePercentage', value, reason: 'must be between 0 and 100, with at most 4 decimal places' }]
    : [],
)
abstract class CarrierOptions {
  @Field(() => Decimal, { nullable: true, description: 'Guaranteed availability in percent, 0 to 100. Default: 99.9.' })
  @NotNull()
  @Allow(jsonSchema({ minimum: 0, maximum: 100 }))
  uptimePercentage?: Decimal;

  @Field(() => Int, { nullable: true, description: 'Hours in which the carrier repairs a fault, 1 to 720. Default: 24.' })
  @NotNull()
  @Min(1, { message: 'must be between 1 and 720' })
  @Max(720, { message: 'must be between 1 and 720' })
  repairHours?: number;

  @Field(() => Int, { nullable: true, description: 'Usual days from an order to a working line, 0 to 365. Default: 30.' })
  @NotNull()
  @Min(0, { message: 'must be between 0 and 365' })
  @Max(365, { message: 'must be between 0 and 365' })
  installationDays?: number;

  @Field(() => [CarrierAreaInput], { nullable: true, description: `Areas that the carrier serves, at most ${MAX_AREAS}.` })
  @NotNull()
  @ArrayMaxSize(MAX_AREAS, { message: `must have at most ${MAX_AREAS} entries` })
  @ValidateNested({ each: true })
  areas?: CarrierAreaInput[];
}

@InputType({ description: 'New values of a carrier. A list of areas replaces the present list.' })
export class CarrierUpdateInput extends CarrierOptions {
  @Field(() => String, { nullable: true, description: 'Name of the company, 1 to 200 characters. It must be unique.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => String, { nullable: true, description: 'One sentence about the carrier, 1 to 500 characters.' })
  @NotNull()
  @Characters(1, 500)
  description?: string;
}

@InputType({ description: 'Carrier to create.' })
export class CarrierCreateInput extends CarrierOptions {
  @Field(() => ID, { description: 'Identifier, such as `atlantic_fiber`. It cannot be changed.' })
  @IsWord()
  id!: string;

  @Field(() => String, { description: 'Name of the company, 1 to 200 characters. It must be unique.' })
  @Name(200)
  name!: string;

  @Field(() => String, { description: 'One sentence about the carrier, 1 to 500 characters.' })
  @Characters(1, 500)
  description!: string;
}

/** Returns the indexes of the values that occur earlier in the list. */
const repeated = (values: readonly unknown[]): number[] =>
  values.flatMap((value, index) => (value !== undefined && values.indexOf(value) < index ? [index] : []));
