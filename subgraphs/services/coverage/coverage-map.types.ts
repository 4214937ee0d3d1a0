import { Allow, ArrayMaxSize, IsOptional, Max, Min } from 'class-validator';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { boxProblems } from './bounding-box.ts';
import type { Ring } from './ring.ts';
import { AccessTechnology, TECHNOLOGIES } from './technology.ts';

@InputType({ description: 'Part of the coverage map to return.' })
@Rule<CoverageMapFilter>(({ bbox }) => (bbox ? boxProblems(bbox) : []))
export class CoverageMapFilter {
  @Field(() => [Float], {
    nullable: true,
    description:
      'Only areas in this box: west, south, east and north in degrees, such as -74.3,40.5,-73.7,40.9. West may be larger than east for a box across the 180th meridian. Default: all areas.',
  })
  @IsOptional()
  @Allow(jsonSchema({ minItems: 4, maxItems: 4 }))
  bbox?: number[] | null;

  @Field(() => [AccessTechnology], { nullable: true, description: 'Only areas with these technologies. Default: fiber.' })
  @IsOptional()
  @ArrayMaxSize(TECHNOLOGIES.length, { message: `must have at most ${TECHNOLOGIES.length} entries` })
  technology?: AccessTechnology[] | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Tolerance in degrees, 0 to 1, by which outlines may be simplified. 0.01 degrees are about one kilometer. Default: outlines are not simplified.',
  })
  @IsOptional()
  @Min(0, { message: 'must be between 0 and 1' })
  @Max(1, { message: 'must be between 0 and 1' })
  simplify?: number | null;
}

@ObjectType({ description: 'Outline of an area (RFC 7946).' })
export class CoverageGeometry {
  @Field(() => String, { description: 'Always `Polygon`.' })
  type!: 'Polygon';

  @Field(() => [[[Float]]], {
    description: 'One ring of positions, counterclockwise and closed. A position is a longitude and a latitude in degrees.',
  })
  coordinates!: readonly Ring[];
}

@ObjectType({ description: 'One technology in one area.' })
export class CoverageProperties {
  @Field(() => String, { description: 'First digits of the ZIP codes of the area, such as `100`.' })
  zipPrefix!: string;

  @Field(() => String, { description: 'Name of the largest city of the area.' })
  city!: string;

  @Field(() => String, { description: 'Two-letter code of the state.' })
  state!: string;

  @Field(() => AccessTechnology, { description: 'Access technology.' })
  technology!: AccessTechnology;

  @Field(() => Int, { description: 'Highest bandwidth in the area, in megabits per second.' })
  maxMbps!: number;
}

@ObjectType({ description: 'An area in which a technology is available (RFC 7946).' })
export class CoverageFeature {
  @Field(() => ID, { description: 'Identifier of the feature: ZIP prefix and technology.' })
  id!: string;

  @Field(() => String, { description: 'Always `Feature`.' })
  type!: 'Feature';

  @Field(() => CoverageGeometry, { description: 'Approximate outline of the area.' })
  geometry!: CoverageGeometry;

  @Field(() => CoverageProperties, { description: 'The area, the technology and its bandwidth.' })
  properties!: CoverageProperties;
}

@ObjectType({
  description:
    'Areas in which technologies are available, as GeoJSON (RFC 7946). The outlines are approximate. The ZIP code of a location decides whether a service can be ordered there.',
})
export class CoverageMap {
  @Field(() => String, { description: 'Always `FeatureCollection`.' })
  type!: 'FeatureCollection';

  @Field(() => [CoverageFeature], { description: 'One feature for each area and technology, sorted by ZIP prefix.' })
  features!: CoverageFeature[];
}
