import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { BANDWIDTH_FORM } from '../coverage/bandwidth.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';

@InputType({ description: 'An internet service to be built (specification 2.5).' })
export class InternetServiceOrderInput {
  @Field(() => ID, { description: 'The account that it is for.' })
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId!: string;

  @Field(() => AccessTechnology)
  serviceType!: AccessTechnology;

  @Field(() => String, { description: `One of the catalog: ${BANDWIDTH_FORM}.` })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => ServiceLocation)
  @ValidateNested()
  location!: ServiceLocation;

  @Field(() => String, { nullable: true, description: 'One of the catalog, such as `enterprise`. Default: the first of the catalog.' })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;

  @Field(() => String, { nullable: true, description: 'Default: what it is, and where.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string;
}
