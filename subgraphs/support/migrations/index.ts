import { tickets } from './0001-tickets.ts';
import { conversation } from './0002-conversation.ts';
import { sla } from './0003-sla.ts';
import { routing } from './0004-routing.ts';
import { integrations } from './0005-integrations.ts';
import { ticketSearch } from './0006-ticket-search.ts';
import { analytics } from './0007-analytics.ts';
import { knowledge } from './0010-knowledge.ts';
import { accents } from './0011-accents.ts';
import { retention } from './0012-retention.ts';
import { revisions } from './0013-revisions.ts';
import { ticketLinks } from './0014-ticket-links.ts';
import { referenceData } from './0015-reference-data.ts';
import { tracing } from './0016-tracing.ts';
import { ticketAccounts } from './0017-ticket-accounts.ts';
import { accountTally } from './0018-account-tally.ts';
import { accountsById } from './0019-accounts-by-id.ts';
import { suspension } from './0020-suspension.ts';
import { integrationTracing } from './0021-integration-tracing.ts';
import { textAccounts } from './0022-text-accounts.ts';
import { outboxNotification } from './0023-outbox-notification.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [
  tickets,
  conversation,
  sla,
  routing,
  integrations,
  ticketSearch,
  analytics,
  knowledge,
  accents,
  retention,
  revisions,
  ticketLinks,
  referenceData,
  tracing,
  ticketAccounts,
  accountTally,
  accountsById,
  suspension,
  integrationTracing,
  textAccounts,
  outboxNotification,
];
