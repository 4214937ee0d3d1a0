import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: an address is one agent of an organization. */
export class AgentEmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'There is an agent with this e-mail address already.', { field: 'email' });
  }
}

/** 409: tickets must go to somebody. */
export class LastActiveAgent extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last active agent, and tickets must go to somebody. Make another one active first.', {
      allowed: [],
    });
  }
}
