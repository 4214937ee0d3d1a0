import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';

/** 409: the quote can no longer be ordered. `details.status` is its status. */
export class QuoteNotPending extends PlatformError {
  constructor(id: string, status: string) {
    super('INVALID_STATE', `The quote ${id} is ${status}. Create a new quote.`, { resource: 'quote', id, from: status, allowed: [] });
  }
}

/** 409: no unused line of the quote fits the order. */
export class QuoteLineTaken extends PlatformError {
  constructor(id: string, position: number | null) {
    const line = position === null ? 'has no line left that can be ordered' : `has no line ${position} that can be ordered`;
    super('SERVICE_CONFLICT', `The quote ${id} ${line}.`, { resource: 'quote', id, line: position });
  }
}

/** 409: the order differs from the quote. `details.differences` contains the quoted values (`from`) and the ordered values (`to`). */
export class OrderDiffersFromQuote extends PlatformError {
  constructor(id: string, line: number, differences: ChangeSet) {
    const names = Object.keys(differences).join(', ');
    super('SERVICE_CONFLICT', `The order differs from line ${line} of the quote ${id}: ${names}.`, {
      resource: 'quote',
      id,
      line,
      differences,
    });
  }
}
