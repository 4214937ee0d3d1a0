import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: an incident already has the maximum number of tickets. */
export class TooManyTickets extends PlatformError {
  constructor(maximum: number) {
    super('INVALID_STATE', `An incident can have at most ${maximum} tickets.`, { maximum });
  }
}
