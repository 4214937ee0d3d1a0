import { kept, type OrganizationTables } from '../../kernel/records/organization-data.ts';

/**
 * Rules for the data of a deleted organization. Invoices are kept, as the law requires. Their notes are erased, because
 * they may contain personal data.
 */
export const organizationData: OrganizationTables = {
  tables: [
    {
      table: 'invoice_line',
      end: { ...kept('invoice_id', 'position', 'organization_id', 'service_id', 'description', 'quantity', 'unit_price', 'amount') },
    },
    {
      table: 'invoice',
      end: {
        ...kept(
          'id',
          'organization_id',
          'number',
          'account_id',
          'status',
          'amount',
          'currency',
          'due_date',
          'paid_date',
          'source',
          'created_at',
          'updated_at',
        ),
        notes: 'erased',
      },
    },
    { table: 'invoice_counter', withheld: 'all', end: { ...kept('organization_id', 'last') } },
  ],
  others: {},
};
