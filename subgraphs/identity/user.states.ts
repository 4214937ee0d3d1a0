import { registerEnumType } from 'type-graphql';

export enum UserRole {
  OWNER = 'owner',
  ADMIN = 'admin',
  MEMBER = 'member',
  BILLING = 'billing',
  SUPPORT = 'support',
  READ_ONLY = 'read_only',
  /** Administers accounts, but never the whole organization. */
  ACCOUNT_ADMIN = 'account_admin',
}
registerEnumType(UserRole, {
  name: 'UserRole',
  description: 'Role of a user, which determines the permissions.',
  valuesConfig: {
    OWNER: {
      description:
        'All permissions, including permissions that are added in the future. Only owners can give this role to a user. Every organization has at least one owner.',
    },
    ADMIN: { description: 'All permissions that exist today. Permissions that are added in the future are not included automatically.' },
    MEMBER: { description: '`services:write`, `support:create`, `monitoring:write`, and read access to everything except credentials.' },
    BILLING: { description: '`billing:*` and `support:create`, and read access to accounts, services, analytics and support.' },
    SUPPORT: { description: '`support:*`, and read access to accounts, services, monitoring and analytics.' },
    READ_ONLY: { description: 'Read access to everything except credentials.' },
    ACCOUNT_ADMIN: {
      description:
        '`accounts:write`, `services:*`, `billing:*`, `monitoring:write` and `support:create`, and read access to everything except credentials. Always limited to certain accounts.',
    },
  },
});

export enum UserStatus {
  /** The user was invited and has not chosen a password yet. */
  INVITED = 'invited',
  ACTIVE = 'active',
  SUSPENDED = 'suspended',
}
registerEnumType(UserStatus, {
  name: 'UserStatus',
  description: 'State of a user.',
  valuesConfig: {
    INVITED: { description: 'Invited, and has not chosen a password yet.' },
    ACTIVE: { description: 'Can log in.' },
    SUSPENDED: { description: 'Cannot log in. All sessions have ended.' },
  },
});

/** Permission to operate the platform. Only users of the operator's organization can have it. */
export enum PlatformAccess {
  READ = 'read',
  ADMIN = 'admin',
}
registerEnumType(PlatformAccess, {
  name: 'PlatformAccess',
  description: 'Permission to operate the platform.',
  valuesConfig: {
    READ: { description: '`platform:read`: see all organizations.' },
    ADMIN: { description: '`platform:admin`: see and change all organizations.' },
  },
});
