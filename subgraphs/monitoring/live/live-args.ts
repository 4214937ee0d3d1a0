import type { Principal } from '../../../kernel/access/principal.ts';
import { checkInputs } from '../../../kernel/graphql/validate-input.ts';

/**
 * Checks the permission and the arguments of a subscription when its stream starts. The checks of the resolver run for each
 * message, so they come too late.
 */
export function liveArgs<T extends object>(type: new () => T, args: object, context: { readonly principal: Principal }): T {
  context.principal.require('monitoring:read');
  const checked = Object.assign(new type(), args);
  checkInputs([checked], context);
  return checked;
}
