import { IsOptional, Matches } from 'class-validator';
import { Field, Float, ID, InputType, Int } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { Aggregation } from '../charts/chart.states.ts';
import { METRIC_NAME } from '../ingest/sample.rules.ts';
import { settingProblems } from './alert.rules.ts';
import { AlertCondition, AlertNoData, AlertSeverity, AlertState } from './alert.states.ts';
import {
  DAY_SECONDS,
  DESCRIPTION_MAX,
  DESCRIPTIONS,
  INTERVAL_DEFAULT,
  isAddresses,
  isGroupBy,
  isLabels,
  RECOVER_FOR_DEFAULT,
  range,
  WINDOW_DEFAULT,
} from './alert-fields.ts';

@InputType({ description: 'Conditions for a list of alerts. An alert must meet all of them.' })
export class AlertFilter {
  @Field(() => [AlertState], { nullable: true, description: 'Only alerts in one of these states.' })
  state?: AlertState[];

  @Field(() => [AlertSeverity], { nullable: true, description: 'Only alerts with one of these severities.' })
  severity?: AlertSeverity[];

  @Field(() => ID, { nullable: true, description: 'Only alerts of this service (`svc_…`).' })
  serviceId?: string;

  @Field(() => String, { nullable: true, description: 'Only alerts on the metric with this name.' })
  metric?: string;
}

@InputType({ description: 'Alert to create.' })
@Rule<AlertCreateInput>(settingProblems)
export class AlertCreateInput {
  @Field(() => String, { description: 'Name of the alert, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => String, { description: 'Name of the metric. It may have no samples yet.' })
  @Matches(METRIC_NAME, { message: 'must be the name of a metric' })
  metric!: string;

  @Field(() => AlertCondition, { description: 'When the alert fires.' })
  condition!: AlertCondition;

  @Field(() => Float, { nullable: true, description: DESCRIPTIONS.threshold })
  threshold?: number | null;

  @Field(() => Float, { nullable: true, description: DESCRIPTIONS.lowerThreshold })
  lowerThreshold?: number | null;

  @Field(() => Float, { nullable: true, description: `${DESCRIPTIONS.recoveryThreshold} Default: \`threshold\`.` })
  recoveryThreshold?: number | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Only series of this service (`svc_…`). Default: series of all services, and series without a service. Required for callers who are limited to accounts.',
  })
  serviceId?: string | null;

  @Field(() => [String], { nullable: true, description: `${DESCRIPTIONS.labels} Default: all series.` })
  @IsOptional()
  @isLabels()
  labels?: string[] | null;

  @Field(() => [String], { nullable: true, description: `${DESCRIPTIONS.groupBy} Default: all series in one group.` })
  @IsOptional()
  @isGroupBy()
  groupBy?: string[] | null;

  @Field(() => Aggregation, {
    nullable: true,
    description: `${DESCRIPTIONS.aggregation} Default: \`RATE\` for a counter, otherwise \`AVG\`.`,
  })
  aggregation?: Aggregation | null;

  @Field(() => Int, { defaultValue: WINDOW_DEFAULT, description: DESCRIPTIONS.windowSeconds })
  @range(60, DAY_SECONDS)
  windowSeconds: number = WINDOW_DEFAULT;

  @Field(() => Int, { defaultValue: 0, description: DESCRIPTIONS.forSeconds })
  @range(0, DAY_SECONDS)
  forSeconds: number = 0;

  @Field(() => Int, { defaultValue: RECOVER_FOR_DEFAULT, description: DESCRIPTIONS.recoverForSeconds })
  @range(0, DAY_SECONDS)
  recoverForSeconds: number = RECOVER_FOR_DEFAULT;

  @Field(() => Int, {
    nullable: true,
    description: `${DESCRIPTIONS.intervalSeconds} Default: ${INTERVAL_DEFAULT}, or a 120th of the window if it is longer.`,
  })
  @IsOptional()
  @range(15, 3600)
  intervalSeconds?: number | null;

  @Field(() => AlertNoData, { defaultValue: AlertNoData.NO_DATA, description: DESCRIPTIONS.noData })
  noData: AlertNoData = AlertNoData.NO_DATA;

  @Field(() => AlertSeverity, { defaultValue: AlertSeverity.WARNING, description: 'How serious it is if the alert fires.' })
  severity: AlertSeverity = AlertSeverity.WARNING;

  @Field(() => String, { nullable: true, description: DESCRIPTIONS.description })
  @IsOptional()
  @Characters(1, DESCRIPTION_MAX)
  description?: string | null;

  @Field(() => [String], { nullable: true, description: `${DESCRIPTIONS.notify} Default: none.` })
  @IsOptional()
  @isAddresses()
  notify?: string[] | null;

  @Field(() => Int, { nullable: true, description: `${DESCRIPTIONS.repeatEverySeconds} Default: they are notified once.` })
  @IsOptional()
  @range(300, 7 * DAY_SECONDS)
  repeatEverySeconds?: number | null;

  @Field(() => Boolean, { defaultValue: false, description: DESCRIPTIONS.openIncident })
  openIncident: boolean = false;

  @Field(() => TicketPriority, { nullable: true, description: `${DESCRIPTIONS.openTicket} Default: no ticket.` })
  openTicket?: TicketPriority | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value. Metric and service cannot be changed.' })
export class AlertUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the alert, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => AlertCondition, { nullable: true, description: 'When the alert fires.' })
  @NotNull()
  condition?: AlertCondition;

  @Field(() => Float, {
    nullable: true,
    description: 'Limit of the value. A new condition keeps it, except `ABSENT`, which removes all limits.',
  })
  @NotNull()
  threshold?: number;

  @Field(() => Float, { nullable: true, description: `${DESCRIPTIONS.lowerThreshold} Null: no lower limit.` })
  lowerThreshold?: number | null;

  @Field(() => Float, { nullable: true, description: `${DESCRIPTIONS.recoveryThreshold} Null: \`threshold\`.` })
  recoveryThreshold?: number | null;

  @Field(() => [String], { nullable: true, description: DESCRIPTIONS.labels })
  @NotNull()
  @isLabels()
  labels?: string[];

  @Field(() => [String], { nullable: true, description: DESCRIPTIONS.groupBy })
  @NotNull()
  @isGroupBy()
  groupBy?: string[];

  @Field(() => Aggregation, { nullable: true, description: `${DESCRIPTIONS.aggregation} Null: \`RATE\` for a counter, otherwise \`AVG\`.` })
  aggregation?: Aggregation | null;

  @Field(() => Int, { nullable: true, description: DESCRIPTIONS.windowSeconds })
  @NotNull()
  @range(60, DAY_SECONDS)
  windowSeconds?: number;

  @Field(() => Int, { nullable: true, description: DESCRIPTIONS.forSeconds })
  @NotNull()
  @range(0, DAY_SECONDS)
  forSeconds?: number;

  @Field(() => Int, { nullable: true, description: DESCRIPTIONS.recoverForSeconds })
  @NotNull()
  @range(0, DAY_SECONDS)
  recoverForSeconds?: number;

  @Field(() => Int, { nullable: true, description: DESCRIPTIONS.intervalSeconds })
  @NotNull()
  @range(15, 3600)
  intervalSeconds?: number;

  @Field(() => AlertNoData, { nullable: true, description: DESCRIPTIONS.noData })
  @NotNull()
  noData?: AlertNoData;

  @Field(() => AlertSeverity, { nullable: true, description: 'How serious it is if the alert fires.' })
  @NotNull()
  severity?: AlertSeverity;

  @Field(() => String, { nullable: true, description: `${DESCRIPTIONS.description} Null: none.` })
  @IsOptional()
  @Characters(1, DESCRIPTION_MAX)
  description?: string | null;

  @Field(() => [String], { nullable: true, description: DESCRIPTIONS.notify })
  @NotNull()
  @isAddresses()
  notify?: string[];

  @Field(() => Int, { nullable: true, description: `${DESCRIPTIONS.repeatEverySeconds} Null: they are notified once.` })
  @IsOptional()
  @range(300, 7 * DAY_SECONDS)
  repeatEverySeconds?: number | null;

  @Field(() => Boolean, { nullable: true, description: DESCRIPTIONS.openIncident })
  @NotNull()
  openIncident?: boolean;

  @Field(() => TicketPriority, { nullable: true, description: `${DESCRIPTIONS.openTicket} Null: no ticket.` })
  openTicket?: TicketPriority | null;
}

@InputType({ description: 'Time until which nobody is notified that an alert fires.' })
export class AlertSilenceInput {
  @Field(() => Date, { nullable: true, description: 'When the silence ends, at most 31 days ahead. Default: now, which ends a silence.' })
  until?: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the alert is silenced, 1 to 500 characters.' })
  @IsOptional()
  @Characters(1, 500)
  comment?: string | null;
}
