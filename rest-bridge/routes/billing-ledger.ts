import type { JsonSchema } from '../json-schema.ts';
import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

const text: JsonSchema = { type: 'string' };
const date: JsonSchema = { type: 'string', format: 'date' };
const errors = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]));

const JOURNAL = `decimal-mark .
commodity 1000.00 USD
account assets:cash:stripe
account assets:receivable

2026-02-14 * (INV-1042) payment  ; time:2026-02-14T08:00:00.000Z, source:pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G, account:acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G, invoice:inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G
    assets:cash:stripe  299.90 USD
    assets:receivable  -299.90 USD
`;

/** Operations of billing that do not run in the graph: the download of the journal, and a webhook whose exact bytes are signed. */
export const billingLedgerRoutes: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/billing/ledger.journal',
    operation: {
      operationId: 'downloadLedgerJournal',
      summary: 'Download the ledger as a journal',
      description: [
        'Responds with all transfers between the accounts of the ledger, oldest first, as a text file in the journal format that programs such as hledger read. Each transfer names its customer account (`acc_…`), the record that caused it and, if there is one, its invoice. Callers that are limited to accounts get only the transfers of these accounts.',
        'The request counts as a large export. At most 10 large exports per hour are allowed. Permission: `billing:read`.',
      ].join('\n\n'),
      tags: ['Billing'],
      parameters: [
        { name: 'from', in: 'query', description: 'First day (UTC). Default: the day of the first transfer.', schema: date },
        { name: 'to', in: 'query', description: 'Last day (UTC). Default: today.', schema: date },
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'The journal.',
          headers: headersWith(),
          content: { 'text/plain': { schema: text, example: JOURNAL } },
        },
        ...errors(400, 401, 403, 429, 500),
      },
      'x-permission': 'billing:read',
      'x-addition': true,
    },
  },
  {
    method: 'POST',
    path: '/billing/processors/stripe/notifications',
    operation: {
      operationId: 'receiveStripeNotification',
      summary: 'Receive a webhook from Stripe',
      description:
        'Receives the events `payment_intent.*`, `refund.*` and `charge.dispute.*` from a webhook of Stripe. A notification that arrives twice takes effect once. A notification may arrive before Stripe has responded to the request that caused it. Notifications about payments that the platform does not have are accepted and ignored. A notification about a refund or a dispute gets 503 if its payment is not known, and the outcome of a payment is still unknown: Stripe sends it again.',
      tags: ['Billing'],
      security: [],
      parameters: [
        {
          name: 'Stripe-Signature',
          in: 'header',
          required: true,
          description: 'Time and HMAC-SHA256 of the body. The key is the secret of the webhook, `STRIPE_WEBHOOK_SECRET`.',
          schema: text,
        },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        204: { description: 'The notification is accepted.', headers: headersWith() },
        ...errors(401, 413, 429, 500, 503),
      },
      'x-addition': true,
    },
  },
];
