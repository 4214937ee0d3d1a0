import { PlatformError } from '../../../kernel/errors/errors.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';

/** 409: a resolved ticket cannot wait for its customer. */
export class ResolvedTicketWaits extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'A resolved ticket cannot wait for its customer. Reopen it first.', { from: 'resolved', allowed: [] });
  }
}

/** 409: the requested escalation level is not higher than the current level. */
export class EscalationNotRaised extends PlatformError {
  constructor(from: number, to: number) {
    const allowed = Array.from({ length: MAX_ESCALATION_LEVEL - from }, (_, index) => from + 1 + index);
    const next = allowed.length ? `Use one of ${allowed.join(', ')}.` : 'That is the highest level.';
    super('INVALID_STATE', `The ticket has escalation level ${from} and cannot be set to ${to}: a level can only be raised. ${next}`, {
      from,
      to,
      allowed,
    });
  }
}
