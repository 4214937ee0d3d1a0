import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: every new ticket is held against all of them. */
export class TooManyRoutingRules extends PlatformError {
  constructor(limit: number) {
    super('INVALID_STATE', `An organization has at most ${limit} routing rules. Delete one, or add its keywords to another.`, { limit });
  }
}
