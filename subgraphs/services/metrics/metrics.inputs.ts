import { ArgsType, Field, ID } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { MeasuredPeriod } from '../samples/period.ts';

@ArgsType()
export class ServiceMetricsQuery {
  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  id!: string;

  @Field(() => MeasuredPeriod, {
    nullable: true,
    description: 'Period that ends now. Default: `last_24_hours`. Cannot be combined with `from`.',
  })
  period?: MeasuredPeriod | null;

  @Field(() => Date, { nullable: true, description: 'Start of a period of at most 31 days, which replaces `period`.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'End of the period, exclusive. Default: now. Requires `from`.' })
  to?: Date | null;

  @Field(() => ID, { nullable: true, description: 'Only the measurements of this site of a network. Default: the service as a whole.' })
  @Characters(1, 64)
  siteId?: string | null;
}
