import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Webhook } from './webhook.entity.ts';

/** Prefix of the Standard Webhooks specification, followed by the key in base64. A secret without it is the key itself. */
const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export const generateSecret = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;

/** Secrets that sign: the current one, and the previous one until its time after a rotation is over. */
export type Secrets = readonly [current: string, ...previous: string[]];

export type SealedSecrets = Pick<Webhook, 'sealedSecret' | 'previousSealedSecret' | 'previousSecretUntil'>;

export function openSecrets(box: SecretBox, webhookId: string, sealed: SealedSecrets, now: Date): Secrets {
  const { sealedSecret, previousSealedSecret, previousSecretUntil } = sealed;
  const current = box.open(sealedSecret, webhookId);
  if (!previousSealedSecret || !previousSecretUntil || previousSecretUntil <= now) return [current];
  return [current, box.open(previousSealedSecret, webhookId)];
}

/** Key of the `webhook-signature` header. The signature in the body uses the secret's text as its key. */
export const headerKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'latin1');

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Pattern for API documents. Same rule as `isAcceptableSecret`, without the length. */
export const SECRET_PATTERN = '^(whsec_([A-Za-z0-9+/]{4}){3,60}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?!whsec_)[ -~]+)$';

/**
 * Whether a secret is valid: 16 to 255 printable ASCII characters, which all libraries encode in the same way. After the prefix
 * it must be base64.
 */
export function isAcceptableSecret(secret: string): boolean {
  if (!/^[\x20-\x7e]{16,255}$/.test(secret)) return false;
  return !secret.startsWith(PREFIX) || (BASE64.test(secret.slice(PREFIX.length)) && headerKey(secret).length >= 8);
}
