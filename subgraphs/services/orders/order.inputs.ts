import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';

@InputType({ description: 'Internet service to order.' })
export class InternetServiceOrderInput {
  @Field(() => ID, { description: 'Account that the service is for (`acc_…`). It must be active.' })
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId!: string;

  @Field(() => AccessTechnology, { description: 'Access technology. It must reach the location.' })
  serviceType!: AccessTechnology;

  @Field(() => String, { description: 'Bandwidth from the catalog, such as 500mbps or 1gbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => ServiceLocation, { description: 'Street address where the service is built.' })
  @ValidateNested()
  location!: ServiceLocation;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog, such as `enterprise`. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY, description: 'How often the service is invoiced.' })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of technology and place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string;
}
