import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Invoice } from './invoice.entity.ts';

/**
 * 409: the invoice cannot be changed in this way. `details.reason` is `paid`, `in_flight`, `generated`, `delivered`, or the status of the
 * invoice.
 */
export class InvoiceNotChangeable extends PlatformError {
  constructor({ id, status }: Invoice, reason: string, explanation: string) {
    super('INVALID_STATE', `The invoice ${id} cannot be changed in this way: ${explanation}.`, {
      resource: 'invoice',
      id,
      from: status,
      reason,
    });
  }
}
