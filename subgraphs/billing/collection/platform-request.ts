import { Principal } from '../../../kernel/access/principal.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RequestContext } from '../../../kernel/request.ts';

/** Returns the request context with which background work of the platform makes GraphQL queries. */
export const platformRequest = ({ log }: Pick<Ports, 'log'>, organizationId: string): RequestContext => ({
  requestId: newId('request'),
  principal: Principal.system('billing', organizationId),
  log,
});
