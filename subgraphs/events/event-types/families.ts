import type { Permission } from '../../../kernel/access/principal.ts';

/** Who may read the events of a family: whoever may read the records that they tell of. */
const READ_PERMISSIONS: Readonly<Record<string, Permission>> = {
  service: 'services:read',
  billing: 'billing:read',
  support: 'support:read',
  // who may read integrations
  integration: 'support:admin',
  account: 'accounts:read',
  credential: 'credentials:read',
  monitoring: 'monitoring:read',
  analytics: 'analytics:read',
  webhook: 'webhooks:read',
};

/** @throws Error for a family that nobody has stated: at the start of the platform, not at the first event. */
export function readPermissionOf(family: string): Permission {
  const permission = READ_PERMISSIONS[family];
  if (!permission) throw new Error(`The event family ${family} is not in subgraphs/events/event-types/families.ts.`);
  return permission;
}
