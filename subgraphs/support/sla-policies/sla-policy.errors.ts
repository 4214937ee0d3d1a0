import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: the organization already has a policy with this name. Policy names are unique, because tickets show the name as
 * their tier.
 */
export class PolicyNameTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'An SLA policy with this name already exists.', { field: 'name' });
  }
}

/** 409: a policy cannot be deleted while categories refer to it. */
export class PolicyInUse extends PlatformError {
  constructor(categories: readonly string[]) {
    super('INVALID_STATE', `The categories ${categories.join(', ')} use this SLA policy. Assign another policy to them first.`, {
      categories,
    });
  }
}
