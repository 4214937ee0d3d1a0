import { ValidateBy } from 'class-validator';

const MAX_KIB = 16;
/** Of a member that may be so large (`Large`). */
export const MAX_JSON = MAX_KIB * 1024;

/** What the schema says of a member with that bound. */
export const FREE_FORM = `JSON object of your choice, at most ${MAX_KIB} KiB. It is stored as sent.`;

/**
 * Of an input: what callers may put in as they like, `metadata` above all. It is kept with the record, comes with every list of
 * such records, and is told in events, so it has a bound of its own, far below that of the body that it came with.
 */
export const MaxJson = (): PropertyDecorator =>
  ValidateBy({ name: 'maxJson', validator: { validate: isSmall } }, { message: `must have at most ${MAX_KIB} KiB as JSON` });

const isSmall = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON;
