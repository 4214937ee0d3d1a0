import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: an account that is suspended or closed orders nothing. `details.status` says which of them. */
export class AccountNotActive extends PlatformError {
  constructor(id: string, status: string) {
    super(
      status === 'suspended' ? 'ACCOUNT_SUSPENDED' : 'INVALID_STATE',
      `The account ${id} is ${status}. Only an active account can order; set its status to active first.`,
      { resource: 'account', id, status },
    );
  }
}
