import { Principal } from '../../../kernel/access/principal.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RequestContext } from '../../../kernel/request.ts';

/** Returns a request of the platform itself, for queries of background work. */
export const platformRequest = ({ log }: Pick<Ports, 'log'>, organizationId: string): RequestContext => ({
  requestId: newId('request'),
  principal: Principal.system('billing', organizationId),
  log,
});
