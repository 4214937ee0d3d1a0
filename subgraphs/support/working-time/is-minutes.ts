import { ValidateBy } from 'class-validator';
import { parseMinutes } from './durations.ts';

/** Of an input: a text, or texts, that `parseMinutes` reads. */
export const IsMinutes = ({ each = false }: { each?: boolean } = {}): PropertyDecorator =>
  ValidateBy(
    { name: 'isMinutes', validator: { validate: isMinutes } },
    { each, message: 'must be working time in whole minutes, such as 15_minutes or 8 hours' },
  );

function isMinutes(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseMinutes(value) > 0;
  } catch {
    return false;
  }
}
