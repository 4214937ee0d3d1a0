import { Field, ID, Int, ObjectType } from 'type-graphql';
import { pageOf } from '../../../kernel/graphql/page.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { AccessTechnology } from '../coverage/technology.ts';

@ObjectType({ description: 'A technology of a carrier, and its highest bandwidth.' })
export class CarrierTechnology {
  @Field(() => AccessTechnology, { description: 'Access technology.' })
  technology!: AccessTechnology;

  @Field(() => String, { description: 'Highest bandwidth, such as `1000mbps`.' })
  bandwidth!: string;
}

@ObjectType({ description: 'An area that a carrier serves.' })
export class CarrierArea {
  @Field(() => String, { description: 'First digits of the ZIP codes of the area, such as `100`.' })
  zipPrefix!: string;

  @Field(() => String, { description: 'Name of the largest city of the area.' })
  city!: string;

  @Field(() => String, { description: 'Two-letter code of the state.' })
  state!: string;

  @Field(() => [CarrierTechnology], { description: 'Technologies of the carrier in this area.' })
  technologies!: CarrierTechnology[];
}

@ObjectType({ description: 'Guarantees of a carrier.' })
export class CarrierSla {
  @Field(() => Decimal, { description: 'Guaranteed availability, in percent.' })
  uptimePercentage!: Decimal;

  @Field(() => Int, { description: 'Hours in which the carrier repairs a fault.' })
  repairHours!: number;
}

@ObjectType({ description: 'A company whose lines connect locations to the network.' })
export class Carrier {
  @Field(() => ID, { description: 'Identifier, such as `atlantic_fiber`.' })
  id!: string;

  @Field(() => String, { description: 'Name of the company.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about the carrier.' })
  description!: string;

  @Field(() => [CarrierTechnology], { description: 'Technologies of the carrier, with the highest bandwidth of its areas.' })
  technologies!: CarrierTechnology[];

  @Field(() => [CarrierArea], { description: 'Areas that the carrier serves, sorted by ZIP prefix.' })
  areas!: CarrierArea[];

  @Field(() => CarrierSla, { description: 'Guarantees of the carrier.' })
  sla!: CarrierSla;

  @Field(() => Int, { description: 'Usual number of days from an order to a working line.' })
  installationDays!: number;

  @Field(() => Boolean, {
    description: 'True for a fictional carrier of the initial catalog. The operator of the platform replaces these with real carriers.',
  })
  initial!: boolean;

  @Field(() => Int, { description: 'Number that increases with each change of the carrier.' })
  revision!: number;
}

export const CarrierPage = pageOf('Carrier', Carrier);
