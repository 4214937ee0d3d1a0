import type { RequestContext } from '../kernel/request.ts';

/**
 * Copies the request context for the next event of a subscription. Caches that use the context as a key, such as
 * loaders, are then empty.
 * The fields are copied by name, because the fields of an Admission are getters.
 */
export function renewContext(context: RequestContext, signal = context.signal): RequestContext {
  const { requestId, principal, client } = context;
  const renewed = {
    requestId,
    principal,
    client,
    get log() {
      return context.log;
    },
  };
  return signal ? Object.assign(renewed, { signal }) : renewed;
}
