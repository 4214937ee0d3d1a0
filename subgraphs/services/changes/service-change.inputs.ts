import { IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { addDuration } from '../../../kernel/values/durations.ts';
import type { ServicesContext } from '../context.ts';
import { DataMigration } from './service-change.values.ts';

/** A date that is at most this far in the past counts as now, because the request took some time to arrive. */
const LATE_MS = 5 * 60 * 1000;
const YEAR = { months: 12, ms: 0 };

@InputType({ description: 'How and when a service is taken down.' })
@Rule<DecommissionInput, ServicesContext>(({ decommissionDate }, { clock }) =>
  dateProblems('decommissionDate', decommissionDate, clock.now()),
)
export class DecommissionInput {
  @Field(() => Date, { nullable: true, description: 'When the service is taken down, at most a year ahead. Default: now.' })
  @IsOptional()
  decommissionDate?: Date | null;

  @Field(() => DataMigration, { nullable: true, description: 'Where the data of the service goes. Default: the data is not migrated.' })
  @IsOptional()
  @ValidateNested()
  dataMigration?: DataMigration | null;

  @Field(() => String, {
    nullable: true,
    description: 'Reason for the decommission. The events and the history of the service contain it.',
  })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;
}

/** Lists the problems of the date of a change: it is in the past, or more than a year ahead. */
export function dateProblems(field: string, value: Date | null | undefined, now: Date): FieldProblem[] {
  if (!value) return [];
  const isAllowed = value.getTime() >= now.getTime() - LATE_MS && value <= addDuration(now, YEAR);
  return isAllowed ? [] : [{ field, value, reason: 'must be in the future, and within a year' }];
}
