import type { RequestContext } from '../kernel/request.ts';

/**
 * Copies the request context for the next event of a subscription. Caches that use the context as a key, such as loaders, are empty for the
 * new context. The properties are copied by name, because a spread would not copy the getter `log` if the context is an `Admission`.
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
