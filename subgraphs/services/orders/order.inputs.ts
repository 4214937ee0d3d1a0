import { IsOptional, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { BANDWIDTH_FORM } from '../coverage/bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';
import { BillingCycle } from '../services/service.states.ts';

@InputType({ description: 'An internet service to be built (specification 2.5).' })
export class InternetServiceOrderInput {
  @Field(() => ID, { description: 'The account that it is for.' })
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId!: string;

  @Field(() => AccessTechnology)
  serviceType!: AccessTechnology;

  @Field(() => String, { description: `One of the catalog: ${BANDWIDTH_FORM}.` })
  @MaxLength(20, { message: 'must have at most 20 characters' })
  bandwidth!: string;

  @Field(() => ServiceLocation)
  @ValidateNested()
  location!: ServiceLocation;

  @Field(() => String, { nullable: true, description: 'One of the catalog, such as `enterprise`. Default: the first of the catalog.' })
  @IsOptional()
  @MaxLength(50, { message: 'must have at most 50 characters' })
  sla?: string;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;

  @Field(() => String, { nullable: true, description: 'Default: what it is, and where.' })
  @IsOptional()
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  name?: string;
}
