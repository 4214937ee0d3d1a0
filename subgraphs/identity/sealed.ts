import type { SealedColumn } from '../../kernel/access/secret-box.ts';
import { SIGNING_KEYS } from './tokens/key-ring.ts';

/** Purposes of secrets at rest. */
export const API_KEY_SECRETS = 'api-keys';
export const MFA_SECRETS = 'mfa';

export const sealed: readonly SealedColumn[] = [
  { table: 'signing_key', column: 'private_jwk', purpose: SIGNING_KEYS },
  { table: 'api_key', column: 'signing_secret', purpose: API_KEY_SECRETS },
  { table: 'mfa_method', column: 'secret', purpose: MFA_SECRETS },
];
