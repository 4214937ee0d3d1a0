import type { OrganizationTables } from '../../kernel/records/organization-data.ts';

export const organizationData: OrganizationTables = {
  tables: [
    { table: 'delivery', end: 'deleted' },
    { table: 'webhook', withheld: ['sealed_secret', 'previous_sealed_secret'], harmless: ['previous_secret_until'], end: 'deleted' },
    { table: 'event_log', end: 'deleted' },
    { table: 'delivery_month_counter', withheld: 'all', end: 'deleted' },
  ],
  others: { consumer: 'how far each consumer has read the log', lease: 'which process consumes' },
};
