import { IsOptional } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';

/** Filter for a list of metrics. */
@ArgsType()
export class MetricQuery {
  @Field(() => ID, { nullable: true, description: 'Only metrics of this service (`svc_…`).' })
  serviceId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only metrics whose name contains this text, ignoring case.' })
  @IsOptional()
  @Characters(1, 200)
  search?: string | null;
}
