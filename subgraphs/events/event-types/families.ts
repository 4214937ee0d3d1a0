import type { Permission } from '../../../kernel/access/principal.ts';

/**
 * Permission to read events, by family: the same permission as for reading the records that the events are about. An
 * event type can require another permission.
 */
const READ_PERMISSIONS: Readonly<Record<string, Permission>> = {
  service: 'services:read',
  billing: 'billing:read',
  support: 'support:read',
  // the permission that callers need to read integrations
  integration: 'support:admin',
  account: 'accounts:read',
  credential: 'credentials:read',
  monitoring: 'monitoring:read',
  analytics: 'analytics:read',
  webhook: 'webhooks:read',
};

/**
 * Returns the permission to read the events of a family.
 * @throws Error for an unknown family.
 */
export function readPermissionOf(family: string): Permission {
  const permission = READ_PERMISSIONS[family];
  if (!permission) throw new Error(`The event family ${family} is not in subgraphs/events/event-types/families.ts.`);
  return permission;
}
