import { ValidateBy } from 'class-validator';
import { isTimeZone, ZONE_RULE } from '../values/zones.ts';
import { jsonSchema } from './json-schema.ts';

/** Validates the name of a time zone. */
export const IsZone = (): PropertyDecorator =>
  ValidateBy({ name: 'isZone', validator: { validate: isTimeZone } }, { message: ZONE_RULE, ...jsonSchema({ format: 'time-zone' }) });
