import { ArrayMaxSize, ArrayMinSize, IsOptional } from 'class-validator';
import { MAX_ACCOUNTS } from '../../../kernel/access/principal.ts';

const REASON = `must have 1 to ${MAX_ACCOUNTS} accounts, or be null`;

export const ACCOUNTS_OF_CREDENTIALS = `Accounts that the credentials are limited to, 1 to ${MAX_ACCOUNTS} accounts that the caller can access (\`acc_…\`). Null means the whole organization. Default: the accounts that the caller can access.`;

export const CHANGED_ACCOUNTS = `Accounts that the credentials are limited to, 1 to ${MAX_ACCOUNTS} (\`acc_…\`). Replaces the whole list. Null means the whole organization.`;

/** Validates a list of accounts that a user or credentials are limited to. */
export const AreAccounts = (): PropertyDecorator => (target, key) => {
  IsOptional()(target, key);
  ArrayMinSize(1, { message: REASON })(target, key);
  ArrayMaxSize(MAX_ACCOUNTS, { message: REASON })(target, key);
};
