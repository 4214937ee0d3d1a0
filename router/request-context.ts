import type { RequestContext } from '../kernel/request.ts';

/**
 * The same request anew, for the next event of its subscription: what is kept by the context, such as loaders, starts empty.
 * An Admission's members are getters, so they are copied by name.
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
