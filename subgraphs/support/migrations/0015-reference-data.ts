import { migration } from '../../../kernel/migrations/migration.ts';
import { referenceCounter } from '../../../kernel/records/reference-data.ts';

/**
 * Adds a counter of changes to the data that the creation of tickets reads. Processes cache this data until the counter
 * changes.
 */
export const referenceData = migration(
  '0015-reference-data',
  referenceCounter('support', ['agent', 'category_override', 'routing_rule', 'sla_policy']),
);
