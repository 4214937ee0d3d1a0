import { IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { addDuration } from '../../../kernel/values/durations.ts';
import type { ServicesContext } from '../context.ts';
import { DataMigration } from './service-change.values.ts';

/** A date that is this much in the past still means now, because the request took some time. */
const LATE_MS = 5 * 60 * 1000;
const YEAR = { months: 12, ms: 0 };

@InputType({ description: 'How and when a service is taken down.' })
@Rule<DecommissionInput, ServicesContext>(({ decommissionDate }, { clock }) => dateProblems(decommissionDate, clock.now()))
export class DecommissionInput {
  @Field(() => Date, { nullable: true, description: 'When the service is taken down, at most a year ahead. Default: now.' })
  @IsOptional()
  decommissionDate?: Date | null;

  @Field(() => DataMigration, { nullable: true, description: 'Where the data of the service goes. Default: the data is not migrated.' })
  @IsOptional()
  @ValidateNested()
  dataMigration?: DataMigration | null;

  @Field(() => String, { nullable: true, description: 'Reason, which the events and the history of the service contain.' })
  @IsOptional()
  @Characters(1, 500)
  reason?: string | null;
}

function dateProblems(value: Valid<DecommissionInput>['decommissionDate'], now: Date): FieldProblem[] {
  if (!value) return [];
  const isAllowed = value.getTime() >= now.getTime() - LATE_MS && value <= addDuration(now, YEAR);
  return isAllowed ? [] : [{ field: 'decommissionDate', value, reason: 'must be in the future, and within a year' }];
}
