import { area, get, post } from '../route.ts';

/** Invoices (specification 4.5). */
export const billing = area(
  'Billing',
  'Invoices, payments, usage, costs and recurring billing.',
  [
    // the operation has no cursor parameter, because the format of this list has no field for the next cursor
    get('listInvoices', '/billing/invoices', 'invoices', {
      summary: 'List invoices',
      wrap: 'invoices',
      list: 'invoices',
      category: 'billing',
      omit: ['cursor'],
    }),
    get('getInvoice', '/billing/invoices/{invoice_id}', 'invoice', { summary: 'Get an invoice', category: 'billing' }),
    post('createInvoice', '/billing/invoices', 'createInvoice', {
      summary: 'Create an invoice',
      category: 'billing',
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        services: [{ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', quantity: 1, unit_price: 149.95 }],
        due_date: '2030-01-31T00:00:00Z',
        notes: 'Installation included',
      },
    }),
  ],
  'Billing',
);
