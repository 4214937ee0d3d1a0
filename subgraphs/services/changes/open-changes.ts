import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { ServiceBlock } from './service-block.entity.ts';
import { ServiceChange } from './service-change.entity.ts';
import { ServiceChangeKind, ServiceChangeStatus } from './service-change.states.ts';

const { DECOMMISSION } = ServiceChangeKind;
const { ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED } = ServiceChangeStatus;
const OPEN = [ACKNOWLEDGED, IN_PROGRESS];

/** Returns the scheduled or running decommission of a locked service. */
export const openDecommission = (tx: EntityManager, serviceId: string): Promise<ServiceChange | null> =>
  tx.findOne(ServiceChange, { serviceId, kind: DECOMMISSION, status: { $in: OPEN } }, LOCKED);

/** Returns the decommission that has ended a locked service. */
export const completedDecommission = (tx: EntityManager, serviceId: string): Promise<ServiceChange | null> =>
  tx.findOne(ServiceChange, { serviceId, kind: DECOMMISSION, status: COMPLETED }, LOCKED);

/** Returns the changes of a locked service that have not ended, oldest first. A decommission is not included. */
export const openChanges = (tx: EntityManager, serviceId: string): Promise<ServiceChange[]> =>
  tx.find(
    ServiceChange,
    { serviceId, kind: { $ne: DECOMMISSION }, status: { $in: OPEN } },
    { ...LOCKED, orderBy: { createdAt: 'asc', id: 'asc' } },
  );

/** Returns true if a change must be applied now. False if it waits for its date. */
export const isDue = ({ applyDueAt }: ServiceChange): boolean => applyDueAt === null;

/** Maximum number of failed changes whose provider orders are looked up when a service is released. */
const LOOKED_UP = 5;

/**
 * Returns the ids of the changes of a service that have failed since its last completed change, oldest first, and of an order to block the
 * service that has not ended. The provider may still be working on them when the service is released, because changes also fail if the
 * service is taken down or the provider cannot be reached. Earlier failed changes do not count: the completed change has replaced what
 * they may have done.
 */
export async function possiblyOpenOrders(tx: EntityManager, serviceId: string): Promise<string[]> {
  const ended = await tx.find(
    ServiceChange,
    { serviceId, kind: { $ne: DECOMMISSION }, status: { $in: [FAILED, COMPLETED] } },
    { orderBy: { updatedAt: 'desc', id: 'desc' }, limit: LOOKED_UP },
  );
  const completed = ended.findIndex(({ status }) => status === COMPLETED);
  const failed = completed < 0 ? ended : ended.slice(0, completed);
  const block = await tx.findOne(ServiceBlock, { id: serviceId, isOpen: true });
  return [...failed.map(({ id }) => id).reverse(), ...(block ? [block.orderId] : [])];
}
