import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { pageOf } from '../../../kernel/graphql/page.ts';
import { CarrierTechnology } from '../carriers/carrier.types.ts';
import type { Ring } from '../coverage/ring.ts';

@ObjectType('CoverageArea', { description: 'An area of the network, as the operator of the platform manages it.' })
export class ManagedCoverageArea {
  @Field(() => ID, { description: 'The ZIP prefix.' })
  id!: string;

  @Field(() => String, { description: 'First digits of the ZIP codes of the area, such as `100`.' })
  zipPrefix!: string;

  @Field(() => String, { description: 'Name of the largest city of the area.' })
  city!: string;

  @Field(() => String, { description: 'Two-letter code of the state.' })
  state!: string;

  @Field(() => [[Float]], { nullable: true, description: 'Outline on the coverage map. Null if the area is not on the map.' })
  outline!: Ring | null;

  @Field(() => [CarrierTechnology], { description: 'Technologies that are available in the area.' })
  technologies!: CarrierTechnology[];

  @Field(() => Int, { description: 'Number that increases with each change of the area.' })
  revision!: number;
}

export const CoverageAreaPage = pageOf('CoverageArea', ManagedCoverageArea);
