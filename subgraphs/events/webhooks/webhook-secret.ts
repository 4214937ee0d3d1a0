import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Webhook } from './webhook.entity.ts';

/**
 * Prefix of a secret in the format of the Standard Webhooks specification. After the prefix, the secret contains the key in base64. If a
 * secret has no prefix, its text is the key.
 */
const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export const generateSecret = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;

/** Secrets that sign deliveries: the current secret, and for 24 hours after a rotation also the previous secret. */
export type Secrets = readonly [current: string, ...previous: string[]];

export type SealedSecrets = Pick<Webhook, 'sealedSecret' | 'previousSealedSecret' | 'previousSecretUntil'>;

export function openSecrets(box: SecretBox, webhookId: string, sealed: SealedSecrets, now: Date): Secrets {
  const { sealedSecret, previousSealedSecret, previousSecretUntil } = sealed;
  const current = box.open(sealedSecret, webhookId);
  if (!previousSealedSecret || !previousSecretUntil || previousSecretUntil <= now) return [current];
  return [current, box.open(previousSealedSecret, webhookId)];
}

/**
 * Returns the key of the signature in the `webhook-signature` header. The signature in the body is made with a
 * different key: the whole text of the secret.
 */
export const headerKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'latin1');

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Regular expression for the secrets that `isAcceptableSecret` accepts, except for their length. It is shown in the API
 * documents.
 */
export const SECRET_PATTERN = '^(whsec_([A-Za-z0-9+/]{4}){3,60}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?!whsec_)[ -~]+)$';

/**
 * Returns whether a secret is valid: 16 to 255 printable ASCII characters, with base64 after the prefix `whsec_`. Other
 * characters are not allowed, because libraries convert them to different bytes.
 */
export function isAcceptableSecret(secret: string): boolean {
  if (!/^[\x20-\x7e]{16,255}$/.test(secret)) return false;
  return !secret.startsWith(PREFIX) || (BASE64.test(secret.slice(PREFIX.length)) && headerKey(secret).length >= 8);
}
