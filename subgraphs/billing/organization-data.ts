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
    { table: 'test_processor_refund', withheld: 'all', end: 'deleted' },
    { table: 'test_processor_charge', withheld: 'all', end: 'deleted' },
    {
      table: 'refund',
      end: {
        ...kept(
          ...[
            'id',
            'organization_id',
            'account_id',
            'payment_id',
            'status',
            'amount',
            'tax_amount',
            'currency',
            'reference',
            'decline_code',
          ],
          ...['lookups', 'settle_due_at', 'processed_at', 'created_at', 'updated_at'],
        ),
        reason: 'erased',
      },
    },
    {
      table: 'payment',
      end: {
        ...kept(
          ...['id', 'organization_id', 'account_id', 'invoice_id', 'payment_method_id', 'status', 'amount', 'currency', 'amount_applied'],
          ...['amount_refunded', 'refund_reserved', 'processor', 'simulated', 'reference', 'transaction_id', 'decline_code'],
          ...['decline_is_final', 'available_amount', 'lookups', 'settle_due_at', 'processed_at', 'created_at', 'updated_at'],
        ),
      },
    },
    {
      table: 'payment_method',
      withheld: ['reference', 'fingerprint'],
      end: {
        ...kept('id', 'organization_id', 'account_id', 'processor', 'reference', 'type', 'brand', 'last4', 'expires_month', 'expires_year'),
        ...kept('reusable', 'created_at'),
        fingerprint: 'erased',
        billing_address: 'erased',
      },
    },
    {
      table: 'ledger_transfer',
      end: {
        ...kept('organization_id', 'source', 'kind', 'account_id', 'invoice_id', 'currency', 'debit', 'credit', 'amount', 'created_at'),
      },
    },
    // single events are deleted; the sums of days and periods are kept, because invoices contain them
    { table: 'usage_event', end: 'deleted' },
    { table: 'usage_key', withheld: 'all', end: 'deleted' },
    {
      table: 'usage_day',
      end: {
        ...kept('organization_id', 'service_id', 'metric', 'day', 'account_id', 'category', 'type', 'service_type', 'currency'),
        ...kept('quantity', 'events', 'billed_quantity'),
      },
    },
    { table: 'usage_period', end: { ...kept('organization_id', 'service_id', 'first_day', 'last_day', 'currency', 'billed') } },
    {
      table: 'usage_price',
      end: {
        ...kept(
          'id',
          'organization_id',
          'scope',
          'metric',
          'currency',
          'model',
          'included',
          'unit_price',
          'tiers',
          'block_size',
          'block_price',
        ),
        ...kept('valid_from', 'valid_until', 'created_by', 'created_at', 'ended_by'),
      },
    },
    { table: 'account_balance', end: { ...kept('organization_id', 'account_id', 'currency', 'receivable', 'credit') } },
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
          'tax_amount',
          'amount_paid',
          'amount_reserved',
          'amount_credited',
          'credit_applied',
          'amount_refunded',
          'revision',
          'currency',
          'due_date',
          'status_due_at',
          'paid_date',
          'source',
          'created_at',
          'updated_at',
        ),
        notes: 'erased',
      },
    },
    { table: 'invoice_counter', withheld: 'all', end: { ...kept('organization_id', 'last') } },
    // numbers of the invoices that are kept
    { table: 'invoice_tally', withheld: 'all', end: { ...kept('organization_id', 'day', 'status', 'count', 'folded') } },
    {
      table: 'invoice_account_tally',
      withheld: 'all',
      end: { ...kept('organization_id', 'account_id', 'day', 'status', 'count', 'folded') },
    },
  ],
  others: {},
};
