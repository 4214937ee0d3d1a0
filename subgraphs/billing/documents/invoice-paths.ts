/** Returns the URL path of the PDF of an invoice. */
export const invoicePdfPath = (id: string): string => `/v1/billing/invoices/${id}/pdf`;

/** The URL path of the invoices as CSV. */
export const INVOICES_CSV_PATH = '/v1/billing/invoices.csv';
