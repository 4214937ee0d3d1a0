import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: tickets show the name as their tier, so one name is one policy. */
export class PolicyNameTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'There is an SLA policy of this name already.', { field: 'name' });
  }
}

/** 409: a category that refers to it would promise nothing. */
export class PolicyInUse extends PlatformError {
  constructor(categories: readonly string[]) {
    super('INVALID_STATE', `The categories ${categories.join(', ')} refer to this SLA policy. Give them another one first.`, {
      categories,
    });
  }
}
