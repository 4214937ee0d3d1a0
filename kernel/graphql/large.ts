import { Directive } from 'type-graphql';

/** Characters that count as much as an object does. */
const CHARACTERS = 500;

/**
 * States how many characters a member may have, where they are many: the router counts it accordingly in what the answer of one
 * operation may hold. Shown in the SDL as `@cost`.
 */
export const Large = (characters: number): PropertyDecorator & MethodDecorator =>
  Directive(`@cost(weight: ${Math.ceil(characters / CHARACTERS)})`) as PropertyDecorator & MethodDecorator;
