import { migration } from '../../../kernel/migrations/migration.ts';
import { referenceCounter } from '../../../kernel/records/reference-data.ts';

/** Adds the counter of changes to the data that ticket creation uses, so that processes can cache that data. */
export const referenceData = migration(
  '0015-reference-data',
  referenceCounter('support', ['agent', 'category_override', 'routing_rule', 'sla_policy']),
);
