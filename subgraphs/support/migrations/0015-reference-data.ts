import { migration } from '../../../kernel/migrations/migration.ts';
import { referenceCounter } from '../../../kernel/records/reference-data.ts';

/** What each new ticket goes by is known to the processes until one of these changes. */
export const referenceData = migration(
  '0015-reference-data',
  referenceCounter('support', ['agent', 'category_override', 'routing_rule', 'sla_policy']),
);
