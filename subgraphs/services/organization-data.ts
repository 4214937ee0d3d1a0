import type { OrganizationTables } from '../../kernel/records/organization-data.ts';

/**
 * Rules for the data of a deleted organization. Services are deleted, because their locations and names may be personal
 * data. Invoices still contain the descriptions of the services.
 */
export const organizationData: OrganizationTables = {
  tables: [
    { table: 'service_measurement', withheld: 'all', end: 'deleted' },
    // thousands of rows a day for each service; the export contains their sums
    { table: 'service_sample', withheld: 'all', end: 'deleted' },
    { table: 'service_sample_day', end: 'deleted' },
    { table: 'maintenance_window', end: 'deleted' },
    { table: 'provisioning_request', end: 'deleted' },
    { table: 'quote_line', end: 'deleted' },
    { table: 'quote', end: 'deleted' },
    { table: 'bulk_item', end: 'deleted' },
    { table: 'bulk', end: 'deleted' },
    { table: 'service_change', end: 'deleted' },
    // progress of the platform's work at the provider; the history of the service shows its suspensions
    { table: 'service_block', withheld: 'all', end: 'deleted' },
    { table: 'service_status_change', end: 'deleted' },
    { table: 'service', end: 'deleted' },
    // must be listed after the services, because deleting services writes to these tables
    { table: 'service_tally', withheld: 'all', end: 'deleted' },
    { table: 'service_account_tally', withheld: 'all', end: 'deleted' },
    { table: 'account_suspension', end: 'deleted' },
  ],
  others: {
    carrier: 'carriers, the same for everybody',
    carrier_area: 'carriers, the same for everybody',
    catalog_bandwidth: 'the catalog, the same for everybody',
    catalog_category: 'the catalog, the same for everybody',
    catalog_feature: 'the catalog, the same for everybody',
    catalog_price_change: 'the history of the catalog, which belongs to the operator',
    catalog_service: 'the catalog, the same for everybody',
    catalog_term_discount: 'the catalog, the same for everybody',
    catalog_sla: 'the catalog, the same for everybody',
    coverage_area: 'coverage, the same for everybody',
    coverage_technology: 'coverage, the same for everybody',
  },
};
