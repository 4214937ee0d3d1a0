import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../../kernel/graphql/characters.ts';
import { BillingCycle } from '../../../../kernel/values/billing-cycle.ts';
import { ORDER_ACCOUNT, ORDER_CYCLE } from '../../accounts/order-account.ts';
import { IsBandwidth } from '../../coverage/is-bandwidth.ts';
import { ServiceLocation } from '../../coverage/location.ts';
import { AccessTechnology } from '../../coverage/technology.ts';
import { productOrder } from '../product-order.ts';
import { QuoteIdField, QuoteLineField } from '../quote-fields.ts';

@InputType({ description: 'Internet service to order.' })
export class InternetServiceOrderInput {
  @Field(() => ID, { nullable: true, description: ORDER_ACCOUNT })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

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

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of technology and place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string;

  @QuoteIdField()
  quoteId?: string | null;

  @QuoteLineField()
  quoteLine?: number | null;
}

export const internetOrder = productOrder(InternetServiceOrderInput, ({ serviceType, ...order }) => ({
  ...order,
  catalog: { serviceType },
}));
