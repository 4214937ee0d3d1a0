import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the organization has the maximum number of budgets. The number is limited, because each change of costs is compared with all of them. */
export class TooManyBudgets extends PlatformError {
  constructor(limit: number) {
    super('INVALID_STATE', `An organization can have at most ${limit} budgets. Delete a budget first.`, { limit });
  }
}
