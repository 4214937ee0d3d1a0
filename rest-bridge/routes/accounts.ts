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

/** Specification 4.2. */
export const accounts = area(
  'Accounts',
  'The customers that services, invoices and tickets belong to.',
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
      description: 'What is left out stays as it is; null clears what may be absent.',
      category: 'account',
      example: { phone: '+1 212 555 0199', technical_contact: { name: 'Alan Turing', email: 'noc@acme.example.com' } },
    }),
    del('deleteAccount', '/accounts/{account_id}', 'deleteAccount', {
      summary: 'Delete an account',
      errors: { INVALID_STATE: 'the account has live services or open invoices' },
      description: 'Refused with 409 while the account has live services or open invoices; `details` names them.',
      category: 'account',
    }),
    get('getOrganization', '/organization', 'organization', {
      summary: 'Get your organization',
      category: 'account',
      addition: true,
    }),
    put('updateOrganization', '/organization', 'updateOrganization', {
      summary: 'Update your organization',
      description: 'A second factor that is required is asked of every user, also of who has none yet: those enrol one first.',
      category: 'account',
      addition: true,
      example: { second_factor_required: false },
    }),
    get('listAccountUsers', '/accounts/{account_id}/users', 'users', {
      summary: 'List the users of an account',
      category: 'account',
    }),
    post('addAccountUser', '/accounts/{account_id}/users', 'inviteUser', {
      summary: 'Invite a user',
      errors: { DUPLICATE_RESOURCE: 'another user has the e-mail address' },
      description: 'Mails an invitation: the user chooses a password by its link. Nobody gives a role that may do more than they may.',
      category: 'account',
      example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'member', phone: '+1 212 555 0100' },
    }),
    put('updateAccountUser', '/accounts/{account_id}/users/{user_id}', 'updateUser', {
      summary: 'Update a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'A new role counts at once; suspending ends all sessions of the user.',
      category: 'account',
      example: { name: 'Grace Murray Hopper' },
    }),
    del('removeAccountUser', '/accounts/{account_id}/users/{user_id}', 'removeUser', {
      summary: 'Delete a user',
      errors: { INVALID_STATE: 'the user is the last owner' },
      description: 'The last owner of the organization cannot be removed.',
      category: 'account',
    }),
  ],
  'Access',
);
