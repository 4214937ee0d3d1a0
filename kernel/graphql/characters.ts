import { Length, Matches, MaxLength } from 'class-validator';

/** Validates that a text has at least `min` and at most `max` characters. */
export const Characters = (min: number, max: number): PropertyDecorator =>
  Length(min, max, { message: `must have ${min} to ${max} characters` });

/** Validates that a text has at most `max` characters. The text may be empty. */
export const MaxCharacters = (max: number): PropertyDecorator => MaxLength(max, { message: `must have at most ${max} characters` });

/** Validates a display name: a maximum length, and at least one visible character. */
export const Name =
  (max: number): PropertyDecorator =>
  (target, key) => {
    Matches(/\S/, { message: 'must not be blank' })(target, key);
    Characters(1, max)(target, key);
  };
