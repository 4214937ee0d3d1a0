import { Length, Matches, MaxLength } from 'class-validator';

/** A text of so many characters. */
export const Characters = (min: number, max: number): PropertyDecorator =>
  Length(min, max, { message: `must have ${min} to ${max} characters` });

/** A text of at most so many characters, which may be empty. */
export const MaxCharacters = (max: number): PropertyDecorator => MaxLength(max, { message: `must have at most ${max} characters` });

/** What people call something: a text of so many characters at most, in which there is something to read. */
export const Name =
  (max: number): PropertyDecorator =>
  (target, key) => {
    Matches(/\S/, { message: 'must not be blank' })(target, key);
    Characters(1, max)(target, key);
  };
