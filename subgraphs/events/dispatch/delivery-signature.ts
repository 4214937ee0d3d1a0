import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { headerKey, type Secrets } from '../webhooks/webhook-secret.ts';

/**
 * Returns the body of a delivery: the payload with `signature` as its last property. The signature is `sha256=` and the
 * hex HMAC-SHA256 of the payload, keyed with the secret (specification 6). A receiver that removes this property from
 * the body gets the signed bytes.
 */
export function signedBody(payload: string, secret: string): string {
  return `${payload.slice(0, -1)},"signature":"sha256=${createHmac('sha256', secret).update(payload).digest('hex')}"}`;
}

export interface Signed {
  id: string;
  at: Date;
  body: string;
  secrets: Secrets;
}

/**
 * Returns the headers of the Standard Webhooks specification. They contain one signature of the whole body for each
 * secret, and the time of the attempt as the timestamp.
 */
export function signatureHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keysOf(secrets).map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Cache of key objects, because creating a key takes longer than signing with it. */
const keys = new WeakMap<Secrets, readonly KeyObject[]>();

function keysOf(secrets: Secrets): readonly KeyObject[] {
  const known = keys.get(secrets);
  if (known) return known;
  const made = secrets.map((secret) => createSecretKey(headerKey(secret)));
  keys.set(secrets, made);
  return made;
}
