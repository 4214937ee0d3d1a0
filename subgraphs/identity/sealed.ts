import type { SealedColumn, SealedJobs } from '../../kernel/access/sealed-column.ts';
import { SIGNING_KEYS } from './tokens/key-ring.ts';

/** Purposes of encrypted secrets. A separate key is derived for each purpose. */
export const API_KEY_SECRETS = 'api-keys';
export const MFA_SECRETS = 'mfa';
export const OAUTH_RECORDS = 'oauth-records';

export const sealed: readonly SealedColumn[] = [
  { table: 'signing_key', column: 'private_jwk', purpose: SIGNING_KEYS },
  { table: 'api_key', column: 'signing_secret', purpose: API_KEY_SECRETS },
  { table: 'api_key', column: 'previous_signing_secret', purpose: API_KEY_SECRETS },
  { table: 'mfa_method', column: 'secret', purpose: MFA_SECRETS },
  { table: 'oauth_record', column: 'payload', purpose: OAUTH_RECORDS, key: ['kind', 'hash'], separator: ':' },
];

/** Queues whose jobs contain codes and links that give access to users' accounts. The data of these jobs is encrypted. */
export const sealedJobs: readonly SealedJobs[] = [
  { queue: 'identity.mail', purpose: 'mail' },
  { queue: 'identity.sms', purpose: 'sms' },
];
