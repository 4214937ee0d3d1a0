import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a suspended or closed account cannot order services. `details.status` is the status of the account. */
export class AccountNotActive extends PlatformError {
  constructor(
    readonly accountId: string,
    status: string,
  ) {
    super(
      status === 'suspended' ? 'ACCOUNT_SUSPENDED' : 'INVALID_STATE',
      `The account ${accountId} is ${status}. Only an active account can order. Set its status to active first.`,
      { resource: 'account', id: accountId, status },
    );
  }
}
