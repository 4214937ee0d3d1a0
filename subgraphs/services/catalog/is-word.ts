import { Matches } from 'class-validator';

/** Validates an identifier that operators choose, such as `business_fiber`. */
export const IsWord = (): PropertyDecorator =>
  Matches(/^[a-z][a-z0-9_]{0,49}$/, {
    message: 'must have 1 to 50 lower case letters, digits and underscores, and begin with a letter',
  });
