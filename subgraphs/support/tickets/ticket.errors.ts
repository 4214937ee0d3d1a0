import { PlatformError } from '../../../kernel/errors/errors.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';

/** 409: nobody is waited for any more. */
export class ResolvedTicketWaits extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'A resolved ticket does not wait for its customer. Reopen it first.', { from: 'resolved', allowed: [] });
  }
}

/** 409: levels only rise. */
export class EscalationNotRaised extends PlatformError {
  constructor(from: number, to: number) {
    const allowed = Array.from({ length: MAX_ESCALATION_LEVEL - from }, (_, index) => from + 1 + index);
    const next = allowed.length ? `Give one of ${allowed.join(', ')}.` : 'That is the highest one.';
    super('INVALID_STATE', `The ticket has escalation level ${from} and cannot go to ${to}: levels only rise. ${next}`, {
      from,
      to,
      allowed,
    });
  }
}
