import { IsOptional } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { MaintenanceImpact, MaintenanceStatus } from './maintenance-window.states.ts';

export enum MaintenanceWindowSortField {
  START = 'startsAt',
  END = 'endsAt',
  CREATED_AT = 'createdAt',
}
export const MaintenanceWindowSort = sortOf('MaintenanceWindow', MaintenanceWindowSortField, {
  START: 'Time at which the maintenance starts.',
  END: 'Time at which the maintenance ends.',
});

@InputType({ description: 'Conditions for a list of maintenance windows. A window must meet all of them.' })
@Rule<MaintenanceWindowFilter>(({ from, to }): FieldProblem[] =>
  from && to && from >= to ? [{ field: 'to', value: to, reason: 'must be later than `from`' }] : [],
)
export class MaintenanceWindowFilter {
  @Field(() => [MaintenanceStatus], { nullable: true })
  status?: MaintenanceStatus[];

  @Field(() => [MaintenanceImpact], { nullable: true, description: 'Only windows with one of these impacts.' })
  impact?: MaintenanceImpact[];

  @Field(() => ID, { nullable: true, description: 'Only windows of this service (`svc_…`).' })
  serviceId?: string;

  @Field(() => Date, { nullable: true, description: 'Only windows that end after this time.' })
  from?: Date;

  @Field(() => Date, { nullable: true, description: 'Only windows that start before this time.' })
  to?: Date;
}

const TITLE_MAX = 200;
const DESCRIPTION_MAX = 1000;

@InputType({ description: 'Maintenance to plan.' })
export class MaintenanceCreateInput {
  @Field(() => ID, { description: 'Service to maintain (`svc_…`).' })
  serviceId!: string;

  @Field(() => Date, { description: 'When the maintenance starts, at most ten years ahead.' })
  start!: Date;

  @Field(() => Date, { description: 'When the maintenance ends, at most 7 days after its start.' })
  end!: Date;

  @Field(() => String, { nullable: true, description: `Title of the work, 1 to ${TITLE_MAX} characters. Customers can read it.` })
  @IsOptional()
  @Name(TITLE_MAX)
  title?: string | null;

  @Field(() => String, { description: `What is done, 1 to ${DESCRIPTION_MAX} characters. Customers can read it.` })
  @Name(DESCRIPTION_MAX)
  description!: string;

  @Field(() => MaintenanceImpact, {
    defaultValue: MaintenanceImpact.DOWN,
    description: 'Expected state of the service during the maintenance.',
  })
  impact: MaintenanceImpact = MaintenanceImpact.DOWN;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class MaintenanceUpdateInput {
  @Field(() => Date, {
    nullable: true,
    description: 'When the maintenance starts, at most ten years ahead. Cannot be changed after the start of the maintenance.',
  })
  @NotNull()
  start?: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When the maintenance ends, at most 7 days after its start. The present time ends a maintenance that is in progress.',
  })
  @NotNull()
  end?: Date;

  @Field(() => String, {
    nullable: true,
    description: `Title of the work, 1 to ${TITLE_MAX} characters. Customers can read it. Null removes the title.`,
  })
  @IsOptional()
  @Name(TITLE_MAX)
  title?: string | null;

  @Field(() => String, { nullable: true, description: `What is done, 1 to ${DESCRIPTION_MAX} characters. Customers can read it.` })
  @NotNull()
  @Name(DESCRIPTION_MAX)
  description?: string;

  @Field(() => MaintenanceImpact, {
    nullable: true,
    description: 'Expected state of the service during the maintenance. Cannot be changed after the start of the maintenance.',
  })
  @NotNull()
  impact?: MaintenanceImpact;
}
