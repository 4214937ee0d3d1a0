import { Directive } from 'type-graphql';

/** Number of characters per unit of cost in a long text field. One object in the response costs one unit. */
const CHARACTERS = 500;

/**
 * Declares the maximum length of a long text field, so that the router includes it in the cost of an operation. The SDL
 * shows it as `@cost`.
 */
export const Large = (characters: number): PropertyDecorator & MethodDecorator =>
  Directive(`@cost(weight: ${Math.ceil(characters / CHARACTERS)})`) as PropertyDecorator & MethodDecorator;
