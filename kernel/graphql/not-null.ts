import { IsDefined, ValidateIf } from 'class-validator';
import { jsonSchema } from './json-schema.ts';

/** Validates a field of an update. The field may be omitted to keep its value, but must not be null. */
export const NotNull = (): PropertyDecorator => (target, key) => {
  ValidateIf((_, value) => value !== undefined)(target, key);
  IsDefined({ message: 'must not be null; omit the field to keep its value', ...jsonSchema({ nullable: false }) })(target, key);
};
