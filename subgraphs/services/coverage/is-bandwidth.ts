import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { BANDWIDTH_FORM, BANDWIDTH_PATTERN, parseBandwidth } from './bandwidth.ts';

const isBandwidth = (value: unknown): boolean => typeof value === 'string' && parseBandwidth(value) !== null;

/** Validates that an input is a text that `parseBandwidth` accepts. */
export const IsBandwidth = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isBandwidth', validator: { validate: isBandwidth } },
    { message: `must be ${BANDWIDTH_FORM}`, ...jsonSchema({ pattern: BANDWIDTH_PATTERN }) },
  );
