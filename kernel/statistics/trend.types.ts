import { Directive, Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DAY_MS, dateOf } from '../values/days.ts';
import { changePercent, type TrendPoint, trendOf } from './trend.ts';

/** Length of the steps of a trend. */
export enum TrendStep {
  DAY = 'day',
  MONTH = 'month',
}
registerEnumType(TrendStep, {
  name: 'TrendStep',
  description: 'Length of the steps of a trend.',
  valuesConfig: {
    DAY: { description: 'A day of the calendar in the time zone of the analysis.' },
    MONTH: { description: 'A month of the calendar.' },
  },
});

@ObjectType('TrendValue', { description: 'Value of a day or month.' })
@Directive('@shareable')
export class TrendValue {
  @Field(() => String, { description: 'Day such as `2026-01-31`, or month such as `2026-01`.' })
  date!: string;

  @Field(() => Float, { nullable: true, description: 'Value. Null if there is none.' })
  value!: number | null;
}

@ObjectType({ description: 'Expected value of a day or month.' })
@Directive('@shareable')
export class TrendForecast {
  @Field(() => String, { description: 'Day such as `2026-01-31`, or month such as `2026-01`.' })
  date!: string;

  @Field(() => Float, { description: 'Expected value, if the trend continues.' })
  value!: number;

  @Field(() => Float, { description: 'The value is at least this with a probability of 97.5 %.' })
  low!: number;

  @Field(() => Float, { description: 'The value is at most this with a probability of 97.5 %.' })
  high!: number;
}

@ObjectType({ description: 'A value that is far from what the other values suggest.' })
@Directive('@shareable')
export class TrendAnomaly {
  @Field(() => String, { description: 'Day such as `2026-01-31`, or month such as `2026-01`.' })
  date!: string;

  @Field(() => Float, { description: 'Value that was measured or counted.' })
  value!: number;

  @Field(() => Float, { description: 'Value that the others suggest.' })
  expected!: number;
}

@ObjectType({
  description:
    'How a figure develops. The trend is a line by least squares. Days or months that have not ended do not count. The forecast states the range of a single value with a probability of 95 %.',
})
@Directive('@shareable')
export class Trend {
  @Field(() => String, { description: 'Name of the figure, such as `latency_ms`.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Unit of the values, such as `ms`. Null if they have none.' })
  unit!: string | null;

  @Field(() => TrendStep, { description: 'Length of the steps.' })
  step!: TrendStep;

  @Field(() => Boolean, { description: 'True if fewer than 7 values exist. There is then no trend, forecast or anomaly.' })
  insufficientData!: boolean;

  @Field(() => Float, { nullable: true, description: 'Change of the value from one step to the next. Null with insufficient data.' })
  slope!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average of the values. Null without values.' })
  average!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Average of the values of the period before, which has the same length. Null without values.',
  })
  averageBefore!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Change of the average against the period before, in percent. Null if it is unknown.',
  })
  changePercent!: number | null;

  @Field(() => [TrendValue], { description: 'Values, oldest first. At most 366.' })
  values!: TrendValue[];

  @Field(() => [TrendForecast], { description: 'Expected values of the next 30 days or 3 months. Empty with insufficient data.' })
  forecast!: TrendForecast[];

  @Field(() => [TrendAnomaly], { description: 'Values that are far from the others, oldest first.' })
  anomalies!: TrendAnomaly[];

  @Field(() => Int, { description: 'Number of values that are not null.' })
  count!: number;
}

export interface TrendParts {
  name: string;
  unit: string | null;
  step: TrendStep;
  values: readonly TrendPoint[];
  /** Values of the period before. */
  before: readonly TrendPoint[];
  /** Lowest and highest value that is possible. Forecasts are within them. */
  bounds?: { low?: number; high?: number };
}

const FORECAST_STEPS: Readonly<Record<TrendStep, number>> = { [TrendStep.DAY]: 30, [TrendStep.MONTH]: 3 };

/** Builds the trend of a figure from its values. */
export function describeTrend({ name, unit, step, values, before, bounds = {} }: TrendParts): Trend {
  const found = trendOf(values, FORECAST_STEPS[step]);
  const [average, averageBefore] = [averageOf(values), averageOf(before)];
  const last = values.at(-1)?.date ?? '';
  const within = (value: number): number => rounded(Math.min(bounds.high ?? value, Math.max(bounds.low ?? value, value)));
  const change = changePercent(averageBefore, average);
  return {
    ...{ name, unit, step, insufficientData: found === null, count: values.filter(({ value }) => value !== null).length },
    slope: found && rounded(found.slope),
    average: average && rounded(average),
    averageBefore: averageBefore && rounded(averageBefore),
    changePercent: change && rounded(change),
    values: values.map(({ date, value }) => ({ date, value: value && rounded(value) })),
    forecast: (found?.forecast ?? []).map(({ ahead, value, low, high }) => ({
      ...{ date: after(last, ahead, step), value: within(value), low: within(low), high: within(high) },
    })),
    anomalies: (found?.anomalies ?? []).map(({ date, value, expected }) => ({ date, value: rounded(value), expected: within(expected) })),
  };
}

function averageOf(points: readonly TrendPoint[]): number | null {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  return values.length === 0 ? null : values.reduce((total, one) => total + one, 0) / values.length;
}

function after(date: string, count: number, step: TrendStep): string {
  if (step === TrendStep.DAY) return dateOf(new Date(Date.parse(date) + count * DAY_MS));
  const [year = 0, month = 1] = date.split('-').map(Number);
  return dateOf(new Date(Date.UTC(year, month - 1 + count, 1))).slice(0, 7);
}

const DIGITS = 1e6;
const rounded = (value: number): number => Math.round(value * DIGITS) / DIGITS;
