import { ValidateBy } from 'class-validator';
import { DATE_RANGE_PATTERN, DATE_RANGE_RULE, DAY_RANGE_PATTERN, DAY_RANGE_RULE, parseDateRange } from '../values/date-range.ts';
import { jsonSchema } from './json-schema.ts';

const isDateRange = (value: unknown): boolean => typeof value === 'string' && parseDateRange(value) !== undefined;

/** Validates a range of dates, such as `30d` or `2026-01-01..2026-01-31`. */
export const IsDateRange = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isDateRange', validator: { validate: isDateRange } },
    { message: DATE_RANGE_RULE, ...jsonSchema({ pattern: DATE_RANGE_PATTERN }) },
  );

const isDayRange = (value: unknown): boolean => isDateRange(value) && !String(value).endsWith('h');

/** Validates a range of whole days, such as `30d` or `2026-01-01..2026-01-31`. */
export const IsDayRange = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isDayRange', validator: { validate: isDayRange } },
    { message: DAY_RANGE_RULE, ...jsonSchema({ pattern: DAY_RANGE_PATTERN }) },
  );
