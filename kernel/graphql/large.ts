import { Directive } from 'type-graphql';

/** Number of characters that count as one object in the response cost. */
const CHARACTERS = 500;

/**
 * Declares the maximum length of a long text field, so that the router counts its size in the cost of an operation. Shown in the SDL as
 * `@cost`.
 */
export const Large = (characters: number): PropertyDecorator & MethodDecorator =>
  Directive(`@cost(weight: ${Math.ceil(characters / CHARACTERS)})`) as PropertyDecorator & MethodDecorator;
