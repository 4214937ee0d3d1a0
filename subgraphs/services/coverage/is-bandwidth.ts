import { ValidateBy } from 'class-validator';
import { BANDWIDTH_FORM, parseBandwidth } from './bandwidth.ts';

const isBandwidth = (value: unknown): boolean => typeof value === 'string' && parseBandwidth(value) !== null;

/** Of an input: a text that `parseBandwidth` reads. */
export const IsBandwidth = (): PropertyDecorator =>
  ValidateBy({ name: 'isBandwidth', validator: { validate: isBandwidth } }, { message: `must be ${BANDWIDTH_FORM}` });
