import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: another agent of the organization has this e-mail address. */
export class AgentEmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'An agent with this e-mail address already exists.', { field: 'email' });
  }
}

/** 409: the last active agent cannot be deactivated, because new tickets need an agent. */
export class LastActiveAgent extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last active agent, and tickets need an agent. Activate another agent first.', {
      allowed: [],
    });
  }
}
