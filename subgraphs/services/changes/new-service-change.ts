import { newId } from '../../../kernel/records/ids.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceChange } from './service-change.entity.ts';
import { type ServiceChangeKind, ServiceChangeStatus } from './service-change.states.ts';

/** Creates the record of a change to a service. The change takes effect now, unless the caller sets another date. */
export function newChange(
  { id: serviceId, organizationId }: Service,
  kind: ServiceChangeKind,
  requestedBy: string,
  now: Date,
): ServiceChange {
  const history = [{ from: null, to: ServiceChangeStatus.ACKNOWLEDGED, at: now.toISOString(), reason: null }];
  const known = { id: newId('serviceChange'), organizationId, serviceId, kind, effectiveAt: now, requestedBy, history };
  return Object.assign(new ServiceChange(), known, { createdAt: now, updatedAt: now });
}
