import { migration } from '../../../kernel/migrations/migration.ts';
import { referenceCounter } from '../../../kernel/records/reference-data.ts';

/**
 * Adds a counter for reference data: the data that is read for each new ticket, such as agents and routing rules. The
 * counter increases with each change of this data. Processes cache the data until the counter changes.
 */
export const referenceData = migration(
  '0015-reference-data',
  referenceCounter('support', ['agent', 'category_override', 'routing_rule', 'sla_policy']),
);
