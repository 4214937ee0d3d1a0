import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: the organization has the maximum number of rules. The number is limited, because every new ticket is compared
 * with all rules.
 */
export class TooManyRoutingRules extends PlatformError {
  constructor(limit: number) {
    super('INVALID_STATE', `An organization can have at most ${limit} routing rules. Delete a rule, or merge two rules.`, { limit });
  }
}
