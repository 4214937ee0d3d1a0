import { ValidateBy } from 'class-validator';

const MAX_KIB = 16;
/** Maximum size of such a field in bytes, for `Large`. */
export const MAX_JSON = MAX_KIB * 1024;

/** Sentence for the description of such a field. */
export const FREE_FORM = `JSON object of your choice, at most ${MAX_KIB} KiB. It is stored as sent.`;

/**
 * Validates the size of free-form JSON, above all `metadata`. It is stored with the record and appears in every list and event, so its
 * limit is far below that of a request body.
 */
export const MaxJson = (): PropertyDecorator =>
  ValidateBy({ name: 'maxJson', validator: { validate: isSmall } }, { message: `must have at most ${MAX_KIB} KiB as JSON` });

const isSmall = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON;
