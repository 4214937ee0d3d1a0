import { foundation } from './0001-foundation.ts';
import { access } from './0002-access.ts';
import { certificates } from './0003-certificates.ts';
import { usage } from './0004-usage.ts';
import { oauth } from './0010-oauth.ts';
import { saml } from './0011-saml.ts';
import { mfa } from './0012-mfa.ts';
import { keys } from './0013-keys.ts';
import { places } from './0014-places.ts';
import { samlDomains } from './0015-saml-domains.ts';
import { invitations } from './0016-invitations.ts';
import { retention } from './0017-retention.ts';
import { operators } from './0018-operators.ts';
import { tracing } from './0019-tracing.ts';
import { accountScope } from './0020-account-scope.ts';
import { organizationExport } from './0021-organization-export.ts';
import { usersOfAccounts } from './0022-users-of-accounts.ts';
import { planDays } from './0023-plan-days.ts';
import { organizationDeletion } from './0024-organization-deletion.ts';
import { failedExports } from './0025-failed-exports.ts';
import { organizationAccounts } from './0026-organization-accounts.ts';
import { outboxNotification } from './0027-outbox-notification.ts';

/** The migrations of the identity domain, in the order in which they run. */
export const migrations = [
  foundation,
  access,
  certificates,
  usage,
  oauth,
  saml,
  mfa,
  keys,
  places,
  samlDomains,
  invitations,
  retention,
  operators,
  tracing,
  accountScope,
  organizationExport,
  usersOfAccounts,
  planDays,
  organizationDeletion,
  failedExports,
  organizationAccounts,
  outboxNotification,
];
