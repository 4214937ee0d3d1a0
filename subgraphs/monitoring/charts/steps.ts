import { DateTime } from 'luxon';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { KeptDays } from '../samples/sample.retention.ts';
import type { ChartQuery } from './chart.inputs.ts';
import { Resolution } from './chart.states.ts';

/** Maximum number of time steps of a chart. */
export const MAX_STEPS = 750;
/** Maximum number of time steps if the caller does not choose their length. */
const AUTO_STEPS = 720;
const QUARTER_MS = 15 * MINUTE_MS;
/** Length of the smallest unit of each resolution. A range ends at a multiple of this length, because a rollup cannot be divided. */
const PRECISION_MS: Readonly<Record<Resolution, number>> = {
  [Resolution.SAMPLE]: 1,
  [Resolution.MINUTE]: MINUTE_MS,
  [Resolution.QUARTER_HOUR]: QUARTER_MS,
};
const LEAST_MS = 15_000;
const MAX_DAYS = 31;

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Step lengths from which the platform chooses if the caller does not state one. */
const LENGTHS = ['15s', '30s', '1m', '2m', '5m', '10m', '15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d'];

/** The time steps of a chart. */
export interface Steps {
  resolution: Resolution;
  /** Start of each step. Each step begins at a full minute, or at a multiple of the step length if the step is shorter than a minute. */
  times: Date[];
  end: Date;
  lengthMs: number;
}

const lengthOf = (text: string): number => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0);

/**
 * Returns the time steps of a chart.
 * @throws InvalidParameters if the range or the step length is invalid
 */
export function stepsOf(query: ChartQuery, kept: KeptDays, now: Date): Steps {
  const { from, to, period, timezone } = query;
  refuse(rangeProblems(query, now));
  const asked = from && to && to < now ? to : now;
  const start = from ?? new Date(asked.getTime() - lengthOf(period ?? '24h'));
  const keptFrom = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  refuse(
    start < keptFrom(kept.quarters) ? [problem(from ? 'from' : 'period', from ?? period, `must be at most ${kept.quarters} days ago`)] : [],
  );
  const oldest = {
    [Resolution.SAMPLE]: keptFrom(kept.samples),
    [Resolution.MINUTE]: keptFrom(kept.minutes),
    [Resolution.QUARTER_HOUR]: start,
  };
  const text = query.step ?? LENGTHS.find((one) => start >= oldest[resolutionOf(one)] && countOf(one, start, asked) <= AUTO_STEPS) ?? '1d';
  const resolution = resolutionOf(text);
  refuse(stepProblems(text, start < oldest[resolution], countOf(text, start, asked)));
  const lengthMs = lengthOf(text);
  const end = new Date(Math.min(Math.ceil(asked.getTime() / PRECISION_MS[resolution]) * PRECISION_MS[resolution], now.getTime()));
  return {
    resolution,
    end,
    lengthMs,
    times: text.endsWith('d') ? days(start, end, lengthMs / DAY_MS, timezone ?? 'UTC') : even(start, end, lengthMs),
  };
}

const problem = (field: string, value: unknown, reason: string): FieldProblem => ({
  ...{ field, value: value instanceof Date ? value.toISOString() : value, reason },
});

function rangeProblems({ from, to, period }: ChartQuery, now: Date): FieldProblem[] {
  if (from && period) return [problem('period', period, 'cannot be combined with from')];
  if (!from) return to ? [problem('from', null, 'is required with to')] : [];
  if (from >= now) return [problem('from', from, 'must be in the past')];
  return to && from >= to ? [problem('to', to, 'must be after from')] : [];
}

/**
 * Returns the coarsest resolution from which steps of this length can be computed. In every time zone, days begin at a full quarter of an
 * hour.
 */
function resolutionOf(step: string): Resolution {
  const ms = lengthOf(step);
  if (ms % QUARTER_MS === 0) return Resolution.QUARTER_HOUR;
  return ms % MINUTE_MS === 0 ? Resolution.MINUTE : Resolution.SAMPLE;
}

const countOf = (step: string, start: Date, end: Date): number => Math.ceil((end.getTime() - start.getTime()) / lengthOf(step)) + 1;

function stepProblems(step: string, isTooOld: boolean, count: number): FieldProblem[] {
  const ms = lengthOf(step);
  if (ms < LEAST_MS) return [problem('step', step, 'must be at least 15s')];
  if (ms > MAX_DAYS * DAY_MS) return [problem('step', step, `must be at most ${MAX_DAYS}d`)];
  if (ms < MINUTE_MS && MINUTE_MS % ms !== 0) return [problem('step', step, 'must divide a minute, such as 15s, 20s or 30s')];
  if (ms > MINUTE_MS && ms % MINUTE_MS !== 0) return [problem('step', step, 'must be a multiple of a minute if it is longer')];
  if (isTooOld) return [problem('step', step, 'is too short for the age of the data; omit it, or use a multiple of 15m')];
  return count > MAX_STEPS ? [problem('step', step, `results in more than ${MAX_STEPS} steps`)] : [];
}

/** Returns steps of equal length, each of which begins at a multiple of the length since 1970. */
function even(start: Date, end: Date, ms: number): Date[] {
  const first = Math.floor(start.getTime() / ms);
  return Array.from({ length: Math.ceil(end.getTime() / ms) - first }, (_, index) => new Date((first + index) * ms));
}

/** Returns steps of whole days in a time zone. If clocks skip midnight, the day begins at the first time after the skip. */
function days(start: Date, end: Date, count: number, zone: string): Date[] {
  const first = DateTime.fromJSDate(start, { zone }).startOf('day');
  const times: Date[] = [];
  for (let day = first; day.toMillis() < end.getTime(); day = first.plus({ days: times.length * count }).startOf('day'))
    times.push(day.toJSDate());
  return times;
}
