import { kept, type OrganizationTables } from '../../kernel/records/organization-data.ts';

/**
 * Rules for the data of a deleted organization. Invoices are kept, as the law requires. Their notes are erased, because
 * they may contain personal data.
 */
export const organizationData: OrganizationTables = {
  tables: [
    { table: 'early_service_event', withheld: 'all', end: 'deleted' },
    {
      table: 'subscription_charge',
      end: {
        ...kept(
          'id',
          'organization_id',
          'account_id',
          'subscription_id',
          'item_id',
          'kind',
          'price',
          'months',
          'priced_at',
          'period_start',
        ),
        ...kept('period_end', 'from_at', 'to_at', 'timezone', 'billed_at', 'invoice_id', 'position', 'created_at'),
      },
    },
    {
      table: 'subscription_item',
      end: {
        ...kept('id', 'organization_id', 'account_id', 'subscription_id', 'service_id', 'name', 'category', 'state', 'billing_cycle'),
        ...kept('service_cycle', 'price', 'priced_at', 'auto_renew', 'anchor', 'months', 'starts_at', 'period_start', 'billed_until'),
        ...kept('metered_until', 'ended_at', 'created_at'),
      },
    },
    {
      table: 'subscription',
      end: {
        ...kept('id', 'organization_id', 'account_id', 'kind', 'status', 'currency', 'payment_method_id', 'start_date', 'end_date'),
        ...kept('bill_due_at', 'revision', 'created_at', 'updated_at'),
      },
    },
    {
      table: 'invoice_line',
      end: {
        ...kept('invoice_id', 'position', 'organization_id', 'service_id', 'description', 'quantity', 'unit_price', 'amount'),
        ...kept('kind', 'item_id', 'period_start', 'period_end', 'category'),
      },
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
          'subscription_id',
          'bill_to',
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
