import { Field, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { PreviewProblem } from '../previews/preview.types.ts';

/** Price of a service after a change. */
export interface PricedChange {
  monthlyPrice: Decimal;
  priceDifference: Decimal;
}

const AFTER = 'Price of the service for one month with this option, in `currency`.';
const DIFFERENCE = 'Difference to the price without this change.';

@ObjectType({ description: 'A bandwidth to which a service can be changed.' })
export class BandwidthOption implements PricedChange {
  @Field(() => String, { description: 'Bandwidth, such as `500mbps`.' })
  bandwidth!: string;

  @Field(() => Boolean, { description: 'True if the service has this bandwidth.' })
  selected!: boolean;

  @Field(() => Decimal, { description: AFTER })
  monthlyPrice!: Decimal;

  @Field(() => Decimal, { description: DIFFERENCE })
  priceDifference!: Decimal;
}

@ObjectType({ description: 'A service level to which a service can be changed.' })
export class SlaOption implements PricedChange {
  @Field(() => String, { description: 'Name of the service level, such as `enterprise`.' })
  sla!: string;

  @Field(() => Boolean, { description: 'True if the service has this service level.' })
  selected!: boolean;

  @Field(() => Decimal, { description: 'Promised availability, in percent.' })
  uptimePercentage!: Decimal;

  @Field(() => Decimal, { description: AFTER })
  monthlyPrice!: Decimal;

  @Field(() => Decimal, { description: DIFFERENCE })
  priceDifference!: Decimal;
}

@ObjectType({ description: 'A feature that can be switched on or off.' })
export class FeatureOption {
  @Field(() => String, { description: 'Identifier of the feature, such as `static_ip`.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'One sentence about the feature. Null if the catalog no longer has the feature.' })
  description!: string | null;

  @Field(() => Boolean, { description: 'True if the feature is switched on.' })
  selected!: boolean;

  @Field(() => [String], { description: 'Features that must also be switched on for this feature.' })
  needs!: readonly string[];

  @Field(() => JsonObject, {
    description:
      'Value of `features` for the change that switches the feature, such as `{"ddos_protection": true, "static_ip": true}`. It contains the features that must be switched with it.',
  })
  selection!: Record<string, boolean>;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Price of the service for one month after `selection`, in `currency`. Null if the change would be refused.',
  })
  monthlyPrice!: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: `${DIFFERENCE} Null if the change would be refused.` })
  priceDifference!: Decimal | null;
}

@ObjectType({ description: 'Number of units of a service, such as the channels of a SIP trunk, and its limits.' })
export class SizeOption {
  @Field(() => String, { description: 'Setting that contains the number, such as `channels`.' })
  setting!: string;

  @Field(() => String, { description: 'Unit of the price, such as `channel/month`.' })
  unit!: string;

  @Field(() => Int, { description: 'Number of units that the service has.' })
  size!: number;

  @Field(() => Int, { description: 'Smallest number of units.' })
  minimum!: number;

  @Field(() => Int, { description: 'Largest number of units.' })
  maximum!: number;

  @Field(() => Decimal, {
    description: 'Price of one unit for one month, with the features that are billed by unit. It may have fractions of a cent.',
  })
  unitPrice!: Decimal;
}

@ObjectType({
  description:
    'Changes that are possible for a service, with their prices. Each option is one change. Use `changePreview` to get the price of several changes together. Options are compared with the service after its pending changes, except changes that are scheduled for a later date.',
})
export class ServiceOptions {
  @Field(() => PreviewProblem, {
    nullable: true,
    description: 'Reason why the service cannot be changed now. In this case, there are no options. Null if the service can be changed.',
  })
  reason!: PreviewProblem | null;

  @Field(() => String, { description: 'ISO 4217 code of the prices.' })
  currency!: string;

  @Field(() => [BandwidthOption], {
    description: 'Bandwidths that are sold for the service and available at its location, from small to large.',
  })
  bandwidths!: BandwidthOption[];

  @Field(() => [SlaOption], { description: 'Service levels, in the order of the catalog.' })
  slas!: SlaOption[];

  @Field(() => [FeatureOption], { description: 'Features of the catalog entry, and features that are switched on.' })
  features!: FeatureOption[];

  @Field(() => SizeOption, { nullable: true, description: 'Number of units. Null for kinds of service that have no number to set.' })
  size!: SizeOption | null;
}
