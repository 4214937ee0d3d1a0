import type { OrganizationTables } from '../../kernel/records/organization-data.ts';

/**
 * Rules for the data of a deleted organization. Services are deleted, because their locations and names may be personal
 * data. Invoices still contain the descriptions of the services.
 */
export const organizationData: OrganizationTables = {
  tables: [
    { table: 'provisioning_request', end: 'deleted' },
    { table: 'service_change', end: 'deleted' },
    { table: 'service_status_change', end: 'deleted' },
    { table: 'service', end: 'deleted' },
  ],
  others: {
    catalog_bandwidth: 'the catalog, the same for everybody',
    catalog_category: 'the catalog, the same for everybody',
    catalog_service: 'the catalog, the same for everybody',
    catalog_sla: 'the catalog, the same for everybody',
    coverage_area: 'coverage, the same for everybody',
    coverage_technology: 'coverage, the same for everybody',
  },
};
