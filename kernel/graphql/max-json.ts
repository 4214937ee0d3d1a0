import { ValidateBy } from 'class-validator';

const MAX_KIB = 16;
/** Maximum size in bytes of a field with free-form JSON. It is the argument of the decorator `Large`. */
export const MAX_JSON = MAX_KIB * 1024;

/** A sentence that is added to the description of a field with free-form JSON. */
export const FREE_FORM = `JSON object of your choice, at most ${MAX_KIB} KiB. It is stored as sent.`;

/**
 * Validates the size of free-form JSON, such as `metadata`. The JSON is stored with the record and appears in every
 * list and event, so its limit is far below the limit of a request body.
 */
export const MaxJson = (): PropertyDecorator =>
  ValidateBy({ name: 'maxJson', validator: { validate: isSmall } }, { message: `must have at most ${MAX_KIB} KiB as JSON` });

const isSmall = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON;
