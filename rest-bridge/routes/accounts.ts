import { area, del, get, post, put } from '../route.ts';

const EXAMPLE = {
  name: 'Acme Corporation',
  email: 'it@acme.example.com',
  phone: '+1 212 555 0100',
  billing_contact: { name: 'Grace Hopper', email: 'billing@acme.example.com', phone: '+1 212 555 0101' },
  technical_contact: { name: 'Ada Lovelace', email: 'noc@acme.example.com', phone: '+1 212 555 0102' },
  billing_address: { street: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118', country: 'US' },
  timezone: 'America/New_York',
  tier: 'gold',
  metadata: { segment: 'enterprise' },
};

/** Accounts (specification 4.2). */
export const accounts = area(
  'Accounts',
  'Accounts are customers. Services, invoices and tickets belong to an account.',
  [
    get('listAccounts', '/accounts', 'accounts', { summary: 'List accounts', category: 'account' }),
    post('createAccount', '/accounts', 'createAccount', {
      summary: 'Create an account',
      category: 'account',
      example: EXAMPLE,
    }),
    get('getAccount', '/accounts/{account_id}', 'account', { summary: 'Get an account', category: 'account' }),
    put('updateAccount', '/accounts/{account_id}', 'updateAccount', {
      summary: 'Update an account',
      description: 'Omit a field to keep its value; set an optional field to null to clear it.',
      category: 'account',
      example: { phone: '+1 212 555 0199', technical_contact: { name: 'Alan Turing', email: 'noc@acme.example.com' } },
    }),
    del('deleteAccount', '/accounts/{account_id}', 'deleteAccount', {
      summary: 'Delete an account',
      errors: { INVALID_STATE: 'the account has live services or open invoices' },
      description: 'Responds with 409 while the account has live services or open invoices. `details` lists them.',
      category: 'account',
    }),
    get('getOrganization', '/organization', 'organization', {
      summary: 'Get your organization',
      category: 'account',
      addition: true,
    }),
    put('updateOrganization', '/organization', 'updateOrganization', {
      summary: 'Update your organization',
      description:
        'If `second_factor_required` is true, every user must verify a second factor. Users without a second factor must enrol one first.',
      category: 'account',
      addition: true,
      example: { second_factor_required: false },
    }),
    get('listAccountUsers', '/accounts/{account_id}/users', 'users', {
      summary: 'List the users of an account',
      description: 'Lists the users of the account, newest first.',
      category: 'account',
    }),
    post('addAccountUser', '/accounts/{account_id}/users', 'inviteUser', {
      summary: 'Invite a user',
      errors: { DUPLICATE_RESOURCE: 'another user already has this e-mail address' },
      description:
        'Sends an invitation by e-mail. The user sets a password with the link in it. You cannot give a role with permissions that you do not have.',
      category: 'account',
      example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'member', phone: '+1 212 555 0100' },
    }),
    put('updateAccountUser', '/accounts/{account_id}/users/{user_id}', 'updateUser', {
      summary: 'Update a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'A new role takes effect immediately. Suspending a user ends all sessions of that user.',
      category: 'account',
      example: { name: 'Grace Murray Hopper' },
    }),
    del('removeAccountUser', '/accounts/{account_id}/users/{user_id}', 'removeUser', {
      summary: 'Delete a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'The last owner of the organization cannot be deleted.',
      category: 'account',
    }),
  ],
  'Access',
);
