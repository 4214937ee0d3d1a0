import { registerEnumType } from 'type-graphql';

export enum UserRole {
  OWNER = 'owner',
  ADMIN = 'admin',
  MEMBER = 'member',
  BILLING = 'billing',
  SUPPORT = 'support',
  READ_ONLY = 'read_only',
  /** Of accounts, and never of the whole organization. */
  ACCOUNT_ADMIN = 'account_admin',
}
registerEnumType(UserRole, { name: 'UserRole', description: 'The role of a user. It decides which permissions the user has.' });

export enum UserStatus {
  /** Has not chosen a password yet. */
  INVITED = 'invited',
  ACTIVE = 'active',
  SUSPENDED = 'suspended',
}
registerEnumType(UserStatus, { name: 'UserStatus' });

/** Held by users of the operator's organization only. */
export enum PlatformAccess {
  READ = 'read',
  ADMIN = 'admin',
}
registerEnumType(PlatformAccess, {
  name: 'PlatformAccess',
  description: 'Permission to operate the platform: platform:read or platform:admin.',
});
