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

/** REST routes of accounts (specification 4.2). */
export const accounts = area(
  'Accounts',
  'An account is a customer of your organization. Your organization itself also has one account. Services, invoices and tickets belong to an account.',
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
      description: 'Changes an account. Omit a field to keep its value. To clear an optional field, set it to null.',
      category: 'account',
      example: { phone: '+1 212 555 0199', technical_contact: { name: 'Alan Turing', email: 'noc@acme.example.com' } },
    }),
    del('deleteAccount', '/accounts/{account_id}', 'deleteAccount', {
      summary: 'Delete an account',
      errors: { INVALID_STATE: 'the account has live services or open invoices, or belongs to your own organization' },
      description:
        'Deletes an account. An account with live services or open invoices cannot be deleted: the response is 409, and `details` lists the first of these services or invoices. The account of your own organization cannot be deleted either.',
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
        'Changes your organization. If you set `second_factor_required` to true, users without a second factor must set it up before they can use an operation that requires a second factor.',
      category: 'account',
      addition: true,
      example: { second_factor_required: false },
    }),
    get('listAccountUsers', '/accounts/{account_id}/users', 'users', {
      summary: 'List the users of an account',
      description: 'List the users of the account, newest first.',
      category: 'account',
    }),
    post('addAccountUser', '/accounts/{account_id}/users', 'inviteUser', {
      summary: 'Invite a user',
      errors: { DUPLICATE_RESOURCE: 'another user already has this e-mail address' },
      description:
        'Invites a user: sends an e-mail with a link with which the user sets a password. The user cannot get a role that has more permissions than the caller.',
      category: 'account',
      example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'member', phone: '+1 212 555 0100' },
    }),
    put('updateAccountUser', '/accounts/{account_id}/users/{user_id}', 'updateUser', {
      summary: 'Update a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'Changes a user. A new role takes effect immediately. Suspending a user ends all sessions of that user.',
      category: 'account',
      example: { name: 'Grace Murray Hopper' },
    }),
    del('removeAccountUser', '/accounts/{account_id}/users/{user_id}', 'removeUser', {
      summary: 'Delete a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'Deletes a user. The last owner of the organization cannot be deleted.',
      category: 'account',
    }),
  ],
  'Access',
);
