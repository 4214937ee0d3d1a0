import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Webhook } from './webhook.entity.ts';

/** Of the Standard Webhooks specification: after it stands the key in base64. Any other secret is the key itself. */
const PREFIX = 'whsec_';
const KEY_BYTES = 32;

export const generateSecret = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;

/** What signs: the secret of the webhook, and after it the one before its last rotation while that signs too. */
export type Secrets = readonly [current: string, ...previous: string[]];

export type SealedSecrets = Pick<Webhook, 'sealedSecret' | 'previousSealedSecret' | 'previousSecretUntil'>;

export function openSecrets(box: SecretBox, webhookId: string, sealed: SealedSecrets, now: Date): Secrets {
  const { sealedSecret, previousSealedSecret, previousSecretUntil } = sealed;
  const current = box.open(sealedSecret, webhookId);
  if (!previousSealedSecret || !previousSecretUntil || previousSecretUntil <= now) return [current];
  return [current, box.open(previousSealedSecret, webhookId)];
}

/** The key of the `webhook-signature` header. The signature in the body is keyed with the text of the secret as it is. */
export const headerKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'latin1');

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** For documents: the form of `isAcceptableSecret`, beside its length. */
export const SECRET_PATTERN = '^(whsec_([A-Za-z0-9+/]{4}){3,60}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?!whsec_)[ -~]+)$';

/** 16 to 255 printable ASCII characters, which all libraries read as the same bytes; what says it is base64 must be. */
export function isAcceptableSecret(secret: string): boolean {
  if (!/^[\x20-\x7e]{16,255}$/.test(secret)) return false;
  return !secret.startsWith(PREFIX) || (BASE64.test(secret.slice(PREFIX.length)) && headerKey(secret).length >= 8);
}
