import { kept, type OrganizationTables } from '../../kernel/records/organization-data.ts';

/**
 * Rules for the data of a deleted organization. Invoices are kept, as the law requires, including the customer and the seller. The notes of
 * invoices are erased, because they may contain personal data.
 */
export const organizationData: OrganizationTables = {
  tables: [
    {
      table: 'credit_note_line',
      end: { ...kept('credit_note_id', 'position', 'organization_id', 'service_id', 'description', 'net') },
    },
    {
      table: 'credit_note',
      end: {
        ...kept('id', 'organization_id', 'number', 'account_id', 'invoice_id', 'cause', 'net', 'tax', 'amount', 'amount_to_invoice'),
        ...kept('amount_to_account', 'currency', 'taxes', 'created_at'),
        reason: 'erased',
      },
    },
    { table: 'credit_note_counter', withheld: 'all', end: { ...kept('organization_id', 'last') } },
    {
      table: 'invoice_tax',
      end: {
        ...kept('invoice_id', 'position', 'organization_id', 'rate_id', 'name', 'percent', 'taxable', 'amount', 'reason'),
        ...kept('taxable_credited', 'amount_credited'),
      },
    },
    { table: 'sandbox_clock', end: 'deleted' },
    { table: 'tax_rate', end: 'deleted' },
    { table: 'tax_exemption', end: 'deleted' },
    { table: 'waiting_credit', withheld: 'all', end: 'deleted' },
    { table: 'budget_alert', end: 'deleted' },
    { table: 'budget', end: 'deleted' },
    {
      table: 'cost_credit',
      end: {
        ...kept('organization_id', 'source', 'position', 'invoice_id', 'service_id', 'category', 'amount', 'period_start', 'period_end'),
        ...kept('created_at'),
      },
    },
    { table: 'recurring_service', end: { ...kept('organization_id', 'service_id', 'account_id', 'currency', 'monthly', 'changed_at') } },
    // sums of the invoices that are kept
    {
      table: 'cost_month',
      withheld: 'all',
      end: { ...kept('organization_id', 'account_id', 'service_id', 'currency', 'month', 'category', 'amount', 'folded') },
    },
    {
      table: 'revenue_day',
      withheld: 'all',
      end: {
        ...kept('organization_id', 'account_id', 'currency', 'day', 'invoiced', 'collected', 'refunded', 'credited'),
        ...kept('payments_successful', 'payments_failed', 'folded'),
      },
    },
    { table: 'due_day', withheld: 'all', end: { ...kept('organization_id', 'account_id', 'currency', 'day', 'amount', 'folded') } },
    {
      table: 'recurring_day',
      withheld: 'all',
      end: { ...kept('organization_id', 'account_id', 'currency', 'day', 'added', 'expanded', 'contracted', 'churned', 'folded') },
    },
    { table: 'early_service_event', withheld: 'all', end: 'deleted' },
    // the lines of invoices keep what was billed
    { table: 'subscription_charge', end: 'deleted' },
    { table: 'subscription_item', end: 'deleted' },
    { table: 'subscription', end: 'deleted' },
    // single events are deleted; the sums of days and periods are kept, because invoices contain them
    { table: 'usage_event', end: 'deleted' },
    { table: 'usage_key', withheld: 'all', end: 'deleted' },
    {
      table: 'usage_day',
      end: {
        ...kept('organization_id', 'service_id', 'metric', 'day', 'account_id', 'category', 'type', 'service_type', 'currency'),
        ...kept('quantity', 'events', 'billed_quantity', 'amount'),
      },
    },
    { table: 'usage_period', end: { ...kept('organization_id', 'service_id', 'first_day', 'last_day', 'currency', 'billed') } },
    {
      table: 'usage_price',
      end: {
        ...kept('id', 'organization_id', 'scope', 'metric', 'currency', 'model', 'included', 'unit_price', 'tiers', 'block_size'),
        ...kept('block_price', 'valid_from', 'valid_until', 'created_by', 'created_at', 'ended_by'),
      },
    },
    {
      table: 'invoice_delivery',
      end: {
        ...kept('id', 'organization_id', 'account_id', 'invoice_id', 'cause', 'status', 'attempts', 'simulated', 'sent_at', 'created_at'),
        recipient: 'erased',
        last_error: 'erased',
      },
    },
    { table: 'invoice_settings', end: 'deleted' },
    {
      table: 'invoice_line',
      end: {
        ...kept('invoice_id', 'position', 'organization_id', 'service_id', 'description', 'quantity', 'unit_price', 'amount'),
        ...kept('kind', 'item_id', 'period_start', 'period_end', 'category', 'tax_rate_ids', 'amount_credited'),
      },
    },
    {
      table: 'dispute',
      end: {
        ...kept(
          'id',
          'organization_id',
          'account_id',
          'payment_id',
          'reference',
          'status',
          'amount',
          'amount_reopened',
          'currency',
          'reason',
        ),
        ...kept('closed_at', 'created_at', 'updated_at'),
      },
    },
    { table: 'ledger_audit', withheld: 'all', end: 'deleted' },
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
          ...[
            'amount_refunded',
            'amount_disputed',
            'refund_reserved',
            'processor',
            'simulated',
            'reference',
            'transaction_id',
            'decline_code',
          ],
          ...[
            'origin',
            'attempt',
            'decline_is_final',
            'available_amount',
            'lookups',
            'settle_due_at',
            'processed_at',
            'created_at',
            'updated_at',
          ],
        ),
      },
    },
    { table: 'collection', end: 'deleted' },
    { table: 'dunning', end: 'deleted' },
    {
      table: 'billing_account',
      end: {
        ...kept('organization_id', 'account_id', 'currency', 'billing_cycle', 'auto_pay', 'payment_method_id', 'invoice_delivery'),
        ...kept('billing_day', 'overage_currency', 'revision', 'created_at', 'updated_at'),
        tax_id: 'erased',
      },
    },
    {
      table: 'payment_method',
      withheld: ['reference', 'fingerprint'],
      end: {
        ...kept('id', 'organization_id', 'account_id', 'processor', 'reference', 'type', 'brand', 'last4', 'expires_month', 'expires_year'),
        ...kept('reusable', 'status', 'created_at'),
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
          'amount_returned',
          'amount_written_off',
          'refund_reserved',
          'tax_reversed',
          'tax_terms',
          'revision',
          'currency',
          'due_date',
          'status_due_at',
          'paid_date',
          'source',
          'subscription_id',
          'bill_to',
          'seller',
          'timezone',
          'delivery_started_at',
          'delivered_at',
          'created_at',
          'updated_at',
        ),
        notes: 'erased',
        write_off_reason: 'erased',
      },
    },
    { table: 'invoice_counter', withheld: 'all', end: { ...kept('organization_id', 'last') } },
    // numbers of the invoices and payments that are kept
    ...['invoice_tally', 'payment_tally'].map((table) => ({
      table,
      withheld: 'all' as const,
      end: { ...kept('organization_id', 'day', 'status', 'count', 'folded') },
    })),
    ...['invoice_account_tally', 'payment_account_tally'].map((table) => ({
      table,
      withheld: 'all' as const,
      end: { ...kept('organization_id', 'account_id', 'day', 'status', 'count', 'folded') },
    })),
  ],
  others: {},
};
