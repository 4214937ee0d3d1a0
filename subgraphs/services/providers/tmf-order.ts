import { z } from 'zod';
import type { ApplyOrder, Place, ReleaseOrder } from './service.provider.ts';

const MAX_ID_LENGTH = 200;
const id = z.string().min(1).max(MAX_ID_LENGTH);

/** The fields of a TMF641 service order that the platform uses. */
export const serviceOrder = z.object({
  id,
  externalId: z.string().nullish(),
  state: z.string(),
  serviceOrderItem: z.array(z.object({ service: z.object({ id: id.nullish() }).nullish() })).default([]),
  // an error text of a wrong type must not hide the state of the order
  errorMessage: z
    .array(z.object({ message: z.string().nullish(), reason: z.string().nullish() }))
    .default([])
    .catch([]),
});
export type ServiceOrder = z.infer<typeof serviceOrder>;

/**
 * States of an order that has ended. An order in any other state may still change: `acknowledged`, `pending`, `held`,
 * `inProgress`, `assessingCancellation` and `pendingCancellation`. An order has one item, so a `partial` order has failed.
 */
export const ENDED = ['completed', 'rejected', 'failed', 'cancelled', 'partial'];

export const isOpen = ({ state }: ServiceOrder): boolean => !ENDED.includes(state);
export const isCompleted = ({ state }: ServiceOrder): boolean => state === 'completed';

/**
 * Returns the id of the line that an ended order has built, or may have built if the order failed. Returns null for a rejected or cancelled
 * order, because the carrier has only reserved the line id. For a completed order without a line id, returns the id of the order.
 */
export function lineOf(order: ServiceOrder): string | null {
  if (order.state === 'rejected' || order.state === 'cancelled') return null;
  return order.serviceOrderItem[0]?.service?.id ?? (isCompleted(order) ? order.id : null);
}

/** Returns the body of a TMF641 order with one item, which adds or modifies a service. */
export const orderBody = ({ orderId, reference, name, spec: { serviceType, characteristics, places, isBlocked } }: ApplyOrder): object => ({
  '@type': 'ServiceOrder',
  externalId: orderId,
  description: name,
  category: 'connectivity',
  serviceOrderItem: [
    {
      '@type': 'ServiceOrderItem',
      id: '1',
      action: reference ? 'modify' : 'add',
      service: {
        '@type': 'Service',
        ...(reference && { id: reference }),
        name,
        serviceType,
        state: isBlocked ? 'inactive' : 'active',
        serviceCharacteristic: Object.entries(characteristics).map(([name, value]) => ({ name, valueType: typeOf(value), value })),
        place: places.map(placeOf),
      },
    },
  ],
});

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

const placeOf = ({ role, id, address, city, state, zip }: Place): object => ({
  '@type': 'GeographicAddress',
  role,
  ...(id && { name: id }),
  streetName: address,
  ...(city && { city }),
  ...(state && { stateOrProvince: state }),
  ...(zip && { postcode: zip }),
  country: 'US',
});

/** Returns the body of a TMF641 order with one item that deletes a line. */
export const removalBody = ({ releaseId, name }: ReleaseOrder, line: string): object => ({
  '@type': 'ServiceOrder',
  externalId: releaseId,
  description: name,
  category: 'connectivity',
  serviceOrderItem: [{ '@type': 'ServiceOrderItem', id: '1', action: 'delete', service: { '@type': 'Service', id: line } }],
});
