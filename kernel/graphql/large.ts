import { Directive } from 'type-graphql';

/** Number of characters of a text that cost as much as one object in the response. */
const CHARACTERS = 500;

/**
 * Declares the maximum length of a long text field, so that the router includes it in the cost of an operation. The SDL
 * shows it as `@cost`.
 */
export const Large = (characters: number): PropertyDecorator & MethodDecorator =>
  Directive(`@cost(weight: ${Math.ceil(characters / CHARACTERS)})`) as PropertyDecorator & MethodDecorator;
